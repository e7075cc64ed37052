/* From a request frame to the handler of its method, and what handlers share. */
#ifndef GATEWAY_METHODS_METHODS_H
#define GATEWAY_METHODS_METHODS_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/json/json.h"
#include "lib/protocol/frame.h"

#include <stdbool.h>
#include <stdint.h>

struct oc_conn;
struct oc_gateway;

/* One request being handled; borrowed for the call. */
struct oc_call {
    struct oc_gateway *gw;
    struct oc_conn *conn;
    struct oc_party *party; /* for whom it is made */
    const char *id;
    const char *method; /* the table's own name, which outlives the message; NULL: no such method */
    const cJSON *params;  /* TREE methods: an object */
    struct oc_slice body; /* RAW methods: params as sent; len 0 when absent */
    struct oc_blob *blob; /* the message body lies in */
};
/* Answers exactly once, now or later. */
typedef void oc_method_fn(const struct oc_call *call);

#define OC_METHOD(name, role, scope, form, params, handler) oc_method_fn handler;
#include "gateway/methods/methods.def"
#undef OC_METHOD

/* Checks role, existence, scope and the names of the params, then calls the handler. */
void oc_method_call(struct oc_conn *c, const struct oc_frame *frame, struct oc_blob *blob);
/* The table's own copy of a name, for those that are absent too; NULL: there is no such method. */
const char *oc_method_name(const char *name);
cJSON *oc_method_names(void);        /* array, for hello */
cJSON *oc_method_absent_names(void); /* of agent_methods.def */

/* Answers. */
void oc_call_ok(const struct oc_call *call, cJSON *take_payload);
/* A payload that is text already. A buffer that hit its ceiling becomes an error. */
void oc_call_ok_text(const struct oc_call *call, struct oc_buf *take_payload);
/* "missing scope: X" gets the code and details of the client's protocol version. */
void oc_call_fail(const struct oc_call *call, const struct oc_error *err);
void oc_call_fail_with(const struct oc_call *call, const char *wire_code, const char *message,
        cJSON *take_details, int64_t retry_after_ms);
/* Decodes params; on failure answers "invalid <method> params: …" and returns false. */
bool oc_call_decode(
        const struct oc_call *call, const struct oc_json_field *fields, size_t n, void *ret);
void oc_call_fail_params(const struct oc_call *call, const struct oc_error *err);

/* methods/node_invoke.c: the names of a result's params were refused, and whoever waits for it hears so. */
void oc_node_invoke_result_refused(const struct oc_call *call);
/* A connection that goes away does not wait for answers any more. */
void oc_node_invoke_forget(struct oc_conn *c);
/* It has read what was sent to it. */
void oc_node_invoke_drained(struct oc_conn *c);
/* Sends an invoke and answers the call with what comes of it; is_bare: with the node's payload alone. False when it
 * was not sent (the call is answered then). */
struct oc_invoke_spec;
bool oc_node_invoke_start(
        const struct oc_call *call, const struct oc_invoke_spec *spec, bool is_bare);
void oc_node_invoke_not_connected(
        const struct oc_call *call, const char *node_id, const char *command);
/* methods/exec_approval.c: the same for decisions. */
void oc_exec_approval_forget(struct oc_conn *c);
struct oc_approval;
/* Tells operators that somebody wants to know. */
void oc_exec_approval_announce(struct oc_gateway *gw, const struct oc_approval *a);
/* Its files were seen in another state since: it is void, and operators hear it. */
void oc_exec_approval_changed(struct oc_gateway *gw, const struct oc_approval *a);
/* Tells operators that its time is over; user: the gateway. */
void oc_exec_approval_expired(void *user, const struct oc_approval *a);
/* Tells operators how it ended. is_withdrawn (which only our clients know): whoever had asked for it took it back. */
void oc_exec_approval_tell_end(
        struct oc_gateway *gw, const struct oc_approval *a, bool is_withdrawn);
/* methods/approval_resolve.c: the caller decides, if it may and nothing has changed. Otherwise the call is answered with
 * the reason; is_applied is false when it was settled before. decision: a literal. */
typedef void oc_approval_resolved(
        const struct oc_call *call, const struct oc_approval *a, bool is_applied);
void oc_approval_resolve(const struct oc_call *call, const struct oc_approval *a,
        const char *decision, oc_approval_resolved *answer);
void oc_approval_resolve_forget(struct oc_conn *c);

#endif
