/* voicewake.get, voicewake.set: the words that wake a listening node. */
#include "gateway/methods/methods.h"

#include "gateway/conn/events.h"
#include "gateway/core.h"
#include "gateway/nodes/voicewake.h"
#include "lib/protocol/errors.h"

void gw_method_voicewake_get(const struct gw_call *call) {
    gw_call_ok(call, gw_voicewake_build(call->gw->store));
}

void gw_method_voicewake_set(const struct gw_call *call) {
    const cJSON *given = oc_json_get(call->params, "triggers");
    if (!cJSON_IsArray(given)) {
        gw_call_fail_with(
                call, OC_WIRE_INVALID, "voicewake.set requires triggers: string[]", NULL, -1);
        return;
    }
    struct gw_store *store = call->gw->store;
    struct oc_error err;
    if (gw_voicewake_set(store, given, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    gw_event_broadcast(&call->gw->conns, GW_EVENT_VOICEWAKE_CHANGED, gw_voicewake_build(store));
    gw_call_ok(call, gw_voicewake_build(store));
}
