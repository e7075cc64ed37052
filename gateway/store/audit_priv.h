/* What audit.c (rows) and audit_tables.c (the tables they live in) share. */
#ifndef GATEWAY_STORE_AUDIT_PRIV_H
#define GATEWAY_STORE_AUDIT_PRIV_H

#include "gateway/store/audit.h"
#include "gateway/store/store_priv.h"

#define GW_AUDIT_SLACK 64 /* rows above its ceiling that a table may grow to between two prunings */

extern const char *const gw_audit_names[GW_AUDIT_TABLES];
extern const int64_t gw_audit_ceilings[GW_AUDIT_TABLES];

enum oc_code gw_audit_prepare(
        struct gw_store *s, const char *text, sqlite3_stmt **ret, struct oc_error *err) OC_MUST_USE;
/* ?1: node, ?2 ?3: since, until, ?4: before_seq, ?5: limit. Caller frees. */
char *gw_audit_list_sql(enum gw_audit_table table, bool has_node);
/* Takes away what is above the ceiling. */
enum oc_code gw_audit_prune(
        struct gw_store *s, enum gw_audit_table table, struct oc_error *err) OC_MUST_USE;

static inline void gw_auto_stmt(sqlite3_stmt **stmt) {
    sqlite3_finalize(*stmt);
}
#define GW_AUTO_STMT __attribute__((cleanup(gw_auto_stmt)))

#endif
