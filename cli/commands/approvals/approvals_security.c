/* openclaw approvals security, ask: whether a machine runs nothing, listed programs, or everything,
 * and when somebody is asked first (gate 4). */
#include "cli/command.h"

#include "cli/approvals/approvals_target.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

/* One of the two settings, and its words; NULL ends them. */
struct rule {
    const char *key, *words[4];
};
static const struct rule security = { "security", { "deny", "allowlist", "full" } };
static const struct rule ask = { "ask", { "off", "on-miss", "always" } };

static bool is_word(const struct rule *rule, const char *word) {
    for (size_t i = 0; rule->words[i]; i++) {
        if (oc_streq(word, rule->words[i])) {
            return true;
        }
    }
    return false;
}

/* What is written for one agent or for all of them would win over the defaults. */
static void set_rule(cJSON *file, const char *agent_id, const char *key, const char *value) {
    cJSON *agents = cJSON_GetObjectItemCaseSensitive(file, "agents");
    if (agent_id) {
        agents = agents ? agents : cJSON_AddObjectToObject(file, "agents");
        cJSON *agent = cJSON_GetObjectItemCaseSensitive(agents, agent_id);
        agent = agent ? agent : cJSON_AddObjectToObject(agents, agent_id);
        oc_json_set_str(agent, key, value);
        return;
    }
    cJSON *defaults = cJSON_GetObjectItemCaseSensitive(file, "defaults");
    defaults = defaults ? defaults : cJSON_AddObjectToObject(file, "defaults");
    oc_json_set_str(defaults, key, value);
    cJSON *agent = NULL;
    cJSON_ArrayForEach(agent, agents) {
        if (oc_json_get(agent, key)) {
            oc_json_set_str(agent, key, value);
        }
    }
}

struct wish {
    const char *agent_id, *key, *value;
};

static cJSON *approvals_security_edit(void *user, cJSON *take_file) {
    const struct wish *w = user;
    set_rule(take_file, w->agent_id, w->key, w->value);
    return take_file;
}

static int approvals_security_change(struct cli_cli *cli, const struct rule *rule) {
    struct oc_error err;
    const char *value = cli->args.rest.items[0];
    if (!is_word(rule, value)) {
        return cli_usage(cli, "%s, %s or %s is needed, not %s", rule->words[0], rule->words[1],
                rule->words[2], value);
    }
    CLI_AUTO_APPROVALS_TARGET struct cli_approvals_target target = { 0 };
    OC_AUTO_JSON cJSON *now = NULL;
    struct wish wish = { cli_args_text(&cli->args, "agent"), rule->key, value };
    if (cli_approvals_file_find(cli, &target, &err) != OC_OK ||
            cli_approvals_file_change(cli, &target, approvals_security_edit, &wish, &now, &err) !=
                    OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(now);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *path = cli_shown(oc_json_get_str(now, "path"));
    cli_out_line("%s: %s is %s now", path, rule->key, value);
    if (oc_streq(value, "allowlist")) {
        OC_AUTO_FREE char *place = cli_approvals_place_of_node(target.node_id);
        cli_out_line("Programs are added with: openclaw approvals allowlist add <path>%s", place);
    }
    return CLI_EXIT_OK;
}

static int run_security(struct cli_cli *cli) {
    return approvals_security_change(cli, &security);
}

static int run_ask(struct cli_cli *cli) {
    return approvals_security_change(cli, &ask);
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    CLI_APPROVALS_GATEWAY_OPTION,
    { "agent", 0, CLI_OPT_TEXT, "id", "for this agent only (all of them unless given)" },
    { 0 },
};

const struct cli_command cli_command_approvals_security = {
    .path = "approvals security",
    .summary = "Whether this machine, a node or the gateway runs nothing, listed programs, or all",
    .operands = "deny|allowlist|full",
    .examples = "openclaw approvals security allowlist",
    .options = options,
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_security,
};

const struct cli_command cli_command_approvals_ask = {
    .path = "approvals ask",
    .summary = "When this machine, a node or the gateway wants somebody to allow a command first",
    .operands = "off|on-miss|always",
    .details = "off: never; what is not on the list does not run. on-miss: for what is not on the "
               "list. always: for every\n"
               "command. With security full, off and on-miss let everything run; with deny nothing "
               "runs.",
    .examples = "openclaw approvals ask on-miss",
    .options = options,
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_ask,
};
