/* openclaw approvals get, set, allowlist: exec-approvals.json of this machine, or from afar of a
 * node (--node) or of the gateway (--gateway).
 *
 * Every change is get, then set with the hash of what was seen: nobody's change is lost in
 * between. */
#include "cli/command.h"

#include "cli/approvals/allowlist_pattern.h"
#include "cli/approvals/approvals_effective.h"
#include "cli/approvals/approvals_target.h"
#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/text.h"
#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/limits.h"
#include "lib/state/exec_approvals.h"
#include "lib/text/paste.h"

#include <unistd.h>

/* "(deny)": the file does not say it here, and it holds all the same. */
static char *rule_shown(const cJSON *rules, const cJSON *effective, const char *key) {
    const char *said = oc_json_get_str(rules, key), *holds = oc_json_get_str(effective, key);
    return said || !holds ? cli_shown(said) : oc_strfmt("(%s)", holds);
}

static void add_row(struct cli_table *t, const struct cli_approvals_target *target, const char *who,
        const cJSON *rules, const cJSON *entry) {
    OC_AUTO_JSON cJSON *effective =
            who && target->path ? cli_approvals_effective(target->path, who) : NULL;
    OC_AUTO_FREE char *name = cli_shown(who);
    OC_AUTO_FREE char *security = rule_shown(rules, effective, "security");
    OC_AUTO_FREE char *ask = rule_shown(rules, effective, "ask");
    OC_AUTO_FREE char *program = cli_shown(oc_json_get_str(entry, "pattern"));
    char used[24] = "";
    cli_age(oc_wall_ms(&oc_clock_system), oc_json_get_ms(entry, "lastUsedAt", 0), used);
    cli_table_add(t, name);
    cli_table_add(t, security);
    cli_table_add(t, ask);
    cli_table_add(t, program);
    cli_table_add(t, used);
}

static int approvals_file_show(const struct cli_cli *cli, const struct cli_approvals_target *target,
        const cJSON *snapshot) {
    if (cli->is_json) {
        cli_out_json(snapshot);
        return CLI_EXIT_OK;
    }
    static const struct cli_column columns[] = {
        { "Agent", CLI_COLUMN_NAME, 0 },
        { "Security", CLI_COLUMN_TEXT, 0 },
        { "Ask", CLI_COLUMN_TEXT, 0 },
        { "Program", CLI_COLUMN_WHOLE, 0 },
        { "Last used", CLI_COLUMN_FIXED, 1 },
    };
    OC_AUTO_FREE char *path = cli_shown(oc_json_get_str(snapshot, "path"));
    const cJSON *file = oc_json_get(snapshot, "file"), *agent, *item;
    cli_out_line(
            "%s%s", path, oc_json_get_bool(snapshot, "exists", true) ? "" : " (does not exist)");
    __attribute__((cleanup(cli_auto_table))) struct cli_table *t =
            cli_table_create_of(columns, OC_COUNT(columns));
    add_row(t, target, "(defaults)", oc_json_get(file, "defaults"), NULL);
    oc_json_for_each_member(agent, oc_json_get(file, "agents")) {
        add_row(t, target, agent->string, agent, NULL);
        cJSON_ArrayForEach(item, oc_json_get(agent, "allowlist")) {
            add_row(t, target, NULL, NULL, item);
        }
    }
    cli_out_table(t);
    if (target->place != CLI_APPROVALS_LOCAL &&
            !oc_json_get(oc_json_get(file, "defaults"), "security")) {
        cli_note("Where it is silent, tools.exec in openclaw.json of that machine decides; a node "
                 "of "
                 "ours runs nothing without either.");
    }
    return CLI_EXIT_OK;
}

static int run_get(struct cli_cli *cli) {
    struct oc_error err;
    CLI_AUTO_APPROVALS_TARGET struct cli_approvals_target target = { 0 };
    OC_AUTO_JSON cJSON *snapshot = NULL;
    if (cli_approvals_file_find(cli, &target, &err) != OC_OK ||
            cli_approvals_file_fetch(cli, &target, &snapshot, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return approvals_file_show(cli, &target, snapshot);
}

/* The words of the protocol's schema are for programs. */
static enum oc_code check_wanted(struct cli_cli *cli, const cJSON *file, struct oc_error *err) {
    if (!cJSON_IsObject(file)) {
        cli_set_fix(cli, "write it as openclaw approvals get --json shows it, under file");
        return oc_fail(err, OC_E_INVALID, "must be one object { … }");
    }
    if (oc_json_get_int(file, "version", 1, 1, 0) != 1) {
        return oc_fail(err, OC_E_INVALID, "%s; write \"version\": 1",
                oc_json_get(file, "version") ? "version is one that is not known here"
                                             : "version is missing");
    }
    return oc_exec_approvals_check(file, "", err);
}

static enum oc_code read_wanted(struct cli_cli *cli, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_MAX_STATE_FILE_BYTES);
    const char *path = cli_args_text(&cli->args, "file");
    enum oc_code rc = path ? oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, err)
                           : oc_buf_read_fd(&text, STDIN_FILENO, err);
    OC_AUTO_JSON cJSON *file = NULL;
    const char *source = path ? path : "standard input";
    if (rc == OC_OK) {
        rc = oc_json5_parse(text.data ? text.data : "", text.len, &file, err);
        rc = rc == OC_OK ? check_wanted(cli, file, err) : rc;
        if (rc != OC_OK) {
            oc_error_prefix(err, "%s", source);
        }
    }
    if (rc == OC_OK) {
        *ret = oc_take(&file);
    }
    return rc;
}

static cJSON *put_wanted(void *user, cJSON *take_file) {
    cJSON_Delete(take_file);
    return cJSON_Duplicate(user, true);
}

static int run_set(struct cli_cli *cli) {
    struct oc_error err;
    if (!cli_args_has(&cli->args, "file") && !cli_args_has(&cli->args, "stdin")) {
        return cli_usage(cli, "--file or --stdin is needed");
    }
    CLI_AUTO_APPROVALS_TARGET struct cli_approvals_target target = { 0 };
    OC_AUTO_JSON cJSON *wanted = NULL, *snapshot = NULL;
    if (read_wanted(cli, &wanted, &err) != OC_OK ||
            cli_approvals_file_find(cli, &target, &err) != OC_OK ||
            cli_approvals_file_change(cli, &target, put_wanted, wanted, &snapshot, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return approvals_file_show(cli, &target, snapshot);
}

/* The list of an agent in the file, made when missing. */
static cJSON *list_of(cJSON *file, const char *agent_id) {
    cJSON *agents = cJSON_GetObjectItemCaseSensitive(file, "agents");
    agents = agents ? agents : cJSON_AddObjectToObject(file, "agents");
    cJSON *agent = cJSON_GetObjectItemCaseSensitive(agents, agent_id);
    agent = agent ? agent : cJSON_AddObjectToObject(agents, agent_id);
    cJSON *list = cJSON_GetObjectItemCaseSensitive(agent, "allowlist");
    return list ? list : cJSON_AddArrayToObject(agent, "allowlist");
}

static cJSON *find_pattern(const cJSON *list, const char *pattern) {
    cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (oc_streq(oc_json_get_str(item, "pattern"), pattern)) {
            return item;
        }
    }
    return NULL;
}

static bool says_security(const cJSON *file) {
    const cJSON *agent = NULL;
    oc_json_for_each_member(agent, oc_json_get(file, "agents")) {
        if (oc_json_get(agent, "security")) {
            return true;
        }
    }
    return oc_json_get(oc_json_get(file, "defaults"), "security") != NULL;
}

/* Whether the machine runs nothing at all now: a node as far as our gateway knows, this one when
 * nothing is said, or deny. */
static bool runs_nothing(
        struct cli_cli *cli, const struct cli_approvals_target *t, const cJSON *file) {
    const char *node_id = t->node_id;
    if (t->place == CLI_APPROVALS_LOCAL) {
        const char *said = oc_json_get_str(oc_json_get(file, "defaults"), "security");
        return !says_security(file) || oc_streq(said, "deny");
    }
    OC_AUTO_JSON cJSON *node = NULL;
    struct oc_error ignored;
    return node_id &&
           cli_call_tree(cli, "node.describe", cli_params_str("nodeId", node_id), &node,
                   &ignored) == OC_OK &&
           !oc_json_get_bool(oc_json_get(oc_json_get(node, "gates"), "system.run"), "local", true);
}

struct list_change {
    struct cli_cli *cli;
    const struct cli_approvals_target *target;
    const char *agent, *pattern;
    bool is_add, has_told;
    char **elsewhere; /* gets another agent whose list has it, when this one's has not */
};

/* "Always" goes to the agent that asked, not to everybody's list. Caller frees; NULL: no list has
 * it. */
static char *agent_with(const cJSON *file, const char *pattern) {
    const cJSON *agent;
    oc_json_for_each_member(agent, oc_json_get(file, "agents")) {
        if (find_pattern(oc_json_get(agent, "allowlist"), pattern)) {
            return oc_strdup(agent->string);
        }
    }
    return NULL;
}

/* A list has no effect on a node that runs nothing. Where nobody ever said so, whoever adds to it
 * means it; a deny that somebody wrote stays until it is taken back in as many words. */
static void make_list_count(struct list_change *c, cJSON *file) {
    const char *node_id = c->target->node_id;
    if (!runs_nothing(c->cli, c->target, file)) {
        return;
    }
    bool is_new = !says_security(file), has_told = c->has_told;
    c->has_told = true;
    if (is_new) {
        cJSON *defaults = cJSON_GetObjectItemCaseSensitive(file, "defaults");
        defaults = defaults ? defaults : cJSON_AddObjectToObject(file, "defaults");
        oc_json_set_str(defaults, "security", "allowlist");
    }
    if (has_told) {
        return;
    }
    if (is_new) {
        cli_note("It ran nothing until now; its security is allowlist from here on.");
    } else {
        OC_AUTO_FREE char *place = cli_approvals_place_of_node(node_id);
        cli_note("It still runs nothing: its exec approvals say security deny.\n"
                 "  fix: openclaw approvals security allowlist%s",
                place);
    }
}

static cJSON *change_list(void *user, cJSON *take_file) {
    struct list_change *c = user;
    cJSON *list = list_of(take_file, c->agent);
    cJSON *there = find_pattern(list, c->pattern);
    if (c->is_add == (there != NULL)) {
        oc_free(*c->elsewhere);
        *c->elsewhere = c->is_add ? NULL : agent_with(take_file, c->pattern);
        cJSON_Delete(take_file);
        return NULL;
    }
    if (c->is_add) {
        cJSON_AddItemToArray(list, cli_params_str("pattern", c->pattern));
        make_list_count(c, take_file);
    } else {
        cJSON_Delete(cJSON_DetachItemViaPointer(list, there));
    }
    return take_file;
}

/* As it was given; else, as adding would have, the real path of the program. */
static enum oc_code remove_pattern(struct list_change *c, cJSON **ret, struct oc_error *err) {
    enum oc_code rc = cli_approvals_file_change(c->cli, c->target, change_list, c, ret, err);
    if (rc != OC_OK || *ret || *c->elsewhere) {
        return rc;
    }
    OC_AUTO_FREE char *real = cli_allowlist_real(c->cli, c->target, c->pattern);
    const char *given = c->pattern;
    if (real && !oc_streq(real, given)) {
        c->pattern = real;
        rc = cli_approvals_file_change(c->cli, c->target, change_list, c, ret, err);
        c->pattern = given;
    }
    return rc;
}

static int fail_to_remove(const struct list_change *c) {
    struct oc_error err;
    const struct cli_approvals_target *t = c->target;
    OC_AUTO_FREE char *place = cli_approvals_place_of(t);
    OC_AUTO_FREE char *pattern = cli_shown(c->pattern), *agent = cli_shown(c->agent);
    OC_AUTO_FREE char *other = cli_shown(*c->elsewhere);
    if (*c->elsewhere) {
        OC_AUTO_FREE char *command = oc_paste(
                "openclaw approvals allowlist remove <pattern> --agent <agent>",
                "openclaw approvals allowlist remove %s --agent %s", c->pattern, *c->elsewhere);
        cli_set_fix(c->cli, "%s%s", command, place);
        (void)oc_fail(&err, OC_E_NOT_FOUND,
                "Pattern not found: %s is not on the list of agent %s, but on that of %s.", pattern,
                agent, other);
    } else {
        cli_set_fix(c->cli, "openclaw approvals get%s", place);
        (void)oc_fail(&err, OC_E_NOT_FOUND, "Pattern not found: no list has %s.", pattern);
    }
    return cli_fail(c->cli, &err);
}

static int run_allowlist(struct cli_cli *cli) {
    struct oc_error err;
    const char *verb = cli->args.rest.items[0], *agent = cli_args_text(&cli->args, "agent");
    bool is_add = oc_streq(verb, "add");
    if (!is_add && !oc_streq(verb, "remove")) {
        return cli_usage(cli, "add or remove is needed, not %s", verb);
    }
    CLI_AUTO_APPROVALS_TARGET struct cli_approvals_target target = { 0 };
    OC_AUTO_FREE char *pattern = oc_strdup(cli->args.rest.items[1]), *elsewhere = NULL;
    OC_AUTO_JSON cJSON *snapshot = NULL;
    enum oc_code rc = cli_approvals_file_find(cli, &target, &err);
    if (rc == OC_OK && is_add) {
        rc = cli_allowlist_pattern(cli, &target, &pattern, &err);
    }
    struct list_change change = { .cli = cli,
        .target = &target,
        .agent = agent ? agent : "*",
        .pattern = pattern,
        .is_add = is_add,
        .elsewhere = &elsewhere };
    if (rc == OC_OK) {
        rc = is_add ? cli_approvals_file_change(cli, &target, change_list, &change, &snapshot, &err)
                    : remove_pattern(&change, &snapshot, &err);
    }
    if (rc != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (!snapshot && !is_add) {
        return fail_to_remove(&change);
    }
    if (!snapshot) {
        cli_note("Already allowlisted.");
        if (!cli->is_json) {
            return CLI_EXIT_OK;
        }
        if (cli_approvals_file_fetch(cli, &target, &snapshot, &err) != OC_OK) {
            return cli_fail(cli, &err);
        }
    }
    return approvals_file_show(cli, &target, snapshot);
}

static const struct cli_option get_options[] = { CLI_NODE_OPTION, CLI_APPROVALS_GATEWAY_OPTION,
    { 0 } };
static const struct cli_option set_options[] = {
    CLI_NODE_OPTION,
    CLI_APPROVALS_GATEWAY_OPTION,
    { "file", 0, CLI_OPT_TEXT, "path", "the new content" },
    { "stdin", 0, CLI_OPT_FLAG, NULL, "the new content comes on standard input" },
    { 0 },
};
static const struct cli_option allowlist_options[] = {
    CLI_NODE_OPTION,
    CLI_APPROVALS_GATEWAY_OPTION,
    { "agent", 0, CLI_OPT_TEXT, "id", "for this agent only (* unless given)" },
    { 0 },
};

const struct cli_command cli_command_approvals_get = {
    .path = "approvals get",
    .summary = "Which programs this machine allows, or a node, or the gateway",
    .examples = "openclaw approvals get\n"
                "openclaw approvals get --node workshop",
    .options = get_options,
    .calls_gateway = true,
    .run = run_get,
};

const struct cli_command cli_command_approvals_set = {
    .path = "approvals set",
    .summary = "Replace the exec approvals of this machine, of a node, or of the gateway",
    .examples = "openclaw approvals set --file exec-approvals.json",
    .options = set_options,
    .calls_gateway = true,
    .run = run_set,
};

const struct cli_command cli_command_approvals_allowlist = {
    .path = "approvals allowlist",
    .summary = "Allow one program on this machine, a node or the gateway, or no longer",
    .operands = "add|remove <path>",
    .examples = "openclaw approvals allowlist add /usr/bin/uname",
    .options = allowlist_options,
    .calls_gateway = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_allowlist,
};
