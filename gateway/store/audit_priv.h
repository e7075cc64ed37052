/* What audit.c (rows) and audit_tables.c (the tables they live in) share. */
#ifndef GATEWAY_STORE_AUDIT_PRIV_H
#define GATEWAY_STORE_AUDIT_PRIV_H

#include "gateway/store/audit.h"
#include "gateway/store/store_priv.h"

#define OC_AUDIT_SLACK 64 /* rows above its ceiling that a table may grow to between two prunings */

extern const char *const oc_audit_names[OC_AUDIT_BOOKS];
extern const int64_t oc_audit_ceilings[OC_AUDIT_BOOKS];

enum oc_code oc_audit_prepare(
        struct oc_store *s, const char *text, sqlite3_stmt **ret, struct oc_error *err) OC_MUST_USE;
/* ?1: node, ?2 ?3: since, until, ?4: before_seq, ?5: limit. Caller frees. */
char *oc_audit_list_sql(enum oc_audit_table table, bool has_node);
/* Takes away what is above the ceiling. */
enum oc_code oc_audit_prune(
        struct oc_store *s, enum oc_audit_table table, struct oc_error *err) OC_MUST_USE;

static inline void oc_auto_stmt(sqlite3_stmt **stmt) {
    sqlite3_finalize(*stmt);
}
#define OC_AUTO_STMT __attribute__((cleanup(oc_auto_stmt)))

#endif
