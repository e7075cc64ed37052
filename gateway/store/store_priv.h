/* What store.c (documents) and store_open.c (the file they live in) share. */
#ifndef GATEWAY_STORE_STORE_PRIV_H
#define GATEWAY_STORE_STORE_PRIV_H

#include "gateway/store/audit.h"
#include "gateway/store/store.h"

#include <sqlite3.h>

enum gw_store_stmt {
    GW_STMT_GET,
    GW_STMT_GET_BY_OWNER,
    GW_STMT_PUT,
    GW_STMT_DELETE,
    GW_STMT_DELETE_OWNED,
    GW_STMT_ALL,
    GW_STMT_COUNT,
    GW_STMT_COUNT_FROM,
    GW_STMT_DELETE_OUTSIDE,
    GW_STMT_KINDS,
};

struct gw_store {
    sqlite3 *db;
    char *path;
    int lock_fd;    /* holds the flock of <path>.lock; -1 for :memory: */
    unsigned depth; /* of open transactions */
    bool is_lax;    /* the next commit does not wait for the disk */
    void (*on_work)(void *user);
    void *work_user;
    sqlite3_stmt *audit_stmts[GW_AUDIT_TABLES];         /* inserts; prepared on first use */
    sqlite3_stmt *stmts[GW_TABLE_COUNT][GW_STMT_KINDS]; /* prepared on first use */
};

/* The error SQLite reported last. `doing` says what we wanted. */
enum oc_code gw_store_fail(struct gw_store *s, const char *doing, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_store_exec(struct gw_store *s, const char *sql, struct oc_error *err) OC_MUST_USE;
/* Whether commits from here on may be lost with the machine's power. Everything that writes says it
 * first; it stays as it is, since lines of the audit often follow each other. */
enum oc_code gw_store_set_lax(struct gw_store *s, bool is_lax, struct oc_error *err) OC_MUST_USE;
/* Prepares every kind of statement once, so that a table or column that is missing shows at open.
 */
enum oc_code gw_store_check_tables(struct gw_store *s, struct oc_error *err) OC_MUST_USE;
void gw_store_finalize(struct gw_store *s);

#endif
