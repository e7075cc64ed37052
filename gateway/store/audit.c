#include "gateway/store/audit.h"

#include "gateway/store/audit_priv.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#include <string.h>

const char *const gw_audit_names[GW_AUDIT_TABLES] = { "exec_audit", "exec_refusals" };
const int64_t gw_audit_ceilings[GW_AUDIT_TABLES] = { OC_MAX_AUDIT_RUNS, OC_MAX_AUDIT_REFUSALS };

enum { PRUNE_EVERY = GW_AUDIT_SLACK };

enum oc_code gw_audit_prepare(
        struct gw_store *s, const char *text, sqlite3_stmt **ret, struct oc_error *err) {
    return sqlite3_prepare_v2(s->db, text, -1, ret, NULL) == SQLITE_OK
                   ? OC_OK
                   : gw_store_fail(s, "audit", err);
}

static void auto_reset(sqlite3_stmt **stmt) {
    if (*stmt) {
        sqlite3_reset(*stmt);
        sqlite3_clear_bindings(*stmt); /* what was bound is borrowed */
    }
}
#define AUTO_RESET __attribute__((cleanup(auto_reset)))

/* Two rows for every command: worth keeping. */
static enum oc_code insert_statement(
        struct gw_store *s, enum gw_audit_table table, sqlite3_stmt **ret, struct oc_error *err) {
    if (!s->audit_stmts[table]) {
        OC_AUTO_FREE char *into = oc_strfmt("INSERT INTO %s(at_ms, ref, node, doc, actor, invoke)"
                                            " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                gw_audit_names[table]);
        enum oc_code rc = gw_audit_prepare(s, into, &s->audit_stmts[table], err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    *ret = s->audit_stmts[table];
    return OC_OK;
}

static enum oc_code audit_insert(struct gw_store *s, enum gw_audit_table table,
        const struct gw_audit_row *row, int64_t *ret_seq, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_json_print(row->doc, false);
    AUTO_RESET sqlite3_stmt *stmt = NULL;
    enum oc_code rc = insert_statement(s, table, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    sqlite3_bind_int64(stmt, 1, row->at_ms);
    if (row->ref > 0) {
        sqlite3_bind_int64(stmt, 2, row->ref);
    }
    sqlite3_bind_text(stmt, 3, row->node_id, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 4, text, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 5, row->actor ? row->actor : "", -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 6, row->invoke_id, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) != SQLITE_DONE) {
        return gw_store_fail(s, "audit", err);
    }
    int64_t seq = sqlite3_last_insert_rowid(s->db);
    if (ret_seq) {
        *ret_seq = seq;
    }
    return seq % PRUNE_EVERY == 0 ? gw_audit_prune(s, table, err) : OC_OK;
}

enum oc_code gw_audit_add(struct gw_store *s, enum gw_audit_table table,
        const struct gw_audit_row *row, int64_t *ret_seq, struct oc_error *err) {
    enum oc_code rc = gw_store_set_lax(s, true, err);
    return rc == OC_OK ? audit_insert(s, table, row, ret_seq, err) : rc;
}

/* An end is told by how its document begins: one that is damaged elsewhere still counts. */
enum oc_code gw_audit_find(struct gw_store *s, const char *node_id, const char *invoke_id,
        struct gw_audit_run *ret, struct oc_error *err) {
    GW_AUTO_STMT sqlite3_stmt *stmt = NULL;
    enum oc_code rc = gw_audit_prepare(s,
            "SELECT a.seq, a.actor, EXISTS (SELECT 1 FROM exec_audit e"
            " WHERE e.ref = a.seq AND e.doc LIKE '{\"kind\":\"end\"%') FROM exec_audit a"
            " WHERE a.invoke = ?1 AND a.node = ?2",
            &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    sqlite3_bind_text(stmt, 1, invoke_id, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, node_id, -1, SQLITE_STATIC);
    int step = sqlite3_step(stmt);
    if (step == SQLITE_DONE) {
        return oc_fail(err, OC_E_NOT_FOUND, "the audit knows no such run");
    }
    if (step != SQLITE_ROW) {
        return gw_store_fail(s, "audit", err);
    }
    *ret = (struct gw_audit_run){ .seq = sqlite3_column_int64(stmt, 0),
        .actor = oc_strdup((const char *)sqlite3_column_text(stmt, 1)),
        .is_ended = sqlite3_column_int(stmt, 2) != 0 };
    return OC_OK;
}

void gw_audit_run_finish(struct gw_audit_run *run) {
    oc_free(run->actor);
    *run = (struct gw_audit_run){ 0 };
}

enum oc_code gw_audit_close_open(struct gw_store *s, int64_t at_ms, const cJSON *doc,
        int64_t *ret_count, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_json_print(doc, false);
    GW_AUTO_STMT sqlite3_stmt *stmt = NULL;
    enum oc_code rc = gw_audit_prepare(s,
            "INSERT INTO exec_audit(at_ms, ref, node, doc, actor)"
            " SELECT ?1, a.seq, a.node, ?2, a.actor FROM exec_audit a WHERE a.invoke IS NOT NULL"
            " AND NOT EXISTS (SELECT 1 FROM exec_audit e WHERE e.ref = a.seq)",
            &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    sqlite3_bind_int64(stmt, 1, at_ms);
    sqlite3_bind_text(stmt, 2, text, -1, SQLITE_STATIC);
    rc = gw_store_set_lax(s, false, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (sqlite3_step(stmt) != SQLITE_DONE) {
        return gw_store_fail(s, "audit", err);
    }
    *ret_count = sqlite3_changes(s->db);
    return OC_OK;
}

/* A row that cannot be read any more is still shown as being there. */
static cJSON *read_doc(sqlite3_stmt *stmt, int at_column) {
    const char *text = (const char *)sqlite3_column_text(stmt, at_column + 1);
    cJSON *doc = NULL;
    struct oc_error ignored;
    if (!text || oc_json_parse(text, strlen(text), &doc, &ignored) != OC_OK ||
            !cJSON_IsObject(doc)) {
        cJSON_Delete(doc);
        doc = cJSON_CreateObject();
        oc_json_set_str(doc, "kind", "damaged");
    }
    oc_json_set_int(doc, "atMs", sqlite3_column_int64(stmt, at_column));
    return doc;
}

/* Rows are counted where they come and go: counting them here would read all of them. */
static enum oc_code count_pruned(
        struct gw_store *s, enum gw_audit_table table, int64_t *ret, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_strfmt("SELECT coalesce((SELECT seq FROM sqlite_sequence"
                                        " WHERE name = '%s'), 0) - (SELECT n FROM exec_counts"
                                        " WHERE book = '%s')",
            gw_audit_names[table], gw_audit_names[table]);
    GW_AUTO_STMT sqlite3_stmt *stmt = NULL;
    enum oc_code rc = gw_audit_prepare(s, text, &stmt, err);
    if (rc == OC_OK && sqlite3_step(stmt) != SQLITE_ROW) {
        rc = gw_store_fail(s, "audit", err);
    }
    if (rc == OC_OK) {
        *ret = sqlite3_column_int64(stmt, 0);
    }
    return rc;
}

char *gw_audit_list_sql(enum gw_audit_table table, bool has_node) {
    const char *name = gw_audit_names[table];
    return oc_strfmt("SELECT a.seq, a.at_ms, a.doc, e.at_ms, e.doc FROM %s a LEFT JOIN %s e"
                     " ON e.seq = (SELECT max(l.seq) FROM %s l WHERE l.ref = a.seq)"
                     " WHERE a.ref IS NULL%s AND a.at_ms >= ?2 AND (a.at_ms, a.seq) < (?3, ?4)"
                     " ORDER BY a.at_ms DESC, a.seq DESC LIMIT ?5",
            name, name, name, has_node ? " AND a.node = ?1" : "");
}

static cJSON *read_item(sqlite3_stmt *stmt) {
    cJSON *item = read_doc(stmt, 1);
    oc_json_set_int(item, "seq", sqlite3_column_int64(stmt, 0));
    if (sqlite3_column_type(stmt, 4) != SQLITE_NULL) {
        cJSON *last = read_doc(stmt, 3);
        bool goes_on = oc_streq(oc_json_get_str(last, "kind"), "started");
        oc_json_set(item, goes_on ? "started" : "end", last);
    }
    return item;
}

enum oc_code gw_audit_list(struct gw_store *s, enum gw_audit_table table,
        const struct gw_audit_query *q, struct gw_audit_page *ret, struct oc_error *err) {
    OC_AUTO_FREE char *text = gw_audit_list_sql(table, q->node_id != NULL);
    GW_AUTO_STMT sqlite3_stmt *stmt = NULL;
    enum oc_code rc = gw_audit_prepare(s, text, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (q->node_id) {
        sqlite3_bind_text(stmt, 1, q->node_id, -1, SQLITE_STATIC);
    }
    sqlite3_bind_int64(stmt, 2, q->since_ms);
    sqlite3_bind_int64(stmt, 3, q->until_ms);
    sqlite3_bind_int64(stmt, 4, q->before_seq);
    sqlite3_bind_int(stmt, 5, q->limit);
    OC_AUTO_JSON cJSON *items = cJSON_CreateArray();
    size_t bytes = 0;
    int count = 0, step;
    while ((step = sqlite3_step(stmt)) == SQLITE_ROW && bytes < q->max_bytes) {
        cJSON_AddItemToArray(items, read_item(stmt));
        bytes += (size_t)sqlite3_column_bytes(stmt, 2) + (size_t)sqlite3_column_bytes(stmt, 4);
        count++;
    }
    if (step != SQLITE_DONE && step != SQLITE_ROW) {
        return gw_store_fail(s, "audit", err);
    }
    rc = count_pruned(s, table, &ret->pruned, err);
    if (rc == OC_OK) {
        ret->items = oc_take(&items);
        ret->is_cut = step == SQLITE_ROW || count == q->limit;
    }
    return rc;
}
