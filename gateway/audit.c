#include "gateway/audit.h"

#include "base/mem.h"
#include "gateway/store_priv.h"
#include "protocol/limits.h"

#include <string.h>

#define STR(x) STR_(x)
#define STR_(x) #x

/* AUTOINCREMENT never gives a number twice, also not after the newest row was lost. */
#define BOOK(name, keep)                                                                     \
    "CREATE TABLE IF NOT EXISTS " name "(seq INTEGER PRIMARY KEY AUTOINCREMENT,"             \
    " at_ms INTEGER NOT NULL, ref INTEGER, node TEXT, doc TEXT NOT NULL) STRICT;"            \
    "CREATE INDEX IF NOT EXISTS " name "_ref ON " name "(ref) WHERE ref IS NOT NULL;"        \
    "CREATE TRIGGER IF NOT EXISTS " name "_unchanged BEFORE UPDATE ON " name                 \
    " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;"                           \
    "CREATE TRIGGER IF NOT EXISTS " name "_kept BEFORE DELETE ON " name                      \
    " WHEN OLD.seq > (SELECT max(seq) FROM " name                                            \
    ") - " STR(keep) " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;"          \
                     "CREATE TRIGGER IF NOT EXISTS " name "_numbered BEFORE INSERT ON " name \
                     " WHEN EXISTS (SELECT 1 FROM " name                                     \
                     " WHERE seq = NEW.seq)" /* REPLACE deletes unasked */                   \
                     " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;"          \
                     "CREATE TRIGGER IF NOT EXISTS " name "_bounded AFTER INSERT ON " name   \
                     " BEGIN DELETE FROM " name " WHERE seq <= NEW.seq - " STR(keep) "; END;"

static const char *const names[OC_AUDIT_BOOKS] = { "exec_audit", "exec_refusals" };

enum oc_code oc_audit_open(struct oc_store *s, struct oc_error *err) {
    return oc_store_exec(s,
            "BEGIN IMMEDIATE;" BOOK("exec_audit", OC_MAX_AUDIT_RUNS)
                    BOOK("exec_refusals", OC_MAX_AUDIT_REFUSALS) "COMMIT;",
            err);
}

static void auto_finalize(sqlite3_stmt **stmt) {
    sqlite3_finalize(*stmt);
}
#define AUTO_FINALIZE __attribute__((cleanup(auto_finalize)))

static enum oc_code prepare(
        struct oc_store *s, const char *text, sqlite3_stmt **ret, struct oc_error *err) {
    return sqlite3_prepare_v2(s->db, text, -1, ret, NULL) == SQLITE_OK
                   ? OC_OK
                   : oc_store_fail(s, "audit", err);
}

static enum oc_code insert(struct oc_store *s, enum oc_audit_book book,
        const struct oc_audit_row *row, int64_t *ret_seq, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_json_print(row->doc, false);
    OC_AUTO_FREE char *into =
            oc_strfmt("INSERT INTO %s(at_ms, ref, node, doc) VALUES(?1, ?2, ?3, ?4)", names[book]);
    AUTO_FINALIZE sqlite3_stmt *stmt = NULL;
    enum oc_code rc = prepare(s, into, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    sqlite3_bind_int64(stmt, 1, row->at_ms);
    if (row->ref > 0) {
        sqlite3_bind_int64(stmt, 2, row->ref);
    }
    sqlite3_bind_text(stmt, 3, row->node_id, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 4, text, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) != SQLITE_DONE) {
        return oc_store_fail(s, "audit", err);
    }
    if (ret_seq) {
        *ret_seq = sqlite3_last_insert_rowid(s->db);
    }
    return OC_OK;
}

enum oc_code oc_audit_add(struct oc_store *s, enum oc_audit_book book,
        const struct oc_audit_row *row, int64_t *ret_seq, struct oc_error *err) {
    if (s->depth > 0) {
        return insert(s, book, row, ret_seq, err); /* the transaction decides */
    }
    enum oc_code rc = oc_store_exec(s, "PRAGMA synchronous = NORMAL", err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = insert(s, book, row, ret_seq, err);
    struct oc_error ignored;
    enum oc_code back = oc_store_exec(s, "PRAGMA synchronous = FULL", rc == OC_OK ? err : &ignored);
    return rc == OC_OK ? back : rc;
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

static enum oc_code count_pruned(
        struct oc_store *s, enum oc_audit_book book, int64_t *ret, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_strfmt("SELECT coalesce(min(seq), 1) - 1 FROM %s", names[book]);
    AUTO_FINALIZE sqlite3_stmt *stmt = NULL;
    enum oc_code rc = prepare(s, text, &stmt, err);
    if (rc == OC_OK && sqlite3_step(stmt) != SQLITE_ROW) {
        rc = oc_store_fail(s, "audit", err);
    }
    if (rc == OC_OK) {
        *ret = sqlite3_column_int64(stmt, 0);
    }
    return rc;
}

enum oc_code oc_audit_list(struct oc_store *s, enum oc_audit_book book,
        const struct oc_audit_query *q, cJSON *items, int64_t *ret_pruned, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_strfmt(
            "SELECT a.seq, a.at_ms, a.doc, e.at_ms, e.doc FROM %s a LEFT JOIN %s e ON e.ref = a.seq"
            " WHERE a.ref IS NULL AND (?1 IS NULL OR a.node = ?1) AND a.at_ms >= ?2 AND a.at_ms < "
            "?3"
            " ORDER BY a.seq DESC LIMIT ?4",
            names[book], names[book]);
    AUTO_FINALIZE sqlite3_stmt *stmt = NULL;
    enum oc_code rc = prepare(s, text, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    sqlite3_bind_text(stmt, 1, q->node_id, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 2, q->since_ms);
    sqlite3_bind_int64(stmt, 3, q->until_ms);
    sqlite3_bind_int(stmt, 4, q->limit);
    int step;
    while ((step = sqlite3_step(stmt)) == SQLITE_ROW) {
        cJSON *item = read_doc(stmt, 1);
        oc_json_set_int(item, "seq", sqlite3_column_int64(stmt, 0));
        if (sqlite3_column_type(stmt, 4) != SQLITE_NULL) {
            oc_json_set(item, "end", read_doc(stmt, 3));
        }
        cJSON_AddItemToArray(items, item);
    }
    return step == SQLITE_DONE ? count_pruned(s, book, ret_pruned, err)
                               : oc_store_fail(s, "audit", err);
}
