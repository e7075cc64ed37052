/* openclaw nodes remove: forgets a node that is not coming back. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

/* Gateways older than node.pair.remove only know the device. */
static enum oc_code remove_node(
        struct cli_cli *cli, const char *id, cJSON **ret, struct oc_error *err) {
    enum oc_code rc =
            cli_call_tree(cli, "node.pair.remove", cli_params_str("nodeId", id), ret, err);
    if (rc != OC_OK && (err->grounds.cause == OC_CAUSE_UNKNOWN_METHOD ||
                               err->grounds.cause == OC_CAUSE_UNKNOWN_NODE)) {
        rc = cli_call_tree(cli, "device.pair.remove", cli_params_str("deviceId", id), ret, err);
    }
    return rc;
}

static int nodes_remove_run(struct cli_cli *cli) {
    struct oc_error err;
    int code = cli_node_word(cli, 0, 0);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (!cli_args_has(&cli->args, "node")) {
        return cli_usage(cli, "say which node");
    }
    OC_AUTO_JSON cJSON *list = NULL, *payload = NULL;
    const cJSON *node;
    if (cli_find_node(cli, &list, &node, &err) != OC_OK ||
            remove_node(cli, oc_json_get_str(node, "nodeId"), &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *name = cli_shown(cli_node_label(node));
    OC_AUTO_FREE char *id = cli_shown(oc_json_get_str(node, "nodeId"));
    cli_out_line("Removed %s (%s)", name, id);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { 0 },
};

const struct cli_command cli_command_nodes_remove = {
    .path = "nodes remove",
    .summary = "Forget a node; it has to be approved again",
    .operands = "[node]",
    .examples = "openclaw nodes remove workshop",
    .options = options,
    .calls_gateway = true,
    .max_operands = 1,
    .run = nodes_remove_run,
};
