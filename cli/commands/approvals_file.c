/* openclaw approvals get, set, allowlist: exec-approvals.json of this machine, or from afar of a node (--node) or of the
 * gateway (--gateway).
 *
 * Every change is get, then set with the hash of what was seen: nobody's change is lost in between. */
#include "cli/command.h"

#include "cli/approvals/allowlist_pattern.h"
#include "cli/approvals/approvals_effective.h"
#include "cli/approvals/approvals_target.h"
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
    return said || !holds ? oc_shown(said) : oc_strfmt("(%s)", holds);
}

static void add_row(struct oc_table *t, const struct oc_approvals_target *target, const char *who,
        const cJSON *rules, const cJSON *entry) {
    OC_AUTO_JSON cJSON *effective =
            who && target->path ? oc_approvals_effective(target->path, who) : NULL;
    OC_AUTO_FREE char *name = oc_shown(who);
    OC_AUTO_FREE char *security = rule_shown(rules, effective, "security");
    OC_AUTO_FREE char *ask = rule_shown(rules, effective, "ask");
    OC_AUTO_FREE char *program = oc_shown(oc_json_get_str(entry, "pattern"));
    char used[24] = "";
    oc_age(oc_wall_ms(&oc_clock_system), oc_json_get_ms(entry, "lastUsedAt", 0), used);
    oc_table_add(t, name);
    oc_table_add(t, security);
    oc_table_add(t, ask);
    oc_table_add(t, program);
    oc_table_add(t, used);
}

static int show(
        const struct oc_cli *cli, const struct oc_approvals_target *target, const cJSON *snapshot) {
    if (cli->is_json) {
        oc_out_json(snapshot);
        return OC_EXIT_OK;
    }
    static const char *const headers[] = { "Agent", "Security", "Ask", "Program", "Last used" };
    OC_AUTO_FREE char *path = oc_shown(oc_json_get_str(snapshot, "path"));
    const cJSON *file = oc_json_get(snapshot, "file"), *agent, *item;
    oc_out_line(
            "%s%s", path, oc_json_get_bool(snapshot, "exists", true) ? "" : " (does not exist)");
    __attribute__((cleanup(oc_auto_table))) struct oc_table *t =
            oc_table_create(headers, OC_COUNT(headers));
    add_row(t, target, "(defaults)", oc_json_get(file, "defaults"), NULL);
    oc_json_for_each_member(agent, oc_json_get(file, "agents")) {
        add_row(t, target, agent->string, agent, NULL);
        cJSON_ArrayForEach(item, oc_json_get(agent, "allowlist")) {
            add_row(t, target, NULL, NULL, item);
        }
    }
    oc_out_table(t);
    if (target->place != OC_APPROVALS_LOCAL &&
            !oc_json_get(oc_json_get(file, "defaults"), "security")) {
        oc_note("Where it is silent, tools.exec in openclaw.json of that machine decides; a node "
                "of "
                "ours runs nothing without either.");
    }
    return OC_EXIT_OK;
}

static int run_get(struct oc_cli *cli) {
    struct oc_error err;
    OC_AUTO_APPROVALS_TARGET struct oc_approvals_target target = { 0 };
    OC_AUTO_JSON cJSON *snapshot = NULL;
    if (oc_approvals_file_find(cli, &target, &err) != OC_OK ||
            oc_approvals_file_fetch(cli, &target, &snapshot, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    return show(cli, &target, snapshot);
}

/* The words of the protocol's schema are for programs. */
static enum oc_code check_wanted(const cJSON *file, struct oc_error *err) {
    if (!cJSON_IsObject(file)) {
        return oc_fail(err, OC_E_INVALID,
                "must be one object { … }, as openclaw approvals get --json shows it under file");
    }
    if (oc_json_get_int(file, "version", 1, 1, 0) != 1) {
        return oc_fail(err, OC_E_INVALID, "%s; write \"version\": 1",
                oc_json_get(file, "version") ? "version is one that is not known here"
                                             : "version is missing");
    }
    return oc_exec_approvals_check(file, "", err);
}

static enum oc_code read_wanted(const struct oc_cli *cli, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_MAX_STATE_FILE_BYTES);
    const char *path = oc_args_text(&cli->args, "file");
    enum oc_code rc = path ? oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, err)
                           : oc_buf_read_fd(&text, STDIN_FILENO, err);
    OC_AUTO_JSON cJSON *file = NULL;
    const char *source = path ? path : "standard input";
    if (rc == OC_OK) {
        rc = oc_json5_parse(text.data ? text.data : "", text.len, &file, err);
        rc = rc == OC_OK ? check_wanted(file, err) : rc;
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

static int run_set(struct oc_cli *cli) {
    struct oc_error err;
    if (!oc_args_has(&cli->args, "file") && !oc_args_has(&cli->args, "stdin")) {
        return oc_cli_usage(cli, "--file or --stdin is needed");
    }
    OC_AUTO_APPROVALS_TARGET struct oc_approvals_target target = { 0 };
    OC_AUTO_JSON cJSON *wanted = NULL, *snapshot = NULL;
    if (read_wanted(cli, &wanted, &err) != OC_OK ||
            oc_approvals_file_find(cli, &target, &err) != OC_OK ||
            oc_approvals_file_change(cli, &target, put_wanted, wanted, &snapshot, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    return show(cli, &target, snapshot);
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

/* Whether the machine runs nothing at all now: a node as far as our gateway knows, this one when nothing is said, or deny. */
static bool runs_nothing(
        struct oc_cli *cli, const struct oc_approvals_target *t, const cJSON *file) {
    const char *node_id = t->node_id;
    if (t->place == OC_APPROVALS_LOCAL) {
        const char *said = oc_json_get_str(oc_json_get(file, "defaults"), "security");
        return !says_security(file) || oc_streq(said, "deny");
    }
    OC_AUTO_JSON cJSON *node = NULL;
    struct oc_error ignored;
    return node_id &&
           oc_cli_call_tree(cli, "node.describe", oc_params_str("nodeId", node_id), &node,
                   &ignored) == OC_OK &&
           !oc_json_get_bool(oc_json_get(oc_json_get(node, "gates"), "system.run"), "local", true);
}

struct list_change {
    struct oc_cli *cli;
    const struct oc_approvals_target *target;
    const char *agent, *pattern;
    bool is_add, has_told;
    char **elsewhere; /* gets another agent whose list has it, when this one's has not */
};

/* "Always" goes to the agent that asked, not to everybody's list. Caller frees; NULL: no list has it. */
static char *agent_with(const cJSON *file, const char *pattern) {
    const cJSON *agent;
    oc_json_for_each_member(agent, oc_json_get(file, "agents")) {
        if (find_pattern(oc_json_get(agent, "allowlist"), pattern)) {
            return oc_strdup(agent->string);
        }
    }
    return NULL;
}

/* A list has no effect on a node that runs nothing. Where nobody ever said so, whoever adds to it means it; a deny that
 * somebody wrote stays until it is taken back in as many words. */
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
        oc_note("It ran nothing until now; its security is allowlist from here on.");
    } else {
        OC_AUTO_FREE char *place = oc_approvals_place(node_id);
        oc_note("It still runs nothing: its exec approvals say security deny.\n"
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
        cJSON_AddItemToArray(list, oc_params_str("pattern", c->pattern));
        make_list_count(c, take_file);
    } else {
        cJSON_Delete(cJSON_DetachItemViaPointer(list, there));
    }
    return take_file;
}

/* As it was given; else, as adding would have, the real path of the program. */
static enum oc_code remove_pattern(struct list_change *c, cJSON **ret, struct oc_error *err) {
    enum oc_code rc = oc_approvals_file_change(c->cli, c->target, change_list, c, ret, err);
    if (rc != OC_OK || *ret || *c->elsewhere) {
        return rc;
    }
    OC_AUTO_FREE char *real = oc_allowlist_real(c->cli, c->target, c->pattern);
    const char *given = c->pattern;
    if (real && !oc_streq(real, given)) {
        c->pattern = real;
        rc = oc_approvals_file_change(c->cli, c->target, change_list, c, ret, err);
        c->pattern = given;
    }
    return rc;
}

static int fail_to_remove(const struct list_change *c) {
    struct oc_error err;
    const struct oc_approvals_target *t = c->target;
    OC_AUTO_FREE char *place = t->place == OC_APPROVALS_NODE      ? oc_approvals_place(t->node_id)
                               : t->place == OC_APPROVALS_GATEWAY ? oc_strdup(" --gateway")
                                                                  : oc_strdup("");
    OC_AUTO_FREE char *pattern = oc_shown(c->pattern), *agent = oc_shown(c->agent);
    OC_AUTO_FREE char *other = oc_shown(*c->elsewhere);
    if (*c->elsewhere) {
        OC_AUTO_FREE char *command = oc_paste(
                "openclaw approvals allowlist remove <pattern> --agent <agent>",
                "openclaw approvals allowlist remove %s --agent %s", c->pattern, *c->elsewhere);
        oc_cli_set_fix(c->cli, "%s%s", command, place);
        (void)oc_fail(&err, OC_E_NOT_FOUND,
                "Pattern not found: %s is not on the list of agent %s, but on that of %s.", pattern,
                agent, other);
    } else {
        oc_cli_set_fix(c->cli, "openclaw approvals get%s", place);
        (void)oc_fail(&err, OC_E_NOT_FOUND, "Pattern not found: no list has %s.", pattern);
    }
    return oc_cli_fail(c->cli, &err);
}

static int run_allowlist(struct oc_cli *cli) {
    struct oc_error err;
    const char *verb = cli->args.rest.items[0], *agent = oc_args_text(&cli->args, "agent");
    bool is_add = oc_streq(verb, "add");
    if (!is_add && !oc_streq(verb, "remove")) {
        return oc_cli_usage(cli, "add or remove is needed, not %s", verb);
    }
    OC_AUTO_APPROVALS_TARGET struct oc_approvals_target target = { 0 };
    OC_AUTO_FREE char *pattern = oc_strdup(cli->args.rest.items[1]), *elsewhere = NULL;
    OC_AUTO_JSON cJSON *snapshot = NULL;
    enum oc_code rc = oc_approvals_file_find(cli, &target, &err);
    if (rc == OC_OK && is_add) {
        rc = oc_allowlist_pattern(cli, &target, &pattern, &err);
    }
    struct list_change change = { .cli = cli,
        .target = &target,
        .agent = agent ? agent : "*",
        .pattern = pattern,
        .is_add = is_add,
        .elsewhere = &elsewhere };
    if (rc == OC_OK) {
        rc = is_add ? oc_approvals_file_change(cli, &target, change_list, &change, &snapshot, &err)
                    : remove_pattern(&change, &snapshot, &err);
    }
    if (rc != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (!snapshot && !is_add) {
        return fail_to_remove(&change);
    }
    if (!snapshot) {
        oc_note("Already allowlisted.");
        if (!cli->is_json) {
            return OC_EXIT_OK;
        }
        if (oc_approvals_file_fetch(cli, &target, &snapshot, &err) != OC_OK) {
            return oc_cli_fail(cli, &err);
        }
    }
    return show(cli, &target, snapshot);
}

static const struct oc_option get_options[] = { OC_NODE_OPTION, OC_APPROVALS_GATEWAY_OPTION,
    { 0 } };
static const struct oc_option set_options[] = {
    OC_NODE_OPTION,
    OC_APPROVALS_GATEWAY_OPTION,
    { "file", 0, OC_OPT_TEXT, "path", "the new content" },
    { "stdin", 0, OC_OPT_FLAG, NULL, "the new content comes on standard input" },
    { 0 },
};
static const struct oc_option allowlist_options[] = {
    OC_NODE_OPTION,
    OC_APPROVALS_GATEWAY_OPTION,
    { "agent", 0, OC_OPT_TEXT, "id", "for this agent only (* unless given)" },
    { 0 },
};

const struct oc_cli_command oc_cli_approvals_get = {
    .path = "approvals get",
    .summary = "Which programs this machine allows, or a node, or the gateway",
    .options = get_options,
    .calls_gateway = true,
    .run = run_get,
};

const struct oc_cli_command oc_cli_approvals_set = {
    .path = "approvals set",
    .summary = "Replace the exec approvals of this machine, of a node, or of the gateway",
    .options = set_options,
    .calls_gateway = true,
    .run = run_set,
};

const struct oc_cli_command oc_cli_approvals_allowlist = {
    .path = "approvals allowlist",
    .summary = "Allow one program on this machine, a node or the gateway, or no longer",
    .operands = "add|remove <path>",
    .options = allowlist_options,
    .calls_gateway = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_allowlist,
};
