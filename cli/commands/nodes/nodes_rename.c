/* openclaw nodes rename: the owner's name for a node. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

static int nodes_rename_run(struct cli_cli *cli) {
    struct oc_error err;
    int code = cli_node_word(cli, 0, cli_args_has(&cli->args, "name") ? 0 : 1);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli->args.rest.count > 0) {
        cli_args_word_as(&cli->args, 0, "name");
    }
    const char *name = cli_args_text(&cli->args, "name");
    if (!cli_args_has(&cli->args, "node") || oc_str_blank(name)) {
        return cli_usage(cli, "say which node, and its new name");
    }
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *node;
    if (cli_find_node(cli, &list, &node, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    const char *id = oc_json_get_str(node, "nodeId");
    cJSON *params = cli_params_str("nodeId", id);
    oc_json_set_str(params, "displayName", name);
    OC_AUTO_JSON cJSON *payload = NULL;
    if (cli_call_tree(cli, "node.rename", params, &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *shown_id = cli_shown(id);
    OC_AUTO_FREE char *shown_name = cli_shown(name);
    cli_out_line("node rename ok: %s -> %s", shown_id, shown_name);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "name", 0, CLI_OPT_TEXT, "name", "its new name" },
    { 0 },
};

const struct cli_command cli_command_nodes_rename = {
    .path = "nodes rename",
    .summary = "Give a node another name",
    .operands = "[node] [name]",
    .examples = "openclaw nodes rename workshop \"Work shop\"",
    .options = options,
    .calls_gateway = true,
    .max_operands = 2,
    .run = nodes_rename_run,
};
