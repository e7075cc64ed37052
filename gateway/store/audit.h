/* The audit: what was asked of nodes, who asked, and what became of it. Rows are only ever added.
 *
 * The database itself refuses to change a row, and to delete one unless its table is over its
 * ceiling and the row is the oldest of whoever caused it. What falls out is the oldest of the actor
 * with the most rows: whoever asks ten thousand times pushes out rows of their own and nobody
 * else's. Refusals have a table of their own. Rows are numbered without gaps, so that what is
 * missing can be told from what never was. */
#ifndef GATEWAY_STORE_AUDIT_H
#define GATEWAY_STORE_AUDIT_H

#include "gateway/store/store.h"
#include "lib/json/json.h"

enum gw_audit_table {
    GW_AUDIT_RUNS,     /* runs, what became of them, approvals that were given */
    GW_AUDIT_REFUSALS, /* what no node was asked, and approvals that were not given */
    GW_AUDIT_TABLES,
};

/* The documents begin with "kind". Behind a run (ref) may follow, in this order, the later counting
 * more:
 *   started  it goes on in the background
 *   lost     nobody knows, so far
 *   end      what became of it; nothing comes behind it */
struct gw_audit_row {
    int64_t at_ms;
    int64_t ref; /* the row this one completes; 0: none */
    const char *node_id;
    const char *actor;     /* who caused it, for the shares; NULL: nobody */
    const char *invoke_id; /* of a run: what the node will call it; NULL: none */
    const cJSON *doc;
};

/* Makes the tables where they are missing. */
enum oc_code gw_audit_open(struct gw_store *s, struct oc_error *err) OC_MUST_USE;
/* Not waited for the disk: the last rows may be lost with the machine's power. ret_seq may be
 * NULL. */
enum oc_code gw_audit_add(struct gw_store *s, enum gw_audit_table table,
        const struct gw_audit_row *row, int64_t *ret_seq, struct oc_error *err) OC_MUST_USE;

struct gw_audit_run {
    int64_t seq;
    char *actor; /* owned */
    bool is_ended;
};
/* A run by what the node calls it. OC_E_NOT_FOUND: this node was never asked, or it is long ago. */
enum oc_code gw_audit_find(struct gw_store *s, const char *node_id, const char *invoke_id,
        struct gw_audit_run *ret, struct oc_error *err) OC_MUST_USE;
void gw_audit_run_finish(struct gw_audit_run *run);
/* Puts doc behind every run that nothing is known of. ret_count: how many. */
enum oc_code gw_audit_close_open(struct gw_store *s, int64_t at_ms, const cJSON *doc,
        int64_t *ret_count, struct oc_error *err) OC_MUST_USE;

struct gw_audit_query {
    const char *node_id;        /* NULL: all */
    int64_t since_ms, until_ms; /* since_ms ≤ at < until_ms */
    int64_t before_seq;         /* of rows at until_ms itself the ones below this number, too */
    int limit;                  /* of each table */
    size_t max_bytes;           /* of documents; the row that goes beyond is the last */
};
struct gw_audit_page {
    cJSON *items; /* owned: {"seq","atMs",…doc…,"end"|"started"?:{"atMs",…doc…}}, newest first */
    bool is_cut;    /* by limit or bytes: there may be more */
    int64_t pruned; /* how many rows of the table have fallen out so far */
};
/* What it reads is what it returns, whatever the filter: every one has an index. */
enum oc_code gw_audit_list(struct gw_store *s, enum gw_audit_table table,
        const struct gw_audit_query *q, struct gw_audit_page *ret,
        struct oc_error *err) OC_MUST_USE;

#endif
