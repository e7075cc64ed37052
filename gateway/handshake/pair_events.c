#include "gateway/handshake/pair_events.h"

#include "gateway/conn/events.h"
#include "lib/log/log.h"

void gw_device_pair_resolved(const struct gw_handshake_uses *uses, const char *request_id,
        const char *device_id, const char *decision) {
    oc_log(OC_LOG_INFO, "gateway.pairing", "device %s device=%.12s request=%s", decision, device_id,
            request_id);
    gw_roster_refresh(uses->roster, device_id);
    cJSON *event = cJSON_CreateObject();
    oc_json_set_str(event, "requestId", request_id);
    oc_json_set_str(event, "deviceId", device_id);
    oc_json_set_str(event, "decision", decision);
    oc_json_set_int(event, "ts", oc_wall_ms(uses->conns->clock));
    gw_event_broadcast(uses->conns, GW_EVENT_DEVICE_PAIR_RESOLVED, event);
}
