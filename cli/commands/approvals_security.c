/* openclaw approvals security: whether a machine runs nothing, listed programs, or everything (gate 4). */
#include "cli/command.h"

#include "base/mem.h"
#include "cli/approvals_target.h"
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

struct wish {
    const char *agent_id, *value;
};

static cJSON *edit(void *user, cJSON *take_file) {
    const struct wish *w = user;
    set_security(take_file, w->agent_id, w->value);
    return take_file;
}

static int run(struct oc_cli *cli) {
    struct oc_error err;
    const char *value = cli->args.rest.items[0];
    if (!is_security(value)) {
        return oc_cli_usage(cli, "deny, allowlist or full is needed, not %s", value);
    }
    OC_AUTO_APPROVALS_TARGET struct oc_approvals_target target = { 0 };
    OC_AUTO_JSON cJSON *now = NULL;
    struct wish wish = { oc_args_text(&cli->args, "agent"), value };
    if (oc_approvals_file_find(cli, &target, &err) != OC_OK ||
            oc_approvals_file_change(cli, &target, edit, &wish, &now, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        oc_out_json(now);
        return OC_EXIT_OK;
    }
    OC_AUTO_FREE char *path = oc_shown(oc_json_get_str(now, "path"));
    oc_out_line("%s: security is %s now", path, value);
    if (oc_streq(value, "allowlist")) {
        const char *id = target.node_id;
        oc_out_line("Programs are added with: openclaw approvals allowlist add <path>%s%.12s",
                id ? " --node " : "", id ? id : "");
    }
    return OC_EXIT_OK;
}

static const struct oc_option options[] = {
    OC_NODE_OPTION,
    OC_APPROVALS_GATEWAY_OPTION,
    { "agent", 0, OC_OPT_TEXT, "id", "for this agent only (all of them unless given)" },
    { 0 },
};

const struct oc_cli_command oc_cli_approvals_security = {
    .path = "approvals security",
    .summary = "Whether this machine, a node or the gateway runs nothing, listed programs, or all",
    .operands = "deny|allowlist|full",
    .options = options,
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
