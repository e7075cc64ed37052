/* Small methods about the gateway as a system: its log, beacons of clients, heartbeats (of which
 * there are none). */
#include "gateway/conn/beacon.h"
#include "gateway/core.h"
#include "gateway/log_ring.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"

#define DEFAULT_LINES 500
#define DEFAULT_BYTES 250000

struct log_tail {
    int64_t cursor, limit, max_bytes;
};
#define T struct log_tail
static const struct oc_json_field tail_fields[] = {
    OC_INT(T, cursor, "cursor", OC_NULLABLE, 0, OC_JSON_MAX_EXACT),
    OC_INT(T, limit, "limit", OC_NULLABLE, 1, 5000),
    OC_INT(T, max_bytes, "maxBytes", OC_NULLABLE, 1, OC_MAX_LOG_TAIL_BYTES),
};
#undef T

void gw_method_logs_tail(const struct gw_call *call) {
    struct log_tail p = { .cursor = -1, .limit = DEFAULT_LINES, .max_bytes = DEFAULT_BYTES };
    if (!gw_call_decode(call, tail_fields, OC_COUNT(tail_fields), &p)) {
        return;
    }
    cJSON *o = gw_log_ring_tail(call->gw->log, p.cursor, p.limit, p.max_bytes);
    oc_json_set_str(o, "file", "memory"); /* where it is from; there is no file */
    gw_call_ok(call, o);
}

/* There are no agents, so there never was a heartbeat. */
void gw_method_last_heartbeat(const struct gw_call *call) {
    gw_call_ok(call, cJSON_CreateNull());
}

void gw_method_set_heartbeats(const struct gw_call *call) {
    const cJSON *enabled = oc_json_get(call->params, "enabled");
    if (!cJSON_IsBool(enabled)) {
        gw_call_fail_with(call, OC_WIRE_INVALID,
                "invalid set-heartbeats params: enabled (boolean) required", NULL, -1);
    } else if (cJSON_IsTrue(enabled)) {
        cJSON *d = cJSON_CreateObject();
        oc_json_set_str(d, "code", "NOT_AVAILABLE");
        gw_call_fail_with(call, OC_WIRE_UNAVAILABLE,
                "heartbeats are not available on this gateway (no agents)", d, -1);
    } else {
        cJSON *o = cJSON_CreateObject();
        oc_json_set_bool(o, "ok", true);
        oc_json_set_bool(o, "enabled", false);
        gw_call_ok(call, o);
    }
}

/* Clients say where they are; everyone who watches is told. There is no agent to read the text. */
void gw_method_system_event(const struct gw_call *call) {
    OC_AUTO_JSON cJSON *fields = NULL;
    struct oc_error err;
    if (gw_beacon_read(call->params, &fields, &err) != OC_OK) {
        gw_call_fail_with(call, OC_WIRE_INVALID, err.text, NULL, -1);
        return;
    }
    gw_presence_said(call->gw->presence, fields);
    gw_presence_changed(call->gw);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "ok", true);
    gw_call_ok(call, o);
}
