/* What goes into the audit about system.run: who asked for what, which gate let it through, how it
 * ended. Arguments are kept exactly, cut where they are very long; of the environment only names
 * are kept. What callers say of themselves (agent, session) is a claim and stands apart. A row that
 * cannot be written is reported in the log and stops nobody.
 *
 *   sent ──▶ [started] ──▶ [lost] ──▶ end
 *
 * A node of ours reports the end by itself, also of runs in the background, also after it was away;
 * what it says comes before what its answer says. */
#ifndef GATEWAY_AUDIT_RUN_AUDIT_H
#define GATEWAY_AUDIT_RUN_AUDIT_H

#include "gateway/exec/approvals.h"
#include "gateway/invoke/invoke.h"
#include "gateway/nodes/nodes.h"
#include "gateway/store/store.h"
#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"

#include <stdbool.h>

struct gw_call;
struct gw_conn;
struct gw_run_audit;

/* What it works with; borrowed for the gateway's life. */
struct gw_run_audit_uses {
    struct oc_loop *loop;
    const struct oc_clock *clock;
    struct gw_store *store;
    struct gw_nodes *nodes;
    struct gw_invokes *invokes;
    struct gw_approvals *approvals;
};

/* From here on all invokes whose spec names a caller (system.run) and all approvals are written
 * down. Runs that the last gateway left open are lost, until their nodes report. */
struct gw_run_audit *gw_run_audit_open(const struct gw_run_audit_uses *uses);
/* Writes the ends that wait (gateway/audit/run_ends.h). NULL is fine. */
void gw_run_audit_close(struct gw_run_audit *audit);
/* The same before somebody reads the audit. */
void gw_run_audit_catch_up(struct gw_run_audit *audit);

/* A run that no node was asked for. */
struct gw_run_refusal {
    const char *node_id;
    struct oc_slice params;
    const char *gate;        /* the name of a gate or run gate */
    const char *code, *text; /* what the caller was told, without gate and fix */
    struct oc_grounds grounds;
};
void gw_run_audit_refused(
        struct gw_run_audit *audit, const struct gw_conn *c, const struct gw_run_refusal *refusal);
/* What a node says about the end of a run of its own. */
enum gw_report {
    GW_REPORT_WRITTEN, /* now or before */
    GW_REPORT_UNKNOWN, /* it makes no sense, or there is no such run */
    GW_REPORT_FAILED,  /* the store could not; the node must tell again */
};
enum gw_report gw_run_audit_reported(
        struct gw_run_audit *audit, const char *node_id, const cJSON *report);
/* The same, of a run that is not answered yet: its row is written, and the call answered, once the
 * caller has the answer. False: nothing was done. */
bool gw_run_audit_report_soon(
        struct gw_run_audit *audit, const struct gw_call *call, const cJSON *report);

#endif
