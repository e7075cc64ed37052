/* openclaw gateway|node start, stop, restart, uninstall: the service that install made. */
#include "cli/command.h"

#include "cli/output.h"
#include "cli/service/service.h"
#include "cli/service/service_remove.h"
#include "cli/service/systemctl.h"
#include "cli/service/unit_text.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"

#include <string.h>

/* "node" of "node stop". */
static const char *group_of(const struct cli_cli *cli) {
    return oc_starts_with(cli->command->path, "gateway ") ? "gateway" : "node";
}

static const char *verb_of(const struct cli_cli *cli) {
    return strchr(cli->command->path, ' ') + 1;
}

static int service_control_report(const struct cli_cli *cli, const struct cli_service *s,
        const char *result, const char *note) {
    OC_AUTO_JSON cJSON *state = cli_service_state(s);
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set_bool(doc, "ok", true);
        oc_json_set_str(doc, "action", verb_of(cli));
        oc_json_set_str(doc, "result", result);
        oc_json_set_str_or_null(doc, "hint", note);
        oc_json_set(doc, "service", oc_take(&state));
        cli_out_json(doc);
    } else {
        OC_AUTO_FREE char *summary = cli_service_summary(state);
        cli_out_line("%s: %s", s->unit, summary);
    }
    if (note) {
        cli_note("note: %s", note);
    }
    return CLI_EXIT_OK;
}

static enum oc_code check_installed(
        struct cli_cli *cli, const struct cli_service *s, struct oc_error *err) {
    int version = 0;
    if (!oc_file_exists(s->unit_path)) {
        cli_set_fix(cli, "openclaw %s install", s->group);
        return oc_fail(err, OC_E_NOT_FOUND, "the %s is not installed as a service: there is no %s",
                s->group, s->unit_path);
    }
    return cli_systemctl_reach(&version, err);
}

static int service_control_control(struct cli_cli *cli) {
    static const char *const past[][2] = { { "start", "started" }, { "stop", "stopped" },
        { "restart", "restarted" } };
    CLI_AUTO_SERVICE struct cli_service s;
    OC_AUTO_JSON cJSON *state = NULL;
    struct oc_error err;
    const char *verb = verb_of(cli), *result = verb;
    cli_service_init(&s, group_of(cli));
    enum oc_code rc = check_installed(cli, &s, &err);
    if (rc == OC_OK && cli_systemctl(verb, s.unit, &err) != OC_OK) {
        state = cli_service_state(&s);
        OC_AUTO_FREE char *summary = cli_service_summary(state);
        const char *said = oc_json_get_str(state, "statusText");
        cli_set_fix(cli, "%s -n 20", oc_json_get_str(state, "logs"));
        rc = oc_fail(&err, OC_E_UNAVAILABLE, "%s: %s%s%s", s.unit, summary, said ? ": " : "",
                said ? said : "");
    }
    if (rc != OC_OK) {
        return cli_fail(cli, &err);
    }
    for (size_t i = 0; i < OC_COUNT(past); i++) {
        result = strcmp(past[i][0], verb) == 0 ? past[i][1] : result;
    }
    return service_control_report(cli, &s, result, NULL);
}

static int service_control_uninstall(struct cli_cli *cli) {
    CLI_AUTO_SERVICE struct cli_service s;
    struct oc_error err;
    bool was_there = false;
    OC_AUTO_FREE char *note = NULL;
    cli_service_init(&s, group_of(cli));
    OC_AUTO_FREE char *text = cli_service_read(&s);
    if (text && !cli_unit_is_ours(text) && !cli_args_has(&cli->args, "force")) {
        cli_set_fix(cli, "openclaw %s uninstall --force", s.group);
        (void)oc_fail(&err, OC_E_DENIED, "%s is not from this program", s.unit_path);
        return cli_fail(cli, &err);
    }
    if (cli_service_remove(&s, &was_there, &note, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return service_control_report(cli, &s, was_there ? "uninstalled" : "not-installed", note);
}

static const struct cli_option json_option[] = {
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

static const struct cli_option uninstall_options[] = {
    { "force", 0, CLI_OPT_FLAG, NULL, "remove a unit that is not from this program" },
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

#define CONTROL(id, group, verb, text)                     \
    const struct cli_command cli_command_##id##_##verb = { \
        .path = group " " #verb,                           \
        .summary = (text),                                 \
        .examples = "openclaw " group " " #verb,           \
        .options = json_option,                            \
        .run = service_control_control,                    \
    }

#define UNINSTALL(id, group, text)                                                                 \
    const struct cli_command cli_command_##id##_uninstall = {                                      \
        .path = group " uninstall",                                                                \
        .summary = (text),                                                                         \
        .details = "Its unit, its link and its secrets go; settings, pairings and keys stay, as\n" \
                   "do drop-ins that you made with systemctl --user edit.",                        \
        .examples = "openclaw " group " uninstall",                                                \
        .options = uninstall_options,                                                              \
        .run = service_control_uninstall,                                                          \
    }

CONTROL(gateway, "gateway", start, "Start the service that gateway install made");
CONTROL(gateway, "gateway", stop, "Stop the service until the next login or gateway start");
CONTROL(gateway, "gateway", restart, "Stop the service and start it again");
UNINSTALL(gateway, "gateway", "Stop the gateway's service and remove it");
CONTROL(node, "node", start, "Start the service that node install made");
CONTROL(node, "node", stop, "Stop the service until the next login or node start");
CONTROL(node, "node", restart, "Stop the service and start it again");
UNINSTALL(node, "node", "Stop the node's service and remove it");
