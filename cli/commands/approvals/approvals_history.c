/* openclaw approvals history: what was run, refused and decided. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/run_words.h"
#include "lib/text/fix.h"
#include "node/run/log/run_log.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DEFAULT_LIMIT 50

static void put_time(char ret[24], int64_t at_ms) {
    time_t seconds = (time_t)(at_ms / 1000);
    struct tm tm;
    if (!localtime_r(&seconds, &tm) || strftime(ret, 24, "%Y-%m-%d %H:%M:%S", &tm) == 0) {
        ret[0] = '\0';
    }
}

/* " [1a2b3c4d]" or " [shared secret]" behind a name that anybody can give; "" when it is not known.
 * Caller frees. */
static char *proof_of(const cJSON *who) {
    const char *device = oc_json_get_str(who, "deviceId");
    OC_AUTO_FREE char *key = device ? oc_strfmt(" [%.8s]", device)
                             : who  ? oc_strdup(" [shared secret]")
                                    : oc_strdup("");
    return cli_shown(key);
}

static char *decider_of(const cJSON *item) {
    OC_AUTO_FREE char *name = cli_shown(oc_json_get_str(item, "decidedBy"));
    OC_AUTO_FREE char *proof = proof_of(oc_json_get(item, "decider"));
    return oc_strfmt("%s%s", name, proof);
}

/* Where nobody decided it: why it ended. NULL: somebody did. Caller frees. */
static char *end_of(const cJSON *item, const char *by) {
    switch (oc_cause_named(oc_json_get_str(item, "cause"))) {
    case OC_CAUSE_APPROVAL_CHANGED:
        return oc_strdup("the command changed");
    case OC_CAUSE_ASKER_LEFT:
        return oc_strdup("the asker left");
    case OC_CAUSE_WITHDRAWN:
        return oc_strfmt("taken back%s%s", *by ? " by " : "", by);
    default:
        return NULL;
    }
}

/* record: the line itself, or the end of a run. */
static bool is_question(const cJSON *record) {
    return oc_cause_named(oc_json_get_str(record, "cause")) == OC_CAUSE_APPROVAL_REQUIRED;
}

static char *refusal_of(bool is_of_node, const cJSON *record) {
    /* The first half of every approved run: the node is asked, and says that somebody has to be. */
    return oc_strdup(!is_of_node           ? "refused by the gateway"
                     : is_question(record) ? "approval needed"
                                           : "refused by the node");
}

static bool is_refused_by_node(const cJSON *item) {
    return !oc_streq(oc_json_get_str(item, "refusedBy"), "gateway");
}

/* Caller frees. */
static char *outcome_of_end(const cJSON *end) {
    const char *name = oc_json_get_str(end, "outcome");
    OC_AUTO_FREE char *reason = cli_shown(oc_json_get_str(end, "reason"));
    switch (oc_outcome_named(name)) {
    case OC_OUTCOME_EXITED:
        return oc_strfmt("exit %lld",
                (long long)oc_json_get_int(end, "exitCode", INT32_MIN, UINT32_MAX, -1));
    case OC_OUTCOME_KILLED:
        if (oc_json_get(end, "signal")) {
            return oc_strfmt("signal %lld%s%s",
                    (long long)oc_json_get_int(end, "signal", 0, 127, 0), *reason ? ", " : "",
                    reason);
        }
        return oc_strdup(name);
    case OC_OUTCOME_NOT_STARTED:
    case OC_OUTCOME_UNKNOWN:
        return oc_strfmt("%s%s%s", name, *reason ? ": " : "", reason);
    case OC_OUTCOME_NODE_STOPPED:
        return oc_strdup("ended with the node, which stopped");
    case OC_OUTCOME_REFUSED:
        return refusal_of(true, end);
    default: /* perhaps one of a newer gateway */
        return cli_shown(name);
    }
}

/* "exit 0", "signal 9", "timed-out", "refused by the node", "allow-once by phone [1a2b3c4d]".
 * Caller frees. */
static char *outcome_of(const cJSON *item) {
    const char *kind = oc_json_get_str(item, "kind");
    const cJSON *end = oc_json_get(item, "end");
    OC_AUTO_FREE char *by = decider_of(item);
    OC_AUTO_FREE char *decision = cli_shown(oc_json_get_str(item, "decision"));
    if (oc_streq(kind, "approval")) {
        OC_AUTO_FREE char *ended = end_of(item, by);
        if (ended) {
            return oc_strfmt("not decided: %s", ended);
        }
        return oc_strfmt("%s%s%s", decision, *by ? " by " : "", by);
    }
    if (oc_streq(kind, "refused")) {
        return refusal_of(is_refused_by_node(item), item);
    }
    if (oc_streq(kind, "repeat")) {
        return oc_strdup("asked again and not run again, says the node");
    }
    if (!end && oc_json_get(item, "started")) {
        OC_AUTO_FREE char *handle =
                cli_shown(oc_json_get_str(oc_json_get(item, "started"), "handle"));
        return oc_strfmt("in the background as %s", handle);
    }
    if (!end) {
        return oc_strdup("running");
    }
    return outcome_of_end(end);
}

static enum oc_run_gate run_gate_of(const cJSON *item) {
    return oc_run_gate_named(oc_json_get_str(item, "gate"));
}

/* The run that it was given for is in the list, too, and names it as its gate. An id may come up
 * again when the gateway was started anew: a run belongs to the last approval before it. */
static bool is_told_by_its_run(const cJSON *item, const cJSON *items) {
    const char *id = oc_json_get_str(item, "approvalId");
    const char *decision = oc_json_get_str(item, "decision");
    if (!id || !decision || !oc_streq(oc_json_get_str(item, "kind"), "approval")) {
        return false;
    }
    bool is_told = false;
    const cJSON *newer; /* they stand in front */
    for (newer = items->child; newer && newer != item; newer = newer->next) {
        if (oc_streq(oc_json_get_str(newer, "approvalId"), id)) {
            is_told = oc_streq(oc_json_get_str(newer, "kind"), "run") &&
                      run_gate_of(newer) == OC_RUN_GATE_APPROVAL &&
                      oc_streq(oc_json_get_str(newer, "nodeId"), oc_json_get_str(item, "nodeId")) &&
                      oc_streq(oc_json_get_str(newer, "decision"), decision);
        }
    }
    return is_told;
}

/* "node says: allowlist: /usr/bin/ls": nobody has checked it. "" where it only repeats that there
 * was an approval. Caller frees. */
static char *claim_of(const cJSON *item) {
    const cJSON *says = oc_json_get(item, "nodeSays");
    OC_AUTO_FREE char *gate = cli_shown(oc_json_get_str(says, "gate"));
    OC_AUTO_FREE char *entry = cli_shown(oc_json_get_str(says, "gateEntry"));
    if (!*gate || (run_gate_of(says) == OC_RUN_GATE_APPROVAL &&
                          run_gate_of(item) == OC_RUN_GATE_APPROVAL)) {
        return oc_strdup("");
    }
    return oc_strfmt("node says: %s%s%s", gate, *entry ? ": " : "", entry);
}

/* Which gate decided, and by which entry. Of an approval: that there was one. Caller frees. */
static char *gate_of(const cJSON *item) {
    OC_AUTO_FREE char *gate = cli_shown(oc_json_get_str(item, "gate"));
    OC_AUTO_FREE char *entry = cli_shown(oc_json_get_str(item, "gateEntry"));
    OC_AUTO_FREE char *by = decider_of(item);
    OC_AUTO_FREE char *claim = claim_of(item);
    if (run_gate_of(item) == OC_RUN_GATE_APPROVAL && *by) {
        return oc_strfmt("approval by %s%s%s", by, *claim ? "; " : "", claim);
    }
    if (*claim && run_gate_of(item) == OC_RUN_GATE_NODE_POLICY) {
        return oc_take(&claim);
    }
    return oc_strfmt("%s%s%s%s%s", gate, *entry ? ": " : "", entry, *claim ? "; " : "", claim);
}

static char *who_of(const cJSON *item) {
    const cJSON *by = oc_json_get(item, "by");
    by = by ? by : oc_json_get(item, "asker");
    const char *name = oc_json_get_str(by, "name");
    name = name ? name : oc_json_get_str(by, "client");
    name = name ? name : oc_json_get_str(item, "askedBy");
    name = name ? name : oc_json_get_str(item, "gateway");
    const char *device = oc_json_get_str(by, "deviceId");
    device = device ? device : oc_json_get_str(by, "id");
    device = device ? device : oc_json_get_str(item, "askedByDevice");
    OC_AUTO_FREE char *shown = cli_shown(name);
    OC_AUTO_FREE char *key = device && strcmp(device, "shared-secret") != 0
                                     ? oc_strfmt(" [%.8s]", device)
                             : by ? oc_strdup(" [shared secret]")
                                  : oc_strdup("");
    OC_AUTO_FREE char *id = cli_shown(key);
    OC_AUTO_FREE char *agent = cli_shown(oc_json_get_str(oc_json_get(item, "claimed"), "agentId"));
    return oc_strfmt("%s%s%s%s", shown, id, *agent ? ", says agent " : "", agent);
}

static const char *node_of(const cJSON *item, const cJSON *nodes) {
    const char *id = oc_json_get_str(item, "nodeId");
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        if (id && oc_streq(oc_json_get_str(node, "nodeId"), id)) {
            return cli_node_label(node);
        }
    }
    return id;
}

static void add_row(struct cli_table *t, const cJSON *item, const cJSON *nodes) {
    char at[24];
    put_time(at, oc_json_get_ms(item, "atMs", 0));
    OC_AUTO_FREE char *who = who_of(item);
    OC_AUTO_FREE char *node = cli_shown(node_of(item, nodes));
    OC_AUTO_FREE char *command = cli_shown(oc_json_get_str(item, "command"));
    OC_AUTO_FREE char *outcome = outcome_of(item);
    OC_AUTO_FREE char *gate = gate_of(item);
    char took[24] = "";
    const cJSON *end = oc_json_get(item, "end");
    if (oc_json_get(end, "durationMs")) {
        cli_span(oc_json_get_ms(end, "durationMs", 0), took);
    } else if (oc_json_get_ms(end, "startedAtMs", 0) > 0) {
        snprintf(took, sizeof(took), "not known"); /* it did start, and nobody saw the end */
    }
    cli_table_add(t, at);
    cli_table_add(t, who);
    cli_table_add(t, node);
    cli_table_add(t, gate);
    cli_table_add(t, command);
    cli_table_add(t, outcome);
    cli_table_add(t, took);
}

/* What was refused; NULL: nothing, or it only had to be asked for. */
static const cJSON *refusal_in(const cJSON *item) {
    const cJSON *end = oc_json_get(item, "end");
    enum oc_outcome outcome = oc_outcome_named(oc_json_get_str(end, "outcome"));
    const cJSON *record = oc_streq(oc_json_get_str(item, "kind"), "refused") ? item
                          : outcome == OC_OUTCOME_REFUSED                    ? end
                                                                             : NULL;
    return record && !is_question(record) ? record : NULL;
}

/* "why (gate: …; fix: …)"; NULL: that is not known. Lines of older nodes have the sentence as their
 * reason. Caller frees. */
static char *sentence_of(const cJSON *item, const cJSON *record) {
    bool is_of_node = is_refused_by_node(item);
    struct oc_told_error told = { .is_of_node = is_of_node,
        .message = oc_json_get_str(record, "reason"),
        .details = oc_json_get(record, "grounds") };
    if (!told.message || (!told.details && !is_of_node)) {
        return NULL;
    }
    struct oc_grounds g;
    OC_AUTO_FREE char *text = oc_grounds_read(&told, &g);
    if (is_of_node) {
        oc_grounds_set_node(&g, g.gate ? oc_json_get_str(item, "nodeId") : NULL);
    }
    OC_AUTO_FREE char *fix = oc_fix_text(&g);
    OC_AUTO_FREE char *sentence = oc_fix_sentence(text, &g, fix);
    return cli_shown(sentence);
}

/* Below the table, where a command can be pasted from: each reason once. */
static void tell_reasons(const cJSON *items) {
    OC_AUTO_STRV struct oc_strv told = { 0 };
    const cJSON *item;
    cJSON_ArrayForEach(item, items) {
        const cJSON *record = refusal_in(item);
        OC_AUTO_FREE char *sentence = record ? sentence_of(item, record) : NULL;
        if (sentence && !oc_strv_has(&told, sentence)) {
            oc_strv_add(&told, sentence);
            cli_out_line("refused by the %s: %s", is_refused_by_node(item) ? "node" : "gateway",
                    sentence);
        }
    }
}

static int approvals_history_show(
        const struct cli_cli *cli, const cJSON *answer, const cJSON *nodes) {
    if (cli->is_json) {
        cli_out_json(answer);
        return CLI_EXIT_OK;
    }
    const cJSON *items = oc_json_get(answer, "items"), *item;
    if (cJSON_GetArraySize(items) == 0) {
        cli_out_line("Nothing was run.");
        return CLI_EXIT_OK;
    }
    static const struct cli_column columns[] = {
        { "When", CLI_COLUMN_FIXED, 0 },
        { "Who", CLI_COLUMN_NAME, 4 },
        { "Node", CLI_COLUMN_NAME, 3 },
        { "Gate", CLI_COLUMN_TEXT, 2 },
        { "Command", CLI_COLUMN_TEXT, 0 },
        { "Outcome", CLI_COLUMN_TEXT, 0 },
        { "Took", CLI_COLUMN_FIXED, 1 },
    };
    __attribute__((cleanup(cli_auto_table))) struct cli_table *t =
            cli_table_create_of(columns, OC_COUNT(columns));
    cJSON_ArrayForEach(item, items) {
        if (!is_told_by_its_run(item, items)) {
            add_row(t, item, nodes);
        }
    }
    cli_out_table(t);
    tell_reasons(items);
    int64_t pruned = oc_json_get_int(answer, "pruned", 0, OC_JSON_MAX_EXACT, 0);
    if (pruned > 0) {
        cli_note("%lld older entries are no longer kept.", (long long)pruned);
    }
    return CLI_EXIT_OK;
}

/* --since 2h: so long ago; --since 2026-11-16 or with T12:30: from then on, local time. */
static bool parse_since(const struct cli_cli *cli, int64_t *ret_ms) {
    const char *text = cli_args_text(&cli->args, "since");
    int64_t span;
    *ret_ms = 0;
    if (!text) {
        return true;
    }
    struct tm tm = { .tm_isdst = -1 };
    const char *end = strptime(text, "%Y-%m-%dT%H:%M", &tm);
    if (!end) {
        tm = (struct tm){ .tm_isdst = -1 };
        end = strptime(text, "%Y-%m-%d", &tm);
    }
    if (end && !*end) {
        *ret_ms = (int64_t)mktime(&tm) * 1000;
        return *ret_ms >= 0;
    }
    if (!oc_parse_duration_ms(text, &span)) {
        return false;
    }
    int64_t now = oc_wall_ms(&oc_clock_system);
    *ret_ms = span < now ? now - span : 0;
    return true;
}

/* What ran on this machine, by its own node's log. */
static int run_local(struct cli_cli *cli, int64_t since_ms, int64_t limit) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *answer = NULL;
    OC_AUTO_FREE char *state_dir = oc_dir_state();
    if (nd_run_log_read(state_dir, since_ms, limit, &answer, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return approvals_history_show(cli, answer, NULL);
}

/* The gateway answers page by page; an older one has no more than the first. */
static enum oc_code read_all(struct cli_cli *cli, const cJSON *params, int64_t limit, cJSON **ret,
        struct oc_error *err) {
    OC_AUTO_JSON cJSON *all = NULL;
    OC_AUTO_FREE char *next = NULL;
    do {
        cJSON *ask = cJSON_Duplicate(params, true);
        OC_AUTO_JSON cJSON *page = NULL;
        int got = all ? cJSON_GetArraySize(oc_json_get(all, "items")) : 0;
        oc_json_set_int(ask, "limit", limit - got);
        oc_json_set_str(ask, "cursor", next);
        enum oc_code rc = cli_call_tree(cli, "exec.audit.list", ask, &page, err);
        if (rc != OC_OK) {
            return rc;
        }
        oc_free(next);
        next = oc_strdup(oc_json_get_str(page, "next"));
        cJSON_DeleteItemFromObjectCaseSensitive(page, "next");
        cJSON *items = cJSON_GetObjectItemCaseSensitive(page, "items");
        if (!cJSON_IsArray(items) || !items->child) {
            oc_free(oc_take(&next)); /* a page without anything is the last, whatever it says */
        }
        if (!all) {
            all = oc_take(&page);
            continue;
        }
        cJSON *into = cJSON_GetObjectItemCaseSensitive(all, "items");
        while (items && items->child) {
            cJSON_AddItemToArray(into, cJSON_DetachItemViaPointer(items, items->child));
        }
    } while (next && cJSON_GetArraySize(oc_json_get(all, "items")) < limit);
    *ret = oc_take(&all);
    return OC_OK;
}

static int approvals_history_run(struct cli_cli *cli) {
    struct oc_error err;
    int64_t since_ms;
    if (!parse_since(cli, &since_ms)) {
        return cli_usage(
                cli, "--since wants a time such as 2h, 3d, 2026-11-16 or 2026-11-16T12:30");
    }
    int64_t limit = cli_args_int(&cli->args, "limit", DEFAULT_LIMIT);
    if (cli_args_has(&cli->args, "local") && cli_args_has(&cli->args, "node")) {
        return cli_usage(cli, "--local is about this machine; leave --node out");
    }
    if (cli_args_has(&cli->args, "local")) {
        return run_local(cli, since_ms, limit);
    }
    OC_AUTO_JSON cJSON *list = NULL, *answer = NULL, *params = cJSON_CreateObject();
    const cJSON *nodes = NULL, *node;
    if (cli_args_has(&cli->args, "node")) {
        if (cli_find_node(cli, &list, &node, &err) != OC_OK) {
            return cli_fail(cli, &err);
        }
        oc_json_set_str(params, "nodeId", oc_json_get_str(node, "nodeId"));
    } else if (cli_node_list(cli, &list, &nodes, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    nodes = oc_json_get(list, "nodes");
    oc_json_set_int(params, "sinceMs", since_ms);
    if (read_all(cli, params, limit, &answer, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return approvals_history_show(cli, answer, nodes);
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "local", 0, CLI_OPT_FLAG, NULL, "what ran on this machine, by the log of its own node" },
    { "limit", 0, CLI_OPT_INT, "n", "at most so many, the newest (50)", .min = 1,
            .max = OC_MAX_AUDIT_LIST },
    { "since", 0, CLI_OPT_TEXT, "time", "not older: 2h, 3d, 2026-11-16, 2026-11-16T12:30" },
    { 0 },
};

const struct cli_command cli_command_approvals_history = {
    .path = "approvals history",
    .summary = "What was run on nodes, what was refused, and who decided",
    .details =
            "Who is a device by the first letters of its id, or whoever knows the shared secret; "
            "an agent is what\n"
            "the caller says it is, nobody has checked it. Gate is the rule that let the command "
            "through or stopped\n"
            "it; what only the node says about its own rules stands behind \"node says\". An "
            "approval stands there\n"
            "with the run it was given for. --json has more: every decision, arguments one by "
            "one, bytes, input.\n"
            "An unknown outcome may become known when the node comes back.",
    .examples = "openclaw approvals history",
    .options = options,
    .calls_gateway = true,
    .run = approvals_history_run,
};
