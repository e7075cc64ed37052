/* openclaw devices approve: lets a device connect in the role it asked for. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/device_find.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/text/paste.h"

static void note_field(const char *label, const char *value) {
    if (*value) {
        cli_note("  %-10s%s", label, value);
    }
}

static void devices_approve_show(const cJSON *doc) {
    OC_AUTO_FREE char *name = cli_shown(cli_node_label(doc));
    OC_AUTO_FREE char *id = cli_shown(oc_json_get_str(doc, "requestId"));
    OC_AUTO_FREE char *device = cli_shown(oc_json_get_str(doc, "deviceId"));
    OC_AUTO_FREE char *client = cli_shown(oc_json_get_str(doc, "clientId"));
    OC_AUTO_FREE char *ip = cli_shown(oc_json_get_str(doc, "remoteIp"));
    OC_AUTO_FREE char *platform = cli_shown(oc_json_get_str(doc, "platform"));
    OC_AUTO_FREE char *roles = cli_shown_list(oc_json_get(doc, "roles"));
    OC_AUTO_FREE char *role = cli_shown(oc_json_get_str(doc, "role"));
    OC_AUTO_FREE char *scopes = cli_shown_list(oc_json_get(doc, "scopes"));
    char age[24];
    cli_age(oc_wall_ms(&oc_clock_system), oc_json_get_ms(doc, "ts", 0), age);
    cli_note("%s asks to connect as %s%s", name, *roles ? roles : role,
            oc_json_get_bool(doc, "isRepair", false)
                    ? " (it was paired before: its key, role or description changed)"
                    : "");
    note_field("request", id);
    note_field("device", device);
    note_field("client", client);
    note_field("from", *ip ? ip : "this machine or its proxy");
    note_field("platform", platform);
    note_field("scopes", *scopes ? scopes : "none");
    note_field("asked", age);
}

static const cJSON *devices_approve_newest(const cJSON *pending) {
    const cJSON *doc, *best = NULL;
    cJSON_ArrayForEach(doc, pending) {
        if (!best || oc_json_get_ms(doc, "ts", 0) > oc_json_get_ms(best, "ts", 0)) {
            best = doc;
        }
    }
    return best;
}

/* The request meant when none was named. *ret borrows from list. */
static enum oc_code devices_approve_choose(
        struct cli_cli *cli, const cJSON *list, const cJSON **ret, struct oc_error *err) {
    const cJSON *pending = oc_json_get(list, "pending"), *doc;
    bool latest = cli_args_has(&cli->args, "latest");
    int count = cJSON_GetArraySize(pending);
    if (count == 0) {
        return oc_fail(err, OC_E_NOT_FOUND, "No pending device pairing requests to approve");
    }
    if (count > 1 && !latest) {
        cJSON_ArrayForEach(doc, pending) {
            devices_approve_show(doc);
        }
        cli_set_fix(cli, "openclaw devices approve <request>, or the newest: openclaw devices "
                         "approve --latest");
        return oc_fail(err, OC_E_INVALID, "several requests wait, name one");
    }
    *ret = devices_approve_newest(pending);
    return OC_OK;
}

/* Shows it, and gets a clear yes unless there was one. */
static enum oc_code devices_approve_consent(
        struct cli_cli *cli, const cJSON *doc, bool is_given, struct oc_error *err) {
    const char *id = oc_json_get_str(doc, "requestId");
    devices_approve_show(doc);
    if (!id) {
        return oc_fail(err, OC_E_INVALID, "the gateway listed a request without an id");
    }
    if (is_given || cli_args_has(&cli->args, "yes")) {
        return OC_OK;
    }
    if (!cli_can_ask()) {
        OC_AUTO_FREE char *command =
                oc_paste("openclaw devices list", "openclaw devices approve %s", id);
        cli_set_fix(cli, "%s", command);
        return oc_fail(err, OC_E_DENIED, "not approved: there is no terminal to ask on");
    }
    return cli_ask("Approve it?") ? OC_OK : oc_fail(err, OC_E_CANCELLED, "nothing was approved");
}

static enum oc_code devices_approve_only(
        struct cli_cli *cli, cJSON **ret_list, char **ret_id, struct oc_error *err) {
    const cJSON *doc = NULL;
    enum oc_code rc = cli_call_tree(cli, "device.pair.list", cJSON_CreateObject(), ret_list, err);
    rc = rc == OC_OK ? devices_approve_choose(cli, *ret_list, &doc, err) : rc;
    rc = rc == OC_OK ? devices_approve_consent(cli, doc, cli_args_has(&cli->args, "latest"), err)
                     : rc;
    *ret_id = rc == OC_OK ? oc_strdup(oc_json_get_str(doc, "requestId")) : NULL;
    return rc;
}

/* A whole id was copied from what it stands for; the beginning of one is shown once more. */
static enum oc_code devices_approve_find(struct cli_cli *cli, const char *query, cJSON **ret_list,
        char **ret_id, struct oc_error *err) {
    const cJSON *doc = NULL;
    enum oc_code rc = cli_device_request(cli, query, ret_id, ret_list, &doc, err);
    return rc == OC_OK && doc ? devices_approve_consent(cli, doc, false, err) : rc;
}

static int devices_approve_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL, *payload = NULL;
    OC_AUTO_FREE char *id = NULL;
    const char *query = cli->args.rest.count > 0 ? cli->args.rest.items[0] : NULL;
    enum oc_code rc = query ? devices_approve_find(cli, query, &list, &id, &err)
                            : devices_approve_only(cli, &list, &id, &err);
    if (rc != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli_call_tree(cli, "device.pair.approve", cli_params_str("requestId", id), &payload,
                &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *device =
            cli_shown(oc_json_get_str(oc_json_get(payload, "device"), "deviceId"));
    OC_AUTO_FREE char *shown = cli_shown(id);
    cli_out_line("Approved %s (%s)", device, shown);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "latest", 0, CLI_OPT_FLAG, NULL, "take the newest request without asking" },
    { "yes", 'y', CLI_OPT_FLAG, NULL, "do not ask when only one request waits" },
    { 0 },
};

const struct cli_command cli_command_devices_approve = {
    .path = "devices approve",
    .summary = "Let a device connect",
    .operands = "[request]",
    .details = "Without a request: shows what waits and, when it is only one, asks whether to "
               "approve it.\n"
               "The beginning of its id will do; it is then shown, and asked about, first.\n"
               "For nodes `openclaw nodes approve` also opens their commands.",
    .examples = "openclaw devices approve\n"
                "openclaw devices approve 7c1b9e",
    .options = options,
    .calls_gateway = true,
    .max_operands = 1,
    .run = devices_approve_run,
};
