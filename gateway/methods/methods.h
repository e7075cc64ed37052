/* From a request frame to the handler of its method, and what handlers share. */
#ifndef GATEWAY_METHODS_METHODS_H
#define GATEWAY_METHODS_METHODS_H

#include "gateway/conn/call.h"
#include "lib/base/buf.h"
#include "lib/json/json.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/run_words.h"

#include <stdbool.h>

struct gw_approval;
struct gw_conn;

/* Answers exactly once, now or later. */
typedef void gw_method_fn(const struct gw_call *call);

#define GW_METHOD(name, role, scope, form, params, handler) gw_method_fn handler;
#include "gateway/methods/methods.def"
#undef GW_METHOD

/* Checks role, existence, scope and the names of the params, then calls the handler. */
void gw_method_call(struct gw_conn *c, const struct oc_frame *frame, struct oc_blob *blob);
/* The table's own copy of a name, for those that are absent too; NULL: there is no such method. */
const char *gw_method_name(const char *name);
cJSON *gw_method_names(void); /* array, for hello */
/* For tests. */
cJSON *gw_method_absent_names(void); /* of agent_methods.def */

/* methods/node_invoke.c: the names of a result's params were refused, and whoever waits for it
 * is told. */
void gw_node_invoke_result_refused(const struct gw_call *call);
/* A connection that goes away does not wait for answers any more. */
void gw_node_invoke_forget(struct gw_conn *c);
/* It has read what was sent to it. */
void gw_node_invoke_drained(struct gw_conn *c);
/* Sends an invoke and answers the call with what comes of it; is_bare: with the node's payload
 * alone. False when it was not sent (the call is answered then). */
struct gw_invoke_spec;
bool gw_node_invoke_start(
        const struct gw_call *call, const struct gw_invoke_spec *spec, bool is_bare);
void gw_node_invoke_not_connected(
        const struct gw_call *call, const char *node_id, const char *command);
/* methods/exec_approval.c: the same for decisions. */
void gw_exec_approval_forget(struct gw_conn *c);
/* methods/approval_resolve.c: the caller decides, if it may and nothing has changed. Otherwise the
 * call is answered with the reason; is_applied is false when it was settled before. */
typedef void gw_approval_resolved(
        const struct gw_call *call, const struct gw_approval *a, bool is_applied);
void gw_approval_resolve(const struct gw_call *call, const struct gw_approval *a,
        enum oc_decision decision, gw_approval_resolved *answer);
/* Whose it is may take it back. */
bool gw_approval_is_of(const struct gw_approval *a, const struct gw_conn *c);
void gw_approval_resolve_forget(struct gw_conn *c);

#endif
