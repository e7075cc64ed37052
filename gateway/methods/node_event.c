/* node.event: what a node reports by itself. Nothing here acts on it yet, but a node host waits for the answer before
 * it goes on, so every well-formed event gets one. */
#include "base/mem.h"
#include "gateway/methods.h"

struct params {
    const char *event, *payload_json;
    const cJSON *payload;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, event, "event", OC_REQUIRED | OC_NONEMPTY),
    OC_ANY(T, payload, "payload", 0),
    OC_STR(T, payload_json, "payloadJSON", 0),
};
#undef T

void oc_method_node_event(const struct oc_call *call) {
    struct params p = { 0 };
    if (!oc_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_bool(payload, "ok", true);
    oc_call_ok(call, payload);
}
