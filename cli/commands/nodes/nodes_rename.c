/* openclaw nodes rename: the owner's name for a node. */
#include "cli/command.h"

#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

static int run(struct oc_cli *cli) {
    struct oc_error err;
    const char *name = oc_args_text(&cli->args, "name");
    if (!oc_args_has(&cli->args, "node") || oc_str_blank(name)) {
        return oc_cli_usage(cli, "--node and --name are needed");
    }
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *node;
    if (oc_cli_find_node(cli, &list, &node, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    const char *id = oc_json_get_str(node, "nodeId");
    cJSON *params = oc_params_str("nodeId", id);
    oc_json_set_str(params, "displayName", name);
    OC_AUTO_JSON cJSON *payload = NULL;
    if (oc_cli_call_tree(cli, "node.rename", params, &payload, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        oc_out_json(payload);
        return OC_EXIT_OK;
    }
    OC_AUTO_FREE char *shown_id = oc_shown(id);
    OC_AUTO_FREE char *shown_name = oc_shown(name);
    oc_out_line("node rename ok: %s -> %s", shown_id, shown_name);
    return OC_EXIT_OK;
}

static const struct oc_option options[] = {
    OC_NODE_OPTION,
    { "name", 0, OC_OPT_TEXT, "name", "its new name" },
    { 0 },
};

const struct oc_cli_command oc_cli_nodes_rename = {
    .path = "nodes rename",
    .summary = "Give a node another name",
    .options = options,
    .calls_gateway = true,
    .run = run,
};
