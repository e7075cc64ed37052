/* exec.audit.list: what was run through this gateway, newest first. Ours; the reference has nothing
 * like it.
 *
 *   {nodeId?, sinceMs?, untilMs?, cursor?, limit? (100; at most 1000)} →
 *   {items: [{kind: run|repeat|approval|refused, seq, atMs, by, nodeId, argv, command, cwd?,
 *             background?, tty?, stdin?, claimed?: {agentId?, sessionKey?}, gate,
 *             nodeSays?: {gate?, gateEntry?, decision?}, …, started?: {handle, …},
 *             end?: {outcome, source, exitCode?, signal?, bytes?, stdoutBytes?, stderrBytes?,
 *                    inputBytes?, input?, durationMs, reason?, cause?, grounds?, …}}],
 *    pruned: rows that have fallen out,
 *    next?: there may be more; ask again with this as cursor}
 *
 * One answer holds so many bytes at most (PAGE_BYTES), so that it does not take long; a cursor says
 * where in each table the next one begins.
 *
 * `claimed` is what the caller says of itself, `nodeSays` what the node says about its own gate;
 * `gate` is ours: "approval" (ours was given), "node-policy" (the node decides alone) or the gate
 * that refused. `end` is the word of its `source`. A run without end is still running. outcome
 * "unknown" may become another one when the node reports. A repeat asked by its key for a run that
 * has a line of its own, says the node; nothing ran. */
#include "gateway/audit/run_audit.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/store/audit.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/run_words.h"

#include <stdio.h>

#define DEFAULT_LIMIT 100
#define PAGE_BYTES 65536u /* of documents, of each table */

struct params {
    const char *node_id, *cursor;
    int64_t since_ms, until_ms, limit;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, node_id, "nodeId", OC_NULLABLE),
    OC_STR(T, cursor, "cursor", OC_NULLABLE),
    OC_INT(T, since_ms, "sinceMs", OC_NULLABLE, 0, OC_JSON_MAX_EXACT),
    OC_INT(T, until_ms, "untilMs", OC_NULLABLE, 0, OC_JSON_MAX_EXACT),
    OC_INT(T, limit, "limit", OC_NULLABLE, 1, OC_MAX_AUDIT_LIST),
};
#undef T

static int64_t at_of(const cJSON *item) {
    return oc_json_get_ms(item, "atMs", 0);
}

/* What the node says about its own gate stands beside what we know, never in its place. Older rows
 * have it among the rest. */
static void put_claims(cJSON *item) {
    static const char *const keys[] = { "gate", "gateEntry", "decision" };
    cJSON *last = cJSON_GetObjectItemCaseSensitive(item, "end");
    last = last ? last : cJSON_GetObjectItemCaseSensitive(item, "started");
    cJSON *says = cJSON_DetachItemFromObjectCaseSensitive(last, "nodeSays");
    says = says ? says : cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        oc_json_set(says, keys[i], cJSON_DetachItemFromObjectCaseSensitive(last, keys[i]));
    }
    if (says->child) {
        oc_json_set(item, "nodeSays", says);
    } else {
        cJSON_Delete(says);
    }
}

/* Every run is one line: what started none is not called one. */
static void put_kind(cJSON *item) {
    const char *outcome = oc_json_get_str(oc_json_get(item, "end"), "outcome");
    if (oc_outcome_named(outcome) == OC_OUTCOME_REPEATED) {
        cJSON_ReplaceItemInObjectCaseSensitive(item, "kind", cJSON_CreateString("repeat"));
    }
}

/* Where a table's next page begins: before this row. */
struct place {
    int64_t at_ms, seq;
};

static const char cursor_form[] = "%lld.%lld.%lld.%lld";

static bool read_cursor(const char *text, struct place ret[GW_AUDIT_TABLES]) {
    long long n[4];
    char again[100];
    if (sscanf(text, cursor_form, &n[0], &n[1], &n[2], &n[3]) != 4) {
        return false;
    }
    snprintf(again, sizeof(again), cursor_form, n[0], n[1], n[2], n[3]);
    ret[0] = (struct place){ n[0], n[1] };
    ret[1] = (struct place){ n[2], n[3] };
    return oc_streq(again, text); /* as we wrote it */
}

/* Two lists, newest first, become one of at most `limit`; it ends where one of them was cut. Moves
 * the places on. */
static cJSON *exec_audit_merge(struct gw_audit_page pages[GW_AUDIT_TABLES],
        struct place at[GW_AUDIT_TABLES], int64_t limit) {
    cJSON *all = cJSON_CreateArray(), *a = pages[0].items, *b = pages[1].items;
    for (int64_t i = 0; i < limit; i++) {
        if ((!a->child && (pages[0].is_cut || !b->child)) || (!b->child && pages[1].is_cut)) {
            break;
        }
        bool is_a = a->child && (!b->child || at_of(a->child) >= at_of(b->child));
        cJSON *from = is_a ? a : b, *item = cJSON_DetachItemViaPointer(from, from->child);
        at[is_a ? 0 : 1] = (struct place){ at_of(item),
            oc_json_get_int(item, "seq", 0, OC_JSON_MAX_EXACT, 0) };
        put_claims(item);
        put_kind(item);
        cJSON_AddItemToArray(all, item);
    }
    return all;
}

static bool has_more(const struct gw_audit_page pages[GW_AUDIT_TABLES]) {
    return pages[0].is_cut || pages[1].is_cut || pages[0].items->child || pages[1].items->child;
}

static enum oc_code read_audit(const struct gw_call *call, const struct params *p,
        const struct place at[GW_AUDIT_TABLES], struct gw_audit_page ret[GW_AUDIT_TABLES],
        struct oc_error *err) {
    enum oc_code rc = OC_OK;
    for (int i = 0; i < GW_AUDIT_TABLES && rc == OC_OK; i++) {
        struct gw_audit_query q = { .node_id = oc_str_blank(p->node_id) ? NULL : p->node_id,
            .since_ms = p->since_ms,
            .until_ms = at[i].at_ms,
            .before_seq = at[i].seq,
            .limit = (int)p->limit,
            .max_bytes = PAGE_BYTES };
        rc = gw_audit_list(call->gw->store, (enum gw_audit_table)i, &q, &ret[i], err);
    }
    return rc;
}

void gw_method_exec_audit_list(const struct gw_call *call) {
    struct params p = { .until_ms = OC_JSON_MAX_EXACT, .limit = DEFAULT_LIMIT };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    struct place at[GW_AUDIT_TABLES] = { { p.until_ms, 0 }, { p.until_ms, 0 } };
    struct gw_audit_page pages[GW_AUDIT_TABLES] = { 0 };
    struct oc_error err;
    if (p.cursor && !read_cursor(p.cursor, at)) {
        oc_fail(&err, OC_E_INVALID, "at /cursor: not one of ours");
        gw_call_fail_params(call, &err);
        return;
    }
    gw_run_audit_catch_up(call->gw->run_audit);
    if (read_audit(call, &p, at, pages, &err) != OC_OK) {
        gw_call_fail(call, &err);
    } else {
        cJSON *o = cJSON_CreateObject();
        oc_json_set(o, "items", exec_audit_merge(pages, at, p.limit));
        oc_json_set_int(o, "pruned", pages[0].pruned + pages[1].pruned);
        if (has_more(pages)) {
            char next[100];
            snprintf(next, sizeof(next), cursor_form, (long long)at[0].at_ms, (long long)at[0].seq,
                    (long long)at[1].at_ms, (long long)at[1].seq);
            oc_json_set_str(o, "next", next);
        }
        gw_call_ok(call, o);
    }
    for (int i = 0; i < GW_AUDIT_TABLES; i++) {
        cJSON_Delete(pages[i].items);
    }
}
