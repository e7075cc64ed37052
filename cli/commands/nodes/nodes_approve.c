/* openclaw nodes approve: lets a node in and opens its commands, in one go.
 *
 * Where the gateway keeps the gates apart, approving the device makes the node connect and then ask
 * for its commands; we wait a moment for that and approve it too, so that one command is enough. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/text/paste.h"

#define WAIT_MS 3000
#define POLL_MS 100

/* change: what it changes, as far as we know. */
static enum oc_code nodes_approve_approve(struct cli_cli *cli, const char *method,
        const char *request_id, const struct cli_command_change *change, cJSON *results,
        struct oc_error *err) {
    cJSON *payload = NULL;
    enum oc_code rc =
            cli_call_tree(cli, method, cli_params_str("requestId", request_id), &payload, err);
    if (rc == OC_OK) {
        cli_command_change_json(change, payload);
        cJSON_AddItemToArray(results, payload);
    }
    return rc;
}

static const cJSON *node_by_id(const cJSON *nodes, const char *node_id) {
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        if (oc_streq(oc_json_get_str(node, "nodeId"), node_id)) {
            return node;
        }
    }
    return NULL;
}

static void say_connected(const struct cli_cli *cli, const cJSON *node) {
    OC_AUTO_FREE char *name = cli_shown(cli_node_label(node));
    int count = cJSON_GetArraySize(oc_json_get(node, "commands"));
    if (!cli->is_json) {
        cli_out_line(
                "%s is connected and offers %d command%s.", name, count, count == 1 ? "" : "s");
    }
}

/* Does the node ask for nothing but what was shown with the request that is approved already? */
static bool was_shown(const struct cli_waiting_request *r, const cJSON *node) {
    OC_AUTO_STRV struct oc_strv shown = { 0 }, asked = { 0 };
    oc_json_get_strv(r->doc, "commands", &shown);
    oc_json_get_strv(node, "pendingDeclaredCommands", &asked);
    return asked.count > 0 && oc_strv_covers(&shown, &asked);
}

static void say_wants_more(const cJSON *node, const char *request_id) {
    OC_AUTO_FREE char *name = cli_shown(cli_node_label(node));
    OC_AUTO_FREE char *command = oc_paste(CLI_SEE_PENDING, "openclaw nodes approve %s", request_id);
    const cJSON *asked = oc_json_get(node, "pendingDeclaredCommands");
    cli_note("%s may connect, but its commands are not approved yet:", name);
    cli_waiting_print_change(
            &(struct cli_waiting_request){ .doc = node, .record = node, .asked = asked });
    cli_note("If you want that: %s", command);
}

/* Until the node is there with nothing left to approve, or WAIT_MS have passed. */
static enum oc_code wait_for_node(struct cli_cli *cli, const struct cli_waiting_request *r,
        cJSON *results, struct oc_error *err) {
    bool may_open_surface = r->is_device;
    for (int waited = 0; waited < WAIT_MS; waited += POLL_MS) {
        OC_AUTO_JSON cJSON *list = NULL;
        const cJSON *nodes;
        enum oc_code rc = cli_node_list(cli, &list, &nodes, err);
        if (rc != OC_OK) {
            return rc;
        }
        const cJSON *node = node_by_id(nodes, r->node_id);
        const char *pending = oc_json_get_str(node, "pendingRequestId");
        if (node && cli_node_is_connected(node) && pending &&
                !(may_open_surface && was_shown(r, node))) {
            say_wants_more(node, pending);
            return OC_OK;
        }
        if (node && cli_node_is_connected(node) && pending) {
            may_open_surface = false;
            CLI_AUTO_COMMAND_CHANGE struct cli_command_change change = { 0 };
            cli_command_change_of(node, oc_json_get(node, "pendingDeclaredCommands"), &change);
            rc = nodes_approve_approve(cli, "node.pair.approve", pending, &change, results, err);
            if (rc != OC_OK) {
                return rc;
            }
            continue;
        }
        if (node && cli_node_is_connected(node)) {
            say_connected(cli, node);
            return OC_OK;
        }
        cli_rpc_sleep(cli->rpc, POLL_MS);
    }
    OC_AUTO_FREE char *name = cli_shown(cli_node_label(r->doc));
    cli_note("%s is not connected yet. A waiting node tries again within 30 s; see openclaw nodes "
             "status.",
            name);
    return OC_OK;
}

static enum oc_code approve_request(struct cli_cli *cli, const struct cli_waiting_request *r,
        cJSON *results, struct oc_error *err) {
    const char *method = r->by_device_method ? "device.pair.approve" : "node.pair.approve";
    CLI_AUTO_COMMAND_CHANGE struct cli_command_change change = { 0 };
    cli_waiting_change(r, &change);
    enum oc_code rc = nodes_approve_approve(cli, method, r->id, &change, results, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (!cli->is_json) {
        OC_AUTO_FREE char *name = cli_shown(cli_node_label(r->doc));
        OC_AUTO_FREE char *id = cli_shown(r->id);
        cli_out_line("Approved %s (%s, request %s)", name, cli_waiting_gate(r), id);
    }
    return wait_for_node(cli, r, results, err);
}

static int nodes_approve_finish(const struct cli_cli *cli, const cJSON *results, bool as_list) {
    if (cli->is_json) {
        cli_out_json(as_list || cJSON_GetArraySize(results) != 1 ? results : results->child);
    }
    return CLI_EXIT_OK;
}

/* Someone typed an id that no node request has. */
static int fail_unknown(struct cli_cli *cli, const struct cli_waiting *waiting, const char *id) {
    struct oc_error err;
    const cJSON *doc;
    oc_fail(&err, OC_E_NOT_FOUND, "unknown requestId");
    cli_set_fix(cli, "see what waits: openclaw nodes pending");
    cJSON_ArrayForEach(doc, oc_json_get(waiting->devices, "pending")) {
        if (oc_streq(oc_json_get_str(doc, "requestId"), id)) {
            oc_fail(&err, OC_E_INVALID, "that request is not a node's");
            OC_AUTO_FREE char *command =
                    oc_paste("openclaw devices approve", "openclaw devices approve %s", id);
            cli_set_fix(cli, "if you trust the device: %s", command);
        }
    }
    return cli_fail(cli, &err);
}

/* None was named, or only by the beginning of its id: show what waits, and get a clear yes. */
static enum oc_code get_consent(struct cli_cli *cli, const struct cli_waiting_request *items,
        size_t count, bool all, struct oc_error *err) {
    for (size_t i = 0; i < count; i++) {
        cli_waiting_print_one(&items[i]);
    }
    OC_AUTO_FREE char *command =
            all ? oc_strdup("openclaw nodes approve --all --yes")
                : oc_paste(CLI_SEE_PENDING, "openclaw nodes approve %s --yes", items[0].id);
    if (count > 1 && !all) {
        cli_set_fix(cli,
                "openclaw nodes approve <request>, or all of them: openclaw nodes approve --all");
        return oc_fail(err, OC_E_INVALID, "several requests wait, name one");
    }
    if (cli_args_has(&cli->args, "yes")) {
        return OC_OK;
    }
    if (!cli_can_ask()) {
        cli_set_fix(cli, "%s", command);
        return oc_fail(err, OC_E_DENIED, "not approved: there is no terminal to ask on");
    }
    if (!cli_ask(count == 1 ? "Approve it?" : "Approve all of them?")) {
        return oc_fail(err, OC_E_CANCELLED, "nothing was approved");
    }
    return OC_OK;
}

static int approve_chosen(
        struct cli_cli *cli, const struct cli_waiting_request *items, size_t count, bool as_list) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *results = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        if (approve_request(cli, &items[i], results, &err) != OC_OK) {
            return cli_fail(cli, &err);
        }
    }
    return nodes_approve_finish(cli, results, as_list);
}

static int nodes_approve_run(struct cli_cli *cli) {
    struct oc_error err;
    CLI_AUTO_WAITING struct cli_waiting waiting = { 0 };
    const char *id = cli->args.rest.count > 0 ? cli->args.rest.items[0] : NULL;
    bool all = cli_args_has(&cli->args, "all");
    if (id && all) {
        return cli_usage(cli, "give a request or --all, not both");
    }
    if (cli_waiting_load(cli, &waiting, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (id) {
        const struct cli_waiting_request *r = cli_waiting_find(&waiting, id);
        if (!r) {
            return fail_unknown(cli, &waiting, id);
        }
        bool is_whole = oc_streq(r->id, id);
        if (is_whole && !cli->is_json) {
            cli_waiting_print_change(r);
        }
        bool is_sure = is_whole || get_consent(cli, r, 1, false, &err) == OC_OK;
        return is_sure ? approve_chosen(cli, r, 1, false) : cli_fail(cli, &err);
    }
    if (waiting.count == 0) {
        if (all) {
            OC_AUTO_JSON cJSON *none = cJSON_CreateArray();
            cli_note("No pending pairing waiting.");
            return nodes_approve_finish(cli, none, true);
        }
        oc_fail(&err, OC_E_NOT_FOUND, "no pending pairing requests");
        cli_set_fix(cli, "start the node first: openclaw node run");
        return cli_fail(cli, &err);
    }
    if (get_consent(cli, waiting.items, waiting.count, all, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return approve_chosen(cli, waiting.items, waiting.count, all);
}

static const struct cli_option options[] = {
    { "yes", 'y', CLI_OPT_FLAG, NULL, "do not ask" },
    { "all", 0, CLI_OPT_FLAG, NULL, "approve everything that waits" },
    { 0 },
};

const struct cli_command cli_command_nodes_approve = {
    .path = "nodes approve",
    .summary = "Let a node in and open its commands",
    .operands = "[request]",
    .details = "Without a request: shows what waits and, when it is only one, asks whether to "
               "approve it.\n"
               "The beginning of its id will do; it is then shown, and asked about, first.\n"
               "One approval opens both gates, device pairing and node commands.",
    .examples = "openclaw nodes approve\n"
                "openclaw nodes approve 7c1b9e",
    .options = options,
    .calls_gateway = true,
    .max_operands = 1,
    .run = nodes_approve_run,
};
