/* Ends of runs that wait for their row in the audit: a part of gateway/audit/run_audit.c, which is
 * the way in for all others.
 *
 * A node of ours says what became of a run right before it answers. The row is written once the
 * caller's answer is on its way, and only then the node hears that we have it: if we die in
 * between, the node tells the next gateway again. A node that is lost leaves many runs behind at
 * once; if we die before they are written down, the next gateway finds them open.
 *
 * They are written some in a round, those of a round in one transaction. Whoever reads the audit
 * writes all first. */
#ifndef GATEWAY_AUDIT_RUN_ENDS_H
#define GATEWAY_AUDIT_RUN_ENDS_H

#include "gateway/nodes/nodes.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"

#include <stdbool.h>
#include <stdint.h>

struct gw_call;
struct gw_run_ends;

/* What the row says of whom; how the run ended is passed beside it. */
struct gw_end_row {
    const char *kind; /* "end", "lost" */
    int64_t run;      /* the row that the run began with */
    const char *node_id, *actor;
    const struct gw_call
            *call; /* the report; it is answered when the row is written; NULL: there is none */
};

/* How rows are written: some, between begin and end. write: false if this one is not; end: false
 * if nothing of it is. */
struct gw_run_ends_writer {
    void (*begin)(void *user);
    bool (*write)(void *user, const struct gw_end_row *row, cJSON *take_outcome);
    bool (*end)(void *user);
    void *user;
};

/* nodes: where the reporting node is found again. Borrowed. */
struct gw_run_ends *gw_run_ends_create(
        struct oc_loop *loop, struct gw_nodes *nodes, const struct gw_run_ends_writer *writer);
/* Writes those that wait. */
void gw_run_ends_destroy(struct gw_run_ends *ends);
void gw_run_ends_add(struct gw_run_ends *ends, const struct gw_end_row *row, cJSON *take_outcome);
void gw_run_ends_write_now(struct gw_run_ends *ends);

#endif
