#include "cli/approval_view.h"

#include "base/argv_text.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"

#include <stdint.h>
#include <string.h>

#define MAX_NAMED 5 /* candidates in an error text */

enum oc_code oc_approvals_fetch(struct oc_cli *cli, cJSON **ret, struct oc_error *err) {
    return oc_cli_call_tree(cli, "exec.approval.list", cJSON_CreateObject(), ret, err);
}

static enum oc_code ambiguous(const cJSON *list, const char *query, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv names = { 0 };
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        const char *id = oc_json_get_str(item, "id");
        if (id && oc_starts_with(id, query) && names.count < MAX_NAMED) {
            OC_AUTO_FREE char *shown = oc_shown(id);
            oc_strv_add(&names, shown);
        }
    }
    OC_AUTO_FREE char *joined = oc_strv_join(&names, ", ");
    return oc_fail(err, OC_E_INVALID, "several approvals begin like that: %s", joined);
}

enum oc_code oc_approval_pick(const cJSON *list, const char *query, const cJSON **ret,
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
        return ambiguous(list, query, err);
    }
    if (!found) {
        OC_AUTO_FREE char *shown = oc_shown(query);
        return oc_fail(err, OC_E_NOT_FOUND,
                "no command waits under %s: it was decided, or its time is over", shown);
    }
    *ret = found;
    if (ret_is_exact) {
        *ret_is_exact = false;
    }
    return OC_OK;
}

const cJSON *oc_approval_nodes(struct oc_cli *cli, cJSON **ret) {
    const cJSON *nodes = NULL;
    struct oc_error ignored;
    if (oc_cli_node_list(cli, ret, &nodes, &ignored) != OC_OK) {
        *ret = NULL;
        oc_free(oc_take(&cli->fix));
        oc_free(oc_take(&cli->error_code));
        return NULL;
    }
    return nodes;
}

/* What the gateway will compare the run with, from the most binding to the least. */
static void read_argv(const cJSON *request, struct oc_strv *ret) {
    static const char *const places[] = { "systemRunBindingV1.argv", "systemRunBinding.argv",
        "systemRunPlan.argv", "systemRunPlanV2.argv", "commandArgv" };
    for (size_t i = 0; i < OC_COUNT(places) && ret->count == 0; i++) {
        const cJSON *list = oc_json_path(request, places[i]), *word;
        cJSON_ArrayForEach(word, list) {
            oc_strv_add(ret, cJSON_IsString(word) ? word->valuestring : "");
        }
    }
}

char *oc_approval_command(const cJSON *item) {
    const cJSON *request = oc_json_get(item, "request");
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    read_argv(request, &argv);
    if (argv.count > 0) {
        return oc_argv_shown(&argv);
    }
    const char *text = oc_json_get_str(request, "command");
    return oc_printable(text ? text : "", text ? strlen(text) : 0, SIZE_MAX);
}

static void print_field(const char *name, const char *value) {
    if (oc_str_blank(value)) {
        return;
    }
    OC_AUTO_FREE char *shown = oc_printable(value, strlen(value), SIZE_MAX);
    oc_out_line("  %-11s%s", name, shown);
}

static void print_node(const cJSON *request, const cJSON *nodes) {
    const char *id = oc_json_get_str(request, "nodeId");
    const char *host = oc_json_get_str(request, "host");
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        if (id && oc_streq(oc_json_get_str(node, "nodeId"), id)) {
            OC_AUTO_FREE char *text = oc_strfmt("%s (%.12s)", oc_node_label(node), id);
            print_field("on", text);
            return;
        }
    }
    print_field("on", id ? id : host);
}

static void print_reason(const cJSON *request) {
    const char *security = oc_json_get_str(request, "security");
    const char *ask = oc_json_get_str(request, "ask");
    if (!security && !ask) {
        return;
    }
    const char *meaning = oc_streq(ask, "always")    ? "every command there needs approval"
                          : oc_streq(ask, "on-miss") ? "it is not on the list there"
                                                     : "";
    OC_AUTO_FREE char *text = oc_strfmt("%s%s(security %s, ask %s)", meaning, *meaning ? " " : "",
            security ? security : "?", ask ? ask : "?");
    print_field("because", text);
}

void oc_approval_print(const cJSON *item, const cJSON *nodes) {
    const cJSON *request = oc_json_get(item, "request");
    OC_AUTO_FREE char *id = oc_shown(oc_json_get_str(item, "id"));
    OC_AUTO_FREE char *command = oc_approval_command(item);
    char left[24];
    oc_span(oc_json_get_int(item, "expiresAtMs", 0) - oc_wall_ms(&oc_clock_system), left);
    OC_AUTO_FREE char *head = oc_strfmt("%s  (%s left)", id, left);
    oc_out_heading(head);
    oc_out_line("  %-11s%s", "runs", command);
    /* Claims of whoever asked; the node looks for itself before it runs anything. */
    print_field("said to be", oc_json_get_str(request, "resolvedPath"));
    print_node(request, nodes);
    print_field("in", oc_json_get_str(request, "cwd"));
    print_field("agent", oc_json_get_str(request, "agentId"));
    print_field("session", oc_json_get_str(request, "sessionKey"));
    OC_AUTO_FREE char *env = oc_shown_list(oc_json_get(request, "envKeys"));
    print_field("sets", env);
    print_field("asked by", oc_json_get_str(item, "requestedBy"));
    print_reason(request);
    print_field("because", oc_json_get_str(request, "reason"));
}

enum oc_code oc_approval_decide(struct oc_cli *cli, const char *id, const char *decision,
        cJSON **ret, struct oc_error *err) {
    cJSON *params = oc_params_str("id", id);
    oc_json_set_str(params, "decision", decision);
    return oc_cli_call_tree(cli, "exec.approval.resolve", params, ret, err);
}
