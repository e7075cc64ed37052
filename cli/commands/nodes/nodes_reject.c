/* openclaw nodes reject: turns a request away, whichever gate it waits at. */
#include "cli/command.h"

#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

static int run(struct oc_cli *cli) {
    struct oc_error err;
    const char *id = cli->args.rest.items[0];
    OC_AUTO_WAITING struct oc_waiting requests = { 0 };
    if (oc_waiting_load(cli, &requests, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    const struct oc_waiting_request *r = oc_waiting_find(&requests, id);
    OC_AUTO_JSON cJSON *payload = NULL;
    const char *method = r && r->by_device_method ? "device.pair.reject" : "node.pair.reject";
    if (oc_cli_call_tree(cli, method, oc_params_str("requestId", id), &payload, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        oc_out_json(payload);
        return OC_EXIT_OK;
    }
    OC_AUTO_FREE char *name = oc_shown(r ? oc_node_label(r->doc) : oc_node_label(payload));
    oc_out_line("Rejected %s", name);
    return OC_EXIT_OK;
}

const struct oc_cli_command oc_cli_nodes_reject = {
    .path = "nodes reject",
    .summary = "Turn a node's request away",
    .operands = "<request>",
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
