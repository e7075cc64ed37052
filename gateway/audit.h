/* The audit: what was asked of nodes, who asked, and what became of it. Rows are only ever added.
 *
 * The database itself refuses to change a row, and to delete one that is not older than the newest OC_MAX_AUDIT_* rows of
 * its book; adding a row takes away the one that falls out. Rows are numbered without gaps, so that what is missing can
 * be told from what never was. Refusals have a book of their own: whoever is refused ten thousand times does not push
 * out what others ran. */
#ifndef GATEWAY_AUDIT_H
#define GATEWAY_AUDIT_H

#include "base/json.h"
#include "gateway/store.h"

enum oc_audit_book {
    OC_AUDIT_RUNS,     /* runs, their ends, decisions about approvals */
    OC_AUDIT_REFUSALS, /* what no node was asked */
    OC_AUDIT_BOOKS,
};

struct oc_audit_row {
    int64_t at_ms;
    int64_t ref; /* the row this one completes; 0: none */
    const char *node_id;
    const cJSON *doc;
};

/* Makes the tables where they are missing. */
enum oc_code oc_audit_open(struct oc_store *s, struct oc_error *err) OC_MUST_USE;
/* Not waited for the disk: the last rows may be lost with the machine's power. ret_seq may be NULL. */
enum oc_code oc_audit_add(struct oc_store *s, enum oc_audit_book book,
        const struct oc_audit_row *row, int64_t *ret_seq, struct oc_error *err) OC_MUST_USE;

struct oc_audit_query {
    const char *node_id;        /* NULL: all */
    int64_t since_ms, until_ms; /* since_ms ≤ at < until_ms */
    int limit;                  /* of each book */
};
/* Appends {"seq","atMs",…doc…,"end"?:{"atMs",…doc…}} to the array, newest first. ret_pruned: how many rows of the book have
 * fallen out so far. */
enum oc_code oc_audit_list(struct oc_store *s, enum oc_audit_book book,
        const struct oc_audit_query *q, cJSON *items, int64_t *ret_pruned,
        struct oc_error *err) OC_MUST_USE;

#endif
