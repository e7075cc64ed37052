/* What goes into the audit about system.run: who asked for what, which gate let it through, how it
 * ended. Arguments are kept exactly, cut where they are very long; of the environment only names
 * are kept. What callers say of themselves (agent, session) is a claim and stands apart. A row that
 * cannot be written is reported in the log and stops nobody.
 *
 *   sent ──▶ [started] ──▶ [lost] ──▶ end
 *
 * A node of ours reports the end by itself, also of runs in the background, also after it was away;
 * what it says comes before what its answer says. */
#ifndef GATEWAY_EXEC_RUN_AUDIT_H
#define GATEWAY_EXEC_RUN_AUDIT_H

#include "gateway/exec/approvals.h"
#include "gateway/exec/run_ends.h"
#include "gateway/invoke/invoke.h"
#include "lib/base/buf.h"

struct gw_conn;
struct gw_gateway;

/* The audit of all invokes whose spec names a caller: system.run. */
struct gw_invoke_audit gw_run_audit_hooks(struct gw_gateway *gw);
/* At the start: runs that the last gateway left open. */
void gw_run_audit_recover(struct gw_gateway *gw);
/* A run that no node was asked for. */
struct gw_run_refusal {
    const char *node_id;
    struct oc_slice params;
    const char *gate, *code, *message; /* which gate was shut, and what the caller was told */
};
void gw_run_audit_refused(const struct gw_conn *c, const struct gw_run_refusal *refusal);
/* What a node says about the end of a run of its own. False: it makes no sense, or there is no such
 * run. */
bool gw_run_audit_reported(struct gw_gateway *gw, const char *node_id, const cJSON *report);
/* The same, of a run that is not answered yet: its line is written, and the call answered, once the
 * caller has the answer. False: nothing was done. */
bool gw_run_audit_report_soon(const struct gw_call *call, const cJSON *report);
/* How those lines are written. */
const struct gw_run_ends_writer *gw_run_audit_ends(void);
/* An approval was decided, or its time is over. user: the gateway. */
void gw_run_audit_decided(void *user, const struct gw_approval *a);

#endif
