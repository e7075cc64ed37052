/* openclaw nodes reject: turns a request away, whichever gate it waits at. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

static int nodes_reject_run(struct cli_cli *cli) {
    struct oc_error err;
    const char *id = cli->args.rest.items[0];
    CLI_AUTO_WAITING struct cli_waiting requests = { 0 };
    if (cli_waiting_load(cli, &requests, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    const struct cli_waiting_request *r = cli_waiting_find(&requests, id);
    OC_AUTO_JSON cJSON *payload = NULL;
    id = r ? r->id : id;
    const char *method = r && r->by_device_method ? "device.pair.reject" : "node.pair.reject";
    if (cli_call_tree(cli, method, cli_params_str("requestId", id), &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *name = cli_shown(r ? cli_node_label(r->doc) : cli_node_label(payload));
    cli_out_line("Rejected %s", name);
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_nodes_reject = {
    .path = "nodes reject",
    .summary = "Turn a node's request away",
    .operands = "<request>",
    .examples = "openclaw nodes reject 7c1b9e",
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = nodes_reject_run,
};
