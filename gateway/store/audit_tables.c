/* The tables of the audit: how they are made, what guards them, and how old rows leave them. */
#include "gateway/store/audit_priv.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#define STR(x) STR_(x)
#define STR_(x) #x

/* AUTOINCREMENT never gives a number twice, also not after the newest row was lost. */
#define TABLE(name)                                                              \
    "CREATE TABLE IF NOT EXISTS " name "(seq INTEGER PRIMARY KEY AUTOINCREMENT," \
    " at_ms INTEGER NOT NULL, ref INTEGER, node TEXT, doc TEXT NOT NULL,"        \
    " actor TEXT NOT NULL DEFAULT '', invoke TEXT) STRICT;"

/* How many rows there are is kept by hand, or every row that is deleted would have all of them
 * counted. What was made by an earlier version and is not right any more is dropped first. */
#define GUARDS(name, keep)                                                                     \
    "CREATE INDEX IF NOT EXISTS " name "_ref ON " name "(ref) WHERE ref IS NOT NULL;"          \
    "CREATE INDEX IF NOT EXISTS " name "_invoke ON " name "(invoke) WHERE invoke IS NOT NULL;" \
    "CREATE INDEX IF NOT EXISTS " name "_actor ON " name "(actor, seq);"                       \
    "CREATE INDEX IF NOT EXISTS " name "_at ON " name "(at_ms) WHERE ref IS NULL;"             \
    "CREATE INDEX IF NOT EXISTS " name "_node ON " name "(node, at_ms) WHERE ref IS NULL;"     \
    "DROP TRIGGER IF EXISTS " name "_bounded;"                                                 \
    "DROP TRIGGER IF EXISTS " name "_kept;"                                                    \
    "REPLACE INTO exec_counts SELECT '" name "', count(*) FROM " name ";"                      \
    "CREATE TRIGGER IF NOT EXISTS " name "_unchanged BEFORE UPDATE ON " name                   \
    " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;"                             \
    "CREATE TRIGGER " name "_kept BEFORE DELETE ON " name                                      \
    " WHEN (SELECT n FROM exec_counts WHERE book = '" name                                     \
    "') <= " STR(keep) " OR EXISTS (SELECT 1 FROM " name                                       \
                       " WHERE actor = OLD.actor AND seq < OLD.seq)"                           \
                       " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;"          \
                       "CREATE TRIGGER IF NOT EXISTS " name "_numbered BEFORE INSERT ON " name \
                       " WHEN EXISTS (SELECT 1 FROM " name                                     \
                       " WHERE seq = NEW.seq)" /* REPLACE deletes unasked */                   \
                       " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;"          \
                       "CREATE TRIGGER IF NOT EXISTS " name "_more AFTER INSERT ON " name      \
                       " BEGIN UPDATE exec_counts SET n = n + 1 WHERE book = '" name "'; END;" \
                       "CREATE TRIGGER IF NOT EXISTS " name "_less AFTER DELETE ON " name      \
                       " BEGIN UPDATE exec_counts SET n = n - 1 WHERE book = '" name "'; END;"

/* Tables of earlier versions lack two columns. */
static enum oc_code add_columns(struct gw_store *s, const char *name, struct oc_error *err) {
    OC_AUTO_FREE char *ask =
            oc_strfmt("SELECT 1 FROM pragma_table_info('%s') WHERE name = 'actor'", name);
    GW_AUTO_STMT sqlite3_stmt *stmt = NULL;
    enum oc_code rc = gw_audit_prepare(s, ask, &stmt, err);
    int step = rc == OC_OK ? sqlite3_step(stmt) : SQLITE_ERROR;
    if (rc != OC_OK || step == SQLITE_ROW) {
        return rc;
    }
    if (step != SQLITE_DONE) {
        return gw_store_fail(s, "audit", err);
    }
    OC_AUTO_FREE char *alter = oc_strfmt("ALTER TABLE %s ADD COLUMN actor TEXT NOT NULL DEFAULT '';"
                                         "ALTER TABLE %s ADD COLUMN invoke TEXT;",
            name, name);
    return gw_store_exec(s, alter, err);
}

enum oc_code gw_audit_open(struct gw_store *s, struct oc_error *err) {
    enum oc_code rc = gw_store_begin(s, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = gw_store_exec(s,
            TABLE("exec_audit") TABLE("exec_refusals") "CREATE TABLE IF NOT EXISTS "
                                                       "exec_counts(book TEXT PRIMARY KEY,"
                                                       " n INTEGER NOT NULL) STRICT;",
            err);
    for (int i = 0; rc == OC_OK && i < GW_AUDIT_TABLES; i++) {
        rc = add_columns(s, gw_audit_names[i], err);
    }
    if (rc == OC_OK) {
        rc = gw_store_exec(s,
                GUARDS("exec_audit", OC_MAX_AUDIT_RUNS)
                        GUARDS("exec_refusals", OC_MAX_AUDIT_REFUSALS),
                err);
    }
    return gw_store_end(s, rc, err);
}

static enum oc_code audit_tables_count(
        struct gw_store *s, enum gw_audit_table table, int64_t *ret, struct oc_error *err) {
    OC_AUTO_FREE char *text =
            oc_strfmt("SELECT n FROM exec_counts WHERE book = '%s'", gw_audit_names[table]);
    GW_AUTO_STMT sqlite3_stmt *stmt = NULL;
    enum oc_code rc = gw_audit_prepare(s, text, &stmt, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (sqlite3_step(stmt) != SQLITE_ROW) {
        return gw_store_fail(s, "audit", err);
    }
    *ret = sqlite3_column_int64(stmt, 0);
    return OC_OK;
}

/* The oldest rows of the actor with the most. */
static enum oc_code drop_some(
        struct gw_store *s, enum gw_audit_table table, int64_t rows, struct oc_error *err) {
    const char *name = gw_audit_names[table];
    OC_AUTO_FREE char *text = oc_strfmt("DELETE FROM %s WHERE seq IN (SELECT seq FROM %s"
                                        " WHERE actor = (SELECT actor FROM %s GROUP BY actor"
                                        " ORDER BY count(*) DESC, min(seq) LIMIT 1)"
                                        " ORDER BY seq LIMIT %lld)",
            name, name, name, (long long)rows);
    return gw_store_exec(s, text, err);
}

enum oc_code gw_audit_prune(struct gw_store *s, enum gw_audit_table table, struct oc_error *err) {
    for (;;) {
        int64_t rows = 0;
        enum oc_code rc = audit_tables_count(s, table, &rows, err);
        int64_t excess = rows - gw_audit_ceilings[table];
        if (rc != OC_OK || excess <= 0) {
            return rc;
        }
        /* A few at a time, so that two who have nearly as many take turns. */
        rc = drop_some(s, table, excess < GW_AUDIT_SLACK ? excess : GW_AUDIT_SLACK, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
}
