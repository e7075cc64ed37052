/* openclaw approvals pending, resolve: commands that wait until somebody allows them. */
#include "cli/command.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/text.h"

#include <string.h>

static int run_pending(struct oc_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL;
    if (oc_cli_call_tree(cli, "exec.approval.list", cJSON_CreateObject(), &list, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        oc_out_json(list);
        return OC_EXIT_OK;
    }
    if (cJSON_GetArraySize(list) == 0) {
        oc_out_line("No pending approvals.");
        return OC_EXIT_OK;
    }
    static const char *const headers[] = { "#Approval", "Command", "Node", "Asked" };
    __attribute__((cleanup(oc_auto_table))) struct oc_table *t =
            oc_table_create(headers, OC_COUNT(headers));
    const cJSON *a;
    cJSON_ArrayForEach(a, list) {
        const cJSON *request = oc_json_get(a, "request");
        OC_AUTO_FREE char *id = oc_shown(oc_json_get_str(a, "id"));
        OC_AUTO_FREE char *command = oc_shown(oc_json_get_str(request, "command"));
        OC_AUTO_FREE char *node = oc_shown(oc_json_get_str(request, "nodeId"));
        char age[24];
        oc_age(oc_wall_ms(&oc_clock_system), oc_json_get_int(a, "createdAtMs", 0), age);
        node[strlen(node) > 12 ? 12 : strlen(node)] = '\0';
        oc_table_add(t, id);
        oc_table_add(t, command);
        oc_table_add(t, node);
        oc_table_add(t, age);
    }
    oc_out_table(t);
    oc_out_line("Decide with: openclaw approvals resolve <approval> allow-once|allow-always|deny");
    return OC_EXIT_OK;
}

static int run_resolve(struct oc_cli *cli) {
    struct oc_error err;
    const char *id = cli->args.rest.items[0], *decision = cli->args.rest.items[1];
    cJSON *params = oc_params_str("id", id);
    oc_json_set_str(params, "decision", decision);
    OC_AUTO_JSON cJSON *payload = NULL;
    if (oc_cli_call_tree(cli, "exec.approval.resolve", params, &payload, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        oc_out_json(payload);
        return OC_EXIT_OK;
    }
    OC_AUTO_FREE char *shown = oc_shown(id);
    oc_out_line("Approval %s resolved %s", shown, decision);
    return OC_EXIT_OK;
}

const struct oc_cli_command oc_cli_approvals_pending = {
    .path = "approvals pending",
    .summary = "Commands that wait for somebody to allow them",
    .calls_gateway = true,
    .run = run_pending,
};

const struct oc_cli_command oc_cli_approvals_resolve = {
    .path = "approvals resolve",
    .summary = "Allow a command that waits, or turn it away",
    .operands = "<approval> allow-once|allow-always|deny",
    .calls_gateway = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_resolve,
};
