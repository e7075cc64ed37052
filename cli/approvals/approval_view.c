#include "cli/approvals/approval_view.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/text/argv_text.h"

#include <stdint.h>
#include <string.h>

#define MAX_NAMED 5 /* candidates in an error text */

enum oc_code cli_approvals_fetch(struct cli_cli *cli, cJSON **ret, struct oc_error *err) {
    return cli_call_tree(cli, "exec.approval.list", cJSON_CreateObject(), ret, err);
}

static enum oc_code approval_view_ambiguous(
        const cJSON *list, const char *query, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv names = { 0 };
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        const char *id = oc_json_get_str(item, "id");
        if (id && oc_starts_with(id, query) && names.count < MAX_NAMED) {
            OC_AUTO_FREE char *shown = cli_shown(id);
            oc_strv_add(&names, shown);
        }
    }
    OC_AUTO_FREE char *joined = oc_strv_join(&names, ", ");
    return oc_fail(err, OC_E_INVALID, "several approvals begin like that: %s", joined);
}

enum oc_code cli_approval_pick(const cJSON *list, const char *query, const cJSON **ret,
        bool *ret_is_exact, struct oc_error *err) {
    const cJSON *item, *found = NULL;
    size_t matches = 0;
    cJSON_ArrayForEach(item, list) {
        const char *id = oc_json_get_str(item, "id");
        if (oc_streq(id, query)) {
            *ret = item;
            if (ret_is_exact) {
                *ret_is_exact = true;
            }
            return OC_OK;
        }
        if (id && *query && oc_starts_with(id, query)) {
            found = item;
            matches++;
        }
    }
    if (matches > 1) {
        return approval_view_ambiguous(list, query, err);
    }
    if (!found) {
        OC_AUTO_FREE char *shown = cli_shown(query);
        return oc_fail(err, OC_E_NOT_FOUND,
                "no command waits under %s: it was decided, or its time is over", shown);
    }
    *ret = found;
    if (ret_is_exact) {
        *ret_is_exact = false;
    }
    return OC_OK;
}

const cJSON *cli_approval_nodes(struct cli_cli *cli, cJSON **ret) {
    const cJSON *nodes = NULL;
    struct oc_error ignored;
    if (cli_node_list(cli, ret, &nodes, &ignored) != OC_OK) {
        *ret = NULL;
        oc_free(oc_take(&cli->fix));
        oc_free(oc_take(&cli->error_code));
        return NULL;
    }
    return nodes;
}

/* What the gateway will compare the run with, from the most binding to the least. */
void cli_approval_argv(const cJSON *item, struct oc_strv *ret) {
    static const char *const places[] = { "systemRunBindingV1.argv", "systemRunBinding.argv",
        "systemRunPlan.argv", "systemRunPlanV2.argv", "commandArgv" };
    const cJSON *request = oc_json_get(item, "request");
    for (size_t i = 0; i < OC_COUNT(places) && ret->count == 0; i++) {
        const cJSON *list = oc_json_path(request, places[i]), *word;
        cJSON_ArrayForEach(word, list) {
            oc_strv_add(ret, cJSON_IsString(word) ? word->valuestring : "");
        }
    }
}

char *cli_approval_command(const cJSON *item) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    cli_approval_argv(item, &argv);
    if (argv.count > 0) {
        return oc_argv_shown(&argv);
    }
    const char *text = oc_json_get_str(oc_json_get(item, "request"), "command");
    return oc_printable(text ? text : "", text ? strlen(text) : 0, SIZE_MAX);
}

bool cli_approval_always_is_once(const cJSON *facts) {
    const cJSON *kept = oc_json_get(facts, "wouldAllow");
    return cJSON_IsArray(kept) && !kept->child;
}

bool cli_approval_offers_always(const cJSON *item) {
    return oc_json_get_bool(oc_json_get(item, "request"), "contentBound", true);
}

char *cli_approval_unbound(const cJSON *item) {
    if (cli_approval_offers_always(item)) {
        return NULL;
    }
    OC_AUTO_STRV struct oc_strv reasons = { 0 };
    oc_json_get_strv(oc_json_get(item, "request"), "unbound", &reasons);
    OC_AUTO_FREE char *joined = oc_strv_join(&reasons, "; ");
    return oc_strfmt("content not bound: what runs can change after you approve (%s)", joined);
}

char *cli_approval_always(const cJSON *facts) {
    const cJSON *kept = oc_json_get(facts, "wouldAllow");
    if (!cJSON_IsArray(kept)) {
        return NULL;
    }
    if (!kept->child) {
        return oc_strdup("can remember nothing of it, so it is the same as once");
    }
    OC_AUTO_FREE char *programs = cli_shown_list(kept);
    OC_AUTO_FREE char *agent = cli_shown(oc_json_get_str(facts, "wouldAllowFor"));
    return oc_strfmt("lets %s run without asking from then on, with any arguments%s%s", programs,
            *agent ? ", for agent " : "", agent);
}

static void print_field(const char *name, const char *value) {
    if (oc_str_blank(value)) {
        return;
    }
    OC_AUTO_FREE char *shown = oc_printable(value, strlen(value), SIZE_MAX);
    cli_out_line("  %-11s%s", name, shown);
}

static void print_node(const cJSON *request, const cJSON *nodes) {
    const char *id = oc_json_get_str(request, "nodeId");
    const char *host = oc_json_get_str(request, "host");
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        if (id && oc_streq(oc_json_get_str(node, "nodeId"), id)) {
            OC_AUTO_FREE char *text = oc_strfmt("%s (%.12s)", cli_node_label(node), id);
            print_field("on", text);
            return;
        }
    }
    /* On the local socket a node has no id. Requests at the gateway always name one with host
     * "node". */
    const char *name = oc_streq(host, "node") ? oc_json_get_str(request, "nodeName") : NULL;
    print_field("on", id ? id : name ? name : host);
}

/* A run that names no directory goes to the node's own, which only the node can tell. */
static void print_cwd(const cJSON *request, const cJSON *facts) {
    const char *cwd = oc_json_get_str(request, "cwd"), *own = oc_json_get_str(facts, "nodeCwd");
    if (!oc_str_blank(cwd) || !oc_streq(oc_json_get_str(request, "host"), "node")) {
        print_field("in", cwd);
        return;
    }
    OC_AUTO_FREE char *text = oc_strfmt(
            "the node's own directory%s%s%s", own ? " (" : "", own ? own : "", own ? ")" : "");
    print_field("in", text);
}

/* The gateway and the node hold the run to it. Requests that do not say are for an ordinary run. */
static void print_how(const cJSON *run) {
    OC_AUTO_STRV struct oc_strv how = { 0 };
    if (oc_json_get_bool(run, "background", false)) {
        oc_strv_add(&how, "runs in the background");
    }
    if (oc_json_get_bool(run, "tty", false)) {
        oc_strv_add(&how, "with a terminal, whose keyboard the asker has");
    }
    if (oc_json_get_bool(run, "stdin", false)) {
        oc_strv_add(&how, "reads what the asker sends as its standard input");
    }
    int64_t limit_ms = oc_json_get_ms(run, "timeoutMs", 0);
    if (limit_ms > 0) {
        char span[24];
        cli_span(limit_ms, span);
        OC_AUTO_FREE char *text = oc_strfmt("for at most %s", span);
        oc_strv_add(&how, text);
    }
    OC_AUTO_FREE char *joined = oc_strv_join(&how, ", ");
    print_field("how", joined);
}

/* reason: in somebody's words; NULL: what the two settings mean. Caller frees. */
static char *reason_text(const char *reason, const char *security, const char *ask) {
    if (!reason && !security && !ask) {
        return NULL;
    }
    const char *meaning = reason                     ? reason
                          : oc_streq(ask, "always")  ? "every command there needs approval"
                          : oc_streq(ask, "on-miss") ? "it is not on the list there"
                                                     : "";
    if (!security && !ask) {
        return oc_strdup(meaning);
    }
    return oc_strfmt("%s%s(security %s, ask %s)", meaning, *meaning ? " " : "",
            security ? security : "?", ask ? ask : "?");
}

static void print_reason(const char *name, const cJSON *from) {
    OC_AUTO_FREE char *text = reason_text(oc_json_get_str(from, "reason"),
            oc_json_get_str(from, "security"), oc_json_get_str(from, "ask"));
    print_field(name, text);
}

/* What the approval is about besides the words. */
static void print_bound(const cJSON *item, const cJSON *facts) {
    OC_AUTO_FREE char *bound = cli_shown_list(oc_json_get(facts, "bound"));
    OC_AUTO_FREE char *unbound = cli_approval_unbound(item);
    print_field("bound to", bound);
    print_field("NOT BOUND", unbound);
    if (oc_json_get_bool(facts, "isChanged", false)) {
        print_field("CHANGED", "its files are not what they were when it was asked for, so it was "
                               "withdrawn");
    }
}

static void print_facts(const cJSON *item, const cJSON *facts) {
    OC_AUTO_FREE char *always = cli_approval_offers_always(item)
                                        ? cli_approval_always(facts)
                                        : oc_strdup("is not possible: content not bound");
    print_field("program", oc_json_get_str(facts, "resolvedPath"));
    print_bound(item, facts);
    print_reason("because", facts);
    print_field("always", always);
}

/* What the gateway knows of whoever asked. How they call themselves is among the claims. */
static void print_asker(const cJSON *asker) {
    const char *auth = oc_json_get_str(asker, "auth"), *ip = oc_json_get_str(asker, "ip");
    const char *device = oc_json_get_str(asker, "deviceId");
    OC_AUTO_FREE char *who = device ? oc_strfmt("device %.12s", device)
                             : oc_streq(auth, "shared-secret")
                                     ? oc_strdup("somebody with the shared secret")
                             : oc_streq(auth, "local") ? oc_strdup("a program on this machine")
                             : auth                    ? oc_strdup("somebody")
                                                       : oc_strdup("");
    OC_AUTO_FREE char *text = oc_strfmt("%s%s%s%s", who, ip ? " from " : "", ip ? ip : "",
            oc_streq(oc_json_get_str(asker, "via"), "gateway") ? " through the gateway" : "");
    print_field("asked by", text);
}

/* Nobody has checked these. The agent decides which of the node's rules count, so it matters who
 * may say it. */
static void print_claims(const char *name, const cJSON *request, bool has_facts) {
    static const char *const claims[] = { "agentId", "sessionKey", "resolvedPath", "reason",
        "security", "ask" };
    size_t last = has_facts ? 2 : OC_COUNT(claims);
    bool has_any = !oc_str_blank(name);
    for (size_t i = 0; i < last; i++) {
        has_any = has_any || !oc_str_blank(oc_json_get_str(request, claims[i]));
    }
    if (!has_any) {
        return;
    }
    cli_out_line("  as whoever asked says, unchecked:");
    print_field("  name", name);
    print_field("  agent", oc_json_get_str(request, "agentId"));
    print_field("  session", oc_json_get_str(request, "sessionKey"));
    if (!has_facts) {
        print_field("  program", oc_json_get_str(request, "resolvedPath"));
        print_reason("  because", request);
    }
}

/* Each as it would be set; gateways of other kinds tell the names alone. */
static void print_env(const cJSON *request) {
    const cJSON *v, *env = oc_json_get(request, "env");
    oc_json_for_each_member(v, env) {
        if (cJSON_IsString(v) && v->string) {
            OC_AUTO_FREE char *pair = oc_strfmt("%s=%s", v->string, v->valuestring);
            print_field("sets", pair);
        }
    }
    const cJSON *name, *names = oc_json_get(request, "envKeys");
    OC_AUTO_STRV struct oc_strv bare = { 0 };
    cJSON_ArrayForEach(name, names) {
        if (cJSON_IsString(name) && !oc_json_get(env, name->valuestring)) {
            OC_AUTO_FREE char *shown = cli_shown(name->valuestring);
            oc_strv_add(&bare, shown);
        }
    }
    if (bare.count > 0) {
        OC_AUTO_FREE char *joined = oc_strv_join(&bare, ", ");
        OC_AUTO_FREE char *text = oc_strfmt("%s (to what is not said)", joined);
        print_field("sets", text);
    }
}

void cli_approval_print(const cJSON *item, const cJSON *nodes, const cJSON *facts) {
    const cJSON *request = oc_json_get(item, "request");
    OC_AUTO_FREE char *id = cli_shown(oc_json_get_str(item, "id"));
    OC_AUTO_FREE char *command = cli_approval_command(item);
    char left[24];
    cli_span(oc_json_get_ms(item, "expiresAtMs", 0) - oc_wall_ms(&oc_clock_system), left);
    OC_AUTO_FREE char *head = oc_strfmt("%s  (%s left)", id, left);
    cli_out_heading(head);
    cli_out_line("  %-11s%s", "runs", command);
    print_node(request, nodes);
    print_cwd(request, facts);
    print_how(oc_json_get(request, "run"));
    print_env(request);
    print_facts(item, facts);
    print_asker(oc_json_get(item, "asker"));
    print_claims(oc_json_get_str(item, "requestedBy"), request, facts != NULL);
}
