/* exec.audit.list: what was run through this gateway, newest first. Ours; the reference has nothing like it.
 *
 *   {nodeId?, sinceMs?, untilMs?, limit? (100; at most 1000)} →
 *   {items: [{kind: run|repeat|approval|refused, seq, atMs, by, nodeId, argv, command, cwd?, background?, tty?, claimed?: {agentId?,
 *             sessionKey?}, gate, gateEntry?, …, started?: {handle, …}, end?: {outcome, exitCode?, signal?, bytes?, stdoutBytes?,
 *             stderrBytes?, inputBytes?, input?, durationMs, reason?, …}}], pruned: rows that have fallen out}
 *
 * `claimed` is what the caller says of itself. A run without end is still running. outcome "unknown" may become another
 * one when the node reports. A repeat asked by its key for a run that has a line of its own, says the node; nothing ran. */
#include "base/mem.h"
#include "gateway/audit.h"
#include "gateway/core.h"
#include "gateway/methods.h"
#include "gateway/run_ends.h"
#include "protocol/limits.h"

#define DEFAULT_LIMIT 100

struct params {
    const char *node_id;
    int64_t since_ms, until_ms, limit;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, node_id, "nodeId", OC_NULLABLE),
    OC_INT(T, since_ms, "sinceMs", OC_NULLABLE, 0, OC_JSON_MAX_EXACT),
    OC_INT(T, until_ms, "untilMs", OC_NULLABLE, 0, OC_JSON_MAX_EXACT),
    OC_INT(T, limit, "limit", OC_NULLABLE, 1, OC_MAX_AUDIT_LIST),
};
#undef T

static int64_t at_of(const cJSON *item) {
    return oc_json_get_int(item, "atMs", 0);
}

/* The gate that decided is known when the node has said so. */
static void put_gate(cJSON *item) {
    static const char *const keys[] = { "gate", "gateEntry" };
    const cJSON *last = oc_json_get(item, "end");
    last = last ? last : oc_json_get(item, "started");
    for (size_t i = 0; i < OC_COUNT(keys) && oc_json_get_str(last, "gate"); i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(item, keys[i]);
        oc_json_set_str(item, keys[i], oc_json_get_str(last, keys[i]));
    }
}

/* Every run is one line: what started none is not called one. */
static void put_kind(cJSON *item) {
    if (oc_streq(oc_json_get_str(oc_json_get(item, "end"), "outcome"), "repeated")) {
        cJSON_ReplaceItemInObjectCaseSensitive(item, "kind", cJSON_CreateString("repeat"));
    }
}

/* Two lists, newest first, become one of at most `limit`. */
static cJSON *merge(cJSON *a, cJSON *b, int64_t limit) {
    cJSON *all = cJSON_CreateArray();
    for (int64_t i = 0; i < limit && (a->child || b->child); i++) {
        bool is_a = a->child && (!b->child || at_of(a->child) >= at_of(b->child));
        cJSON *from = is_a ? a : b;
        put_gate(from->child);
        put_kind(from->child);
        cJSON_AddItemToArray(all, cJSON_DetachItemViaPointer(from, from->child));
    }
    return all;
}

void oc_method_exec_audit_list(const struct oc_call *call) {
    struct params p = { .until_ms = OC_JSON_MAX_EXACT, .limit = DEFAULT_LIMIT };
    if (!oc_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    struct oc_audit_query q = { .node_id = oc_str_blank(p.node_id) ? NULL : p.node_id,
        .since_ms = p.since_ms,
        .until_ms = p.until_ms,
        .limit = (int)p.limit };
    OC_AUTO_JSON cJSON *runs = cJSON_CreateArray(), *refusals = cJSON_CreateArray();
    int64_t pruned_runs = 0, pruned_refusals = 0;
    struct oc_error err;
    oc_run_ends_write_now(call->gw->run_ends);
    if (oc_audit_list(call->gw->store, OC_AUDIT_RUNS, &q, runs, &pruned_runs, &err) != OC_OK ||
            oc_audit_list(call->gw->store, OC_AUDIT_REFUSALS, &q, refusals, &pruned_refusals,
                    &err) != OC_OK) {
        oc_call_fail(call, &err);
        return;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "items", merge(runs, refusals, p.limit));
    oc_json_set_int(o, "pruned", pruned_runs + pruned_refusals);
    oc_call_ok(call, o);
}
