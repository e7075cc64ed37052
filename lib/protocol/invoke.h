/* The shapes of node.invoke, node.invoke.request and node.invoke.result
 * (docs/PROTOCOL.md#invoke). */
#ifndef LIB_PROTOCOL_INVOKE_H
#define LIB_PROTOCOL_INVOKE_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/grounds.h"
#include "lib/json/json.h"

/* node.invoke, as the gateway receives it. Owned strings; params stays a slice of the frame. */
struct oc_invoke_call {
    char *node_id, *command, *idempotency_key;
    struct oc_slice params; /* raw JSON, len 0 when absent or null */
    int64_t timeout_ms;     /* -1 when absent */
};
enum oc_code oc_invoke_call_decode(
        struct oc_slice params, struct oc_invoke_call *ret, struct oc_error *err) OC_MUST_USE;
void oc_invoke_call_finish(struct oc_invoke_call *c);

/* node.invoke.request, as a node receives it. */
struct oc_invoke_request {
    char *id, *node_id, *command, *idempotency_key; /* owned; idempotency_key may be NULL */
    struct oc_blob *params_json; /* unescaped text, or NULL when null or absent; owned */
    int64_t timeout_ms;          /* -1 when absent */
    /* Ours: who asked, in the gateway's own words: {"id","name"?,"client"?,"admin"}. It stands
     * beside the params, where no caller can write, whatever the gateway. NULL when absent;
     * owned. */
    cJSON *caller;
};
enum oc_code oc_invoke_request_decode(
        struct oc_slice payload, struct oc_invoke_request *ret, struct oc_error *err) OC_MUST_USE;
void oc_invoke_request_finish(struct oc_invoke_request *r);

/* node.invoke.result, as the gateway receives it. */
struct oc_invoke_result {
    char *id, *node_id; /* owned */
    bool ok;
    struct oc_slice payload; /* raw JSON; len 0 when absent */
    bool has_payload_json;
    struct oc_slice payload_json_body; /* escaped body of the payloadJSON string */
    char *error_code, *error_message;  /* owned; NULL when absent */
    char *error_text;          /* the message without gate and fix; owned, NULL when absent */
    struct oc_grounds grounds; /* what the node says of them, or what its error gives away */
};
enum oc_code oc_invoke_result_decode(
        struct oc_slice params, struct oc_invoke_result *ret, struct oc_error *err) OC_MUST_USE;
void oc_invoke_result_finish(struct oc_invoke_result *r);

#endif
