/* openclaw nodes pending: what waits for a decision, at either gate. */
#include "cli/command.h"

#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/text/paste.h"

static int run(struct oc_cli *cli) {
    struct oc_error err;
    OC_AUTO_WAITING struct oc_waiting requests = { 0 };
    if (oc_waiting_load(cli, &requests, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *array = oc_waiting_json(&requests);
        oc_out_json(array);
        return OC_EXIT_OK;
    }
    if (requests.count == 0) {
        oc_out_line("No pending pairing requests.");
        return OC_EXIT_OK;
    }
    oc_out_heading("Pending");
    oc_waiting_print_table(&requests);
    OC_AUTO_FREE char *one =
            oc_paste(OC_SEE_PENDING, "openclaw nodes approve %s", requests.items[0].id);
    oc_out_line("Approve with: %s", requests.count == 1 ? one : "openclaw nodes approve <request>");
    oc_nodes_remind(cli);
    return OC_EXIT_OK;
}

const struct oc_cli_command oc_cli_nodes_pending = {
    .path = "nodes pending",
    .summary = "Requests of nodes that wait for approval",
    .calls_gateway = true,
    .run = run,
};
