/* node.invoke.cancel: the caller of a running node.invoke wants it stopped. Ours: the reference
 * knows it only as an event to the node. Whoever sent the invoke names it by its idempotency key;
 * the answer of the invoke itself then tells what became of it, so "found" here means no more than
 * that the node was told. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/invoke/invoke.h"
#include "gateway/methods/methods.h"

struct cancel {
    const char *idempotency_key;
};

#define T struct cancel
static const struct oc_json_field fields[] = {
    OC_STR(T, idempotency_key, "idempotencyKey", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

void gw_method_node_invoke_cancel(const struct gw_call *call) {
    struct cancel c = { 0 };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &c)) {
        return;
    }
    const char *actor = call->conn->device_id ? call->conn->device_id : "shared-secret";
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_bool(payload, "ok", true);
    oc_json_set_bool(
            payload, "found", gw_invoke_cancel(call->gw->invokes, actor, c.idempotency_key));
    gw_call_ok(call, payload);
}
