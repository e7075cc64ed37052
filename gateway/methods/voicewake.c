/* voicewake.get, voicewake.set: the words that wake a listening node. */
#include "gateway/methods/methods.h"

#include "gateway/core.h"
#include "gateway/events.h"
#include "gateway/nodes/voicewake.h"
#include "lib/protocol/errors.h"

void oc_method_voicewake_get(const struct oc_call *call) {
    oc_call_ok(call, oc_voicewake_build(call->gw->store));
}

void oc_method_voicewake_set(const struct oc_call *call) {
    const cJSON *given = oc_json_get(call->params, "triggers");
    if (!cJSON_IsArray(given)) {
        oc_call_fail_with(
                call, OC_WIRE_INVALID, "voicewake.set requires triggers: string[]", NULL, -1);
        return;
    }
    struct oc_store *store = call->gw->store;
    struct oc_error err;
    if (oc_voicewake_set(store, given, &err) != OC_OK) {
        oc_call_fail(call, &err);
        return;
    }
    oc_event_broadcast(call->gw, OC_EVENT_VOICEWAKE_CHANGED, oc_voicewake_build(store));
    oc_call_ok(call, oc_voicewake_build(store));
}
