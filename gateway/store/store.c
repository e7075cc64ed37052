/* Documents in and out of the database. One SQL table per enum gw_table, all of the same shape:
 *
 *   seq    grows with every insert, so "newest" is the greatest
 *   key    unique
 *   owner  indexed, may be NULL
 *   doc    compact JSON */
#include "gateway/store/store.h"

#include "gateway/store/store_priv.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#include <string.h>

static const char *const table_names[GW_TABLE_COUNT] = {
    [GW_DEVICES] = "devices",
    [GW_DEVICE_REQUESTS] = "device_requests",
    [GW_NODES] = "nodes",
    [GW_NODE_REQUESTS] = "node_requests",
};

/* Caller frees. */
static char *sql_of(enum gw_store_stmt kind, const char *table) {
    switch (kind) {
    case GW_STMT_GET:
        return oc_strfmt("SELECT doc, key FROM %s WHERE key = ?1", table);
    case GW_STMT_GET_BY_OWNER:
        return oc_strfmt(
                "SELECT doc, key FROM %s WHERE owner = ?1 ORDER BY seq DESC LIMIT 1", table);
    case GW_STMT_PUT:
        return oc_strfmt("INSERT INTO %s(key, owner, doc) VALUES(?1, ?2, ?3) "
                         "ON CONFLICT(key) DO UPDATE SET owner = ?2, doc = ?3",
                table);
    case GW_STMT_DELETE:
        return oc_strfmt("DELETE FROM %s WHERE key = ?1", table);
    case GW_STMT_DELETE_OWNED:
        return oc_strfmt("DELETE FROM %s WHERE owner = ?1", table);
    case GW_STMT_ALL:
        return oc_strfmt("SELECT doc, key FROM %s", table);
    case GW_STMT_COUNT_FROM:
        return oc_strfmt(
                "SELECT count(*) FROM %s WHERE json_extract(doc, '$.remoteNet') = ?1", table);
    case GW_STMT_DELETE_OUTSIDE:
        return oc_strfmt(
                "DELETE FROM %s WHERE json_extract(doc, '$.ts') NOT BETWEEN ?1 AND ?2", table);
    case GW_STMT_COUNT:
    case GW_STMT_KINDS:
        break;
    }
    return oc_strfmt("SELECT count(*) FROM %s", table);
}

enum oc_code gw_store_fail(struct gw_store *s, const char *doing, struct oc_error *err) {
    const char *why = sqlite3_errmsg(s->db);
    switch (sqlite3_errcode(s->db)) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return oc_fail(err, OC_E_CORRUPT,
                "database '%s' is damaged (%s, %s): move it away or restore a backup", s->path,
                doing, why);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return oc_fail(err, OC_E_IO,
                "database '%s' is locked by another program (%s): close it and try again", s->path,
                doing);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_FULL:
        return oc_fail(err, OC_E_IO, "database '%s': %s: %s", s->path, doing, why);
    default:
        return oc_fail(err, OC_E_INTERNAL, "database '%s': %s: %s", s->path, doing, why);
    }
}

enum oc_code gw_store_exec(struct gw_store *s, const char *text, struct oc_error *err) {
    if (sqlite3_exec(s->db, text, NULL, NULL, NULL) != SQLITE_OK) {
        return gw_store_fail(s, text, err);
    }
    return OC_OK;
}

enum oc_code gw_store_set_lax(struct gw_store *s, bool is_lax, struct oc_error *err) {
    if (s->is_lax == is_lax || s->depth > 0) {
        return OC_OK; /* in a transaction its beginning has decided */
    }
    enum oc_code rc = gw_store_exec(
            s, is_lax ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL", err);
    s->is_lax = rc == OC_OK ? is_lax : s->is_lax;
    return rc;
}

static void auto_reset(sqlite3_stmt **stmt) {
    if (*stmt) {
        sqlite3_reset(*stmt);
        sqlite3_clear_bindings(*stmt); /* what was bound is borrowed */
    }
}
#define AUTO_RESET __attribute__((cleanup(auto_reset)))

static void auto_finalize(sqlite3_stmt **stmt) {
    sqlite3_finalize(*stmt);
}
#define AUTO_FINALIZE __attribute__((cleanup(auto_finalize)))

static enum oc_code store_statement(struct gw_store *s, enum gw_table t, enum gw_store_stmt kind,
        sqlite3_stmt **ret, struct oc_error *err) {
    if (!s->stmts[t][kind]) {
        OC_AUTO_FREE char *sql = sql_of(kind, table_names[t]);
        if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->stmts[t][kind],
                    NULL) != SQLITE_OK) {
            return gw_store_fail(s, table_names[t], err);
        }
    }
    *ret = s->stmts[t][kind];
    return OC_OK;
}

/* NULL binds as NULL, which no key or owner equals. */
static void bind_text(sqlite3_stmt *stmt, int at, const char *text) {
    sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC);
}

void gw_store_finalize(struct gw_store *s) {
    for (size_t i = 0; i < OC_COUNT(s->audit_stmts); i++) {
        sqlite3_finalize(s->audit_stmts[i]);
        s->audit_stmts[i] = NULL;
    }
    for (size_t t = 0; t < GW_TABLE_COUNT; t++) {
        for (size_t kind = 0; kind < GW_STMT_KINDS; kind++) {
            sqlite3_finalize(s->stmts[t][kind]);
            s->stmts[t][kind] = NULL;
        }
    }
}

enum oc_code gw_store_check_tables(struct gw_store *s, struct oc_error *err) {
    enum oc_code rc = OC_OK;
    for (enum gw_table t = 0; t < GW_TABLE_COUNT && rc == OC_OK; t++) {
        for (enum gw_store_stmt kind = 0; kind < GW_STMT_KINDS && rc == OC_OK; kind++) {
            sqlite3_stmt *stmt = NULL;
            rc = store_statement(s, t, kind, &stmt, err);
        }
    }
    gw_store_finalize(s); /* a gateway uses half of them; the others need not stay in memory */
    return rc;
}

static enum oc_code read_doc(struct gw_store *s, enum gw_table t, sqlite3_stmt *stmt, cJSON **ret,
        struct oc_error *err) {
    const char *text = (const char *)sqlite3_column_text(stmt, 0);
    int len = sqlite3_column_bytes(stmt, 0);
    struct oc_error why = { 0 };
    if (!text || oc_json_parse(text, (size_t)len, ret, &why) != OC_OK) {
        const char *key = (const char *)sqlite3_column_text(stmt, 1);
        return oc_fail(err, OC_E_CORRUPT,
                "database '%s': document '%.80s' of %s is damaged (%.100s): restore a backup",
                s->path, key ? key : "", table_names[t], text ? why.text : "empty");
    }
    return OC_OK;
}

static enum oc_code get_one(struct gw_store *s, enum gw_table t, enum gw_store_stmt kind,
        const char *id, cJSON **ret, struct oc_error *err) {
    AUTO_RESET sqlite3_stmt *stmt = NULL;
    enum oc_code rc = store_statement(s, t, kind, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    bind_text(stmt, 1, id);
    switch (sqlite3_step(stmt)) {
    case SQLITE_ROW:
        return read_doc(s, t, stmt, ret, err);
    case SQLITE_DONE:
        return oc_fail(err, OC_E_NOT_FOUND, "no '%.80s' in %s", id ? id : "", table_names[t]);
    default:
        return gw_store_fail(s, table_names[t], err);
    }
}

enum oc_code gw_store_get(
        struct gw_store *s, enum gw_table t, const char *key, cJSON **ret, struct oc_error *err) {
    return get_one(s, t, GW_STMT_GET, key, ret, err);
}

enum oc_code gw_store_get_by_owner(
        struct gw_store *s, enum gw_table t, const char *owner, cJSON **ret, struct oc_error *err) {
    return get_one(s, t, GW_STMT_GET_BY_OWNER, owner, ret, err);
}

static enum oc_code store_run(struct gw_store *s, enum gw_table t, sqlite3_stmt *stmt, bool is_lax,
        struct oc_error *err) {
    enum oc_code rc = gw_store_set_lax(s, is_lax, err);
    if (rc != OC_OK) {
        return rc;
    }
    return sqlite3_step(stmt) == SQLITE_DONE ? OC_OK : gw_store_fail(s, table_names[t], err);
}

static enum oc_code store_put(struct gw_store *s, enum gw_table t, const char *key,
        const char *owner, const cJSON *doc, bool is_lax, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_json_print(doc, false);
    size_t len = strlen(text);
    if (len > (size_t)OC_MAX_STATE_FILE_BYTES) {
        return oc_fail(err, OC_E_TOO_LARGE, "document '%.80s' of %s has %zu bytes, at most %u fit",
                key, table_names[t], len, OC_MAX_STATE_FILE_BYTES);
    }
    AUTO_RESET sqlite3_stmt *stmt = NULL;
    enum oc_code rc = store_statement(s, t, GW_STMT_PUT, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    bind_text(stmt, 1, key);
    bind_text(stmt, 2, owner);
    sqlite3_bind_text(stmt, 3, text, (int)len, SQLITE_STATIC);
    return store_run(s, t, stmt, is_lax, err);
}

enum oc_code gw_store_put(struct gw_store *s, enum gw_table t, const char *key, const char *owner,
        const cJSON *doc, struct oc_error *err) {
    return store_put(s, t, key, owner, doc, false, err);
}

static enum oc_code delete_by(struct gw_store *s, enum gw_table t, enum gw_store_stmt kind,
        const char *id, struct oc_error *err) {
    AUTO_RESET sqlite3_stmt *stmt = NULL;
    enum oc_code rc = store_statement(s, t, kind, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    bind_text(stmt, 1, id);
    return store_run(s, t, stmt, false, err);
}

enum oc_code gw_store_delete(
        struct gw_store *s, enum gw_table t, const char *key, struct oc_error *err) {
    return delete_by(s, t, GW_STMT_DELETE, key, err);
}

enum oc_code gw_store_delete_owned(
        struct gw_store *s, enum gw_table t, const char *owner, struct oc_error *err) {
    return delete_by(s, t, GW_STMT_DELETE_OWNED, owner, err);
}

enum oc_code gw_store_all(struct gw_store *s, enum gw_table t, cJSON **ret, struct oc_error *err) {
    AUTO_RESET sqlite3_stmt *stmt = NULL;
    enum oc_code rc = store_statement(s, t, GW_STMT_ALL, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *all = cJSON_CreateArray();
    for (;;) {
        int step = sqlite3_step(stmt);
        if (step == SQLITE_DONE) {
            *ret = oc_take(&all);
            return OC_OK;
        }
        if (step != SQLITE_ROW) {
            return gw_store_fail(s, table_names[t], err);
        }
        cJSON *doc = NULL;
        rc = read_doc(s, t, stmt, &doc, err);
        if (rc != OC_OK) {
            return rc;
        }
        cJSON_AddItemToArray(all, doc);
    }
}

enum oc_code gw_store_count(
        struct gw_store *s, enum gw_table t, size_t *ret, struct oc_error *err) {
    AUTO_RESET sqlite3_stmt *stmt = NULL;
    enum oc_code rc = store_statement(s, t, GW_STMT_COUNT, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (sqlite3_step(stmt) != SQLITE_ROW) {
        return gw_store_fail(s, table_names[t], err);
    }
    *ret = (size_t)sqlite3_column_int64(stmt, 0);
    return OC_OK;
}

enum oc_code gw_store_count_from(
        struct gw_store *s, enum gw_table t, const char *ip, size_t *ret, struct oc_error *err) {
    AUTO_RESET sqlite3_stmt *stmt = NULL;
    enum oc_code rc = store_statement(s, t, GW_STMT_COUNT_FROM, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    bind_text(stmt, 1, ip);
    if (sqlite3_step(stmt) != SQLITE_ROW) {
        return gw_store_fail(s, table_names[t], err);
    }
    *ret = (size_t)sqlite3_column_int64(stmt, 0);
    return OC_OK;
}

enum oc_code gw_store_delete_outside(struct gw_store *s, enum gw_table t, int64_t first_ms,
        int64_t last_ms, struct oc_error *err) {
    AUTO_RESET sqlite3_stmt *stmt = NULL;
    enum oc_code rc = store_statement(s, t, GW_STMT_DELETE_OUTSIDE, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    sqlite3_bind_int64(stmt, 1, first_ms);
    sqlite3_bind_int64(stmt, 2, last_ms);
    return store_run(s, t, stmt, false, err);
}

static int on_steps(void *user) {
    struct gw_store *s = user;
    s->on_work(s->work_user);
    return 0;
}

void gw_store_on_work(struct gw_store *s, int steps, void (*fn)(void *user), void *user) {
    s->on_work = fn;
    s->work_user = user;
    sqlite3_progress_handler(s->db, steps, on_steps, s);
}

int64_t gw_store_changes(const struct gw_store *s) {
    return sqlite3_total_changes64(s->db);
}

enum oc_code gw_store_put_soon(struct gw_store *s, enum gw_table t, const char *key,
        const char *owner, const cJSON *doc, struct oc_error *err) {
    return store_put(s, t, key, owner, doc, true, err);
}

static enum oc_code store_begin(struct gw_store *s, bool is_lax, struct oc_error *err) {
    enum oc_code rc = gw_store_set_lax(s, is_lax, err);
    if (rc == OC_OK) {
        rc = gw_store_exec(s, s->depth == 0 ? "BEGIN IMMEDIATE" : "SAVEPOINT inner_part", err);
    }
    if (rc == OC_OK) {
        s->depth++;
    }
    return rc;
}

enum oc_code gw_store_begin(struct gw_store *s, struct oc_error *err) {
    return store_begin(s, false, err);
}

enum oc_code gw_store_begin_lax(struct gw_store *s, struct oc_error *err) {
    return store_begin(s, true, err);
}

enum oc_code gw_store_commit(struct gw_store *s, struct oc_error *err) {
    if (s->depth == 0 || sqlite3_get_autocommit(s->db)) {
        /* SQLite gives up a whole transaction by itself when the disk is full or fails. */
        s->depth = 0;
        return oc_fail(err, OC_E_IO, "database '%s': the transaction was lost, nothing was changed",
                s->path);
    }
    enum oc_code rc = gw_store_exec(s, s->depth == 1 ? "COMMIT" : "RELEASE inner_part", err);
    if (rc != OC_OK) {
        gw_store_rollback(s);
        return rc;
    }
    s->depth--;
    return OC_OK;
}

void gw_store_rollback(struct gw_store *s) {
    if (s->depth == 0) {
        return;
    }
    s->depth--;
    /* Fails only when SQLite has already rolled everything back. */
    (void)sqlite3_exec(s->db,
            s->depth == 0 ? "ROLLBACK" : "ROLLBACK TO inner_part; RELEASE inner_part", NULL, NULL,
            NULL);
}

enum oc_code gw_store_end(struct gw_store *s, enum oc_code rc, struct oc_error *err) {
    if (rc == OC_OK) {
        return gw_store_commit(s, err);
    }
    gw_store_rollback(s);
    return rc;
}

enum oc_code gw_store_get_meta(
        struct gw_store *s, const char *key, char **ret, struct oc_error *err) {
    AUTO_FINALIZE sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(s->db, "SELECT value FROM meta WHERE key = ?1", -1, &stmt, NULL) !=
            SQLITE_OK) {
        return gw_store_fail(s, "meta", err);
    }
    bind_text(stmt, 1, key);
    switch (sqlite3_step(stmt)) {
    case SQLITE_ROW: {
        const char *value = (const char *)sqlite3_column_text(stmt, 0);
        *ret = oc_strdup(value ? value : "");
        return OC_OK;
    }
    case SQLITE_DONE:
        return oc_fail(err, OC_E_NOT_FOUND, "no '%s' in meta", key);
    default:
        return gw_store_fail(s, "meta", err);
    }
}

enum oc_code gw_store_set_meta(
        struct gw_store *s, const char *key, const char *value, struct oc_error *err) {
    AUTO_FINALIZE sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(s->db, "INSERT OR REPLACE INTO meta(key, value) VALUES(?1, ?2)", -1,
                &stmt, NULL) != SQLITE_OK) {
        return gw_store_fail(s, "meta", err);
    }
    bind_text(stmt, 1, key);
    bind_text(stmt, 2, value);
    enum oc_code rc = gw_store_set_lax(s, false, err);
    if (rc != OC_OK) {
        return rc;
    }
    return sqlite3_step(stmt) == SQLITE_DONE ? OC_OK : gw_store_fail(s, "meta", err);
}
