/* openclaw nodes pending: what waits for a decision, at either gate. */
#include "cli/command.h"

#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/text/paste.h"

static int nodes_pending_run(struct cli_cli *cli) {
    struct oc_error err;
    CLI_AUTO_WAITING struct cli_waiting requests = { 0 };
    if (cli_waiting_load(cli, &requests, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *array = cli_waiting_json(&requests);
        cli_out_json(array);
        return CLI_EXIT_OK;
    }
    if (requests.count == 0) {
        cli_out_line("No pending pairing requests.");
        return CLI_EXIT_OK;
    }
    cli_out_heading("Pending");
    cli_waiting_print_table(&requests);
    OC_AUTO_FREE char *one =
            oc_paste(CLI_SEE_PENDING, "openclaw nodes approve %s", requests.items[0].id);
    cli_out_line(
            "Approve with: %s", requests.count == 1 ? one : "openclaw nodes approve <request>");
    cli_nodes_remind(cli);
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_nodes_pending = {
    .path = "nodes pending",
    .summary = "Requests of nodes that wait for approval",
    .examples = "openclaw nodes pending",
    .calls_gateway = true,
    .run = nodes_pending_run,
};
