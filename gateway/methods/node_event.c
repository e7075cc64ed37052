/* node.event: what a node reports by itself. A node host waits for the answer before it goes on, so every well-formed
 * event gets one. Signs of life are noted; nothing acts on the rest. */
#include "base/mem.h"
#include "gateway/conn.h"
#include "gateway/core.h"
#include "gateway/methods.h"

#include <string.h>

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

/* What woke the node, as far as we know the word: it is shown to people. */
static const char *seen_reason(const struct params *p) {
    static const char *const known[] = { "background", "silent_push", "bg_app_refresh",
        "significant_location", "manual", "connect", "foreground" };
    OC_AUTO_JSON cJSON *parsed = NULL;
    struct oc_error err;
    const cJSON *payload = p->payload;
    if (p->payload_json &&
            oc_json_parse(p->payload_json, strlen(p->payload_json), &parsed, &err) == OC_OK) {
        payload = parsed;
    }
    const char *trigger = oc_json_get_str(payload, "trigger");
    for (size_t i = 0; i < OC_COUNT(known); i++) {
        if (oc_streq(trigger, known[i])) {
            return known[i];
        }
    }
    return "background";
}

/* Newer node hosts want to know what became of these. */
static const char *handle(const struct oc_call *call, const struct params *p) {
    const char *reason = NULL;
    if (strcmp(p->event, "node.presence.alive") == 0) {
        reason = seen_reason(p);
    } else if (strcmp(p->event, "node.presence.activity") == 0) {
        reason = "activity";
    }
    if (reason) {
        oc_roster_seen(
                call->gw->roster, call->conn->device_id, oc_wall_ms(call->gw->clock), reason);
    }
    return reason;
}

void oc_method_node_event(const struct oc_call *call) {
    struct params p = { 0 };
    if (!oc_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_bool(payload, "ok", true);
    if (oc_starts_with(p.event, "node.")) {
        const char *handled = handle(call, &p);
        oc_json_set_str(payload, "event", p.event);
        oc_json_set_bool(payload, "handled", handled != NULL);
        oc_json_set_str(payload, "reason", handled ? "updated" : "unsupported_event");
    }
    oc_call_ok(call, payload);
}
