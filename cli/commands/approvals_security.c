/* openclaw approvals security: whether a machine runs nothing, listed programs, or everything (gate 4), from afar. */
#include "cli/command.h"

#include "base/mem.h"
#include "cli/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"

static bool is_security(const char *word) {
    return oc_streq(word, "deny") || oc_streq(word, "allowlist") || oc_streq(word, "full");
}

/* What is written for one agent or for all of them would win over the defaults. */
static void set_security(cJSON *file, const char *agent_id, const char *value) {
    cJSON *agents = cJSON_GetObjectItemCaseSensitive(file, "agents");
    if (agent_id) {
        agents = agents ? agents : cJSON_AddObjectToObject(file, "agents");
        cJSON *agent = cJSON_GetObjectItemCaseSensitive(agents, agent_id);
        agent = agent ? agent : cJSON_AddObjectToObject(agents, agent_id);
        oc_json_set_str(agent, "security", value);
        return;
    }
    cJSON *defaults = cJSON_GetObjectItemCaseSensitive(file, "defaults");
    defaults = defaults ? defaults : cJSON_AddObjectToObject(file, "defaults");
    oc_json_set_str(defaults, "security", value);
    cJSON *agent = NULL;
    cJSON_ArrayForEach(agent, agents) {
        if (oc_json_get(agent, "security")) {
            oc_json_set_str(agent, "security", value);
        }
    }
}

static int run(struct oc_cli *cli) {
    struct oc_error err;
    const char *value = cli->args.rest.items[0];
    if (!is_security(value)) {
        return oc_cli_usage(cli, "deny, allowlist or full is needed, not %s", value);
    }
    OC_AUTO_JSON cJSON *list = NULL, *seen = NULL, *now = NULL;
    const cJSON *node = NULL;
    if (oc_args_has(&cli->args, "node") && oc_cli_find_node(cli, &list, &node, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    const char *id = oc_json_get_str(node, "nodeId");
    if (oc_cli_call_tree(cli, id ? "exec.approvals.node.get" : "exec.approvals.get",
                id ? oc_params_str("nodeId", id) : cJSON_CreateObject(), &seen, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    cJSON *file = cJSON_DetachItemFromObjectCaseSensitive(seen, "file");
    set_security(file, oc_args_text(&cli->args, "agent"), value);
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "nodeId", id);
    oc_json_set(params, "file", file);
    oc_json_set_str(params, "baseHash", oc_json_get_str(seen, "hash"));
    if (oc_cli_call_tree(cli, id ? "exec.approvals.node.set" : "exec.approvals.set", params, &now,
                &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        oc_out_json(now);
        return OC_EXIT_OK;
    }
    OC_AUTO_FREE char *path = oc_shown(oc_json_get_str(now, "path"));
    oc_out_line("%s: security is %s now", path, value);
    if (oc_streq(value, "allowlist") && id) {
        OC_AUTO_FREE char *shown = oc_shown(id);
        oc_out_line("Programs are added with: openclaw approvals allowlist add <path> --node %.12s",
                shown);
    }
    return OC_EXIT_OK;
}

static const struct oc_option options[] = {
    OC_NODE_OPTION,
    { "agent", 0, OC_OPT_TEXT, "id", "for this agent only (all of them unless given)" },
    { 0 },
};

const struct oc_cli_command oc_cli_approvals_security = {
    .path = "approvals security",
    .summary = "Whether a node (or the gateway) runs nothing, listed programs, or everything",
    .operands = "deny|allowlist|full",
    .options = options,
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
