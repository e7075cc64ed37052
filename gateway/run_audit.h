/* What goes into the audit about system.run: who asked for what, which gate let it through, how it ended. Arguments are
 * kept as text and cut; of the environment only names are kept. A book that cannot be written is reported in the log and
 * stops nobody. */
#ifndef GATEWAY_RUN_AUDIT_H
#define GATEWAY_RUN_AUDIT_H

#include "base/buf.h"
#include "gateway/approvals.h"
#include "gateway/invoke.h"

struct oc_conn;
struct oc_gateway;

/* The books of all invokes whose spec names a caller: system.run. */
struct oc_invoke_books oc_run_audit_books(struct oc_gateway *gw);
/* A run that no node was asked for. code and message: of the refusal. */
void oc_run_audit_refused(const struct oc_conn *c, const char *node_id, struct oc_slice params,
        const char *code, const char *message);
/* An approval was decided, or its time is over. user: the gateway. */
void oc_run_audit_decided(void *user, const struct oc_approval *a);

#endif
