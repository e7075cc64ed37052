/* device.pair.*: gate 1 by hand. */
#include "gateway/conn/conn.h"
#include "gateway/conn/events.h"
#include "gateway/core.h"
#include "gateway/handshake/pair_events.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/node_work.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"

struct device_request_params {
    const char *request_id;
};
#define T struct device_request_params
static const struct oc_json_field request_fields[] = {
    OC_STR(T, request_id, "requestId", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

void gw_method_device_pair_list(const struct gw_call *call) {
    struct gw_actor actor = gw_conn_actor(call->conn);
    cJSON *payload = NULL;
    struct oc_error err;
    if (gw_pairing_list(call->gw->pairing, &payload, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    gw_actor_keep_seen(&actor, cJSON_GetObjectItemCaseSensitive(payload, "pending"), "deviceId");
    gw_actor_keep_seen(&actor, cJSON_GetObjectItemCaseSensitive(payload, "paired"), "deviceId");
    gw_call_ok(call, payload);
}

/* The 2026.9.6 command line asks for the least scope first, and for more only after exactly these
 * words. */
static void refuse_approval(const struct gw_call *call, const struct oc_error *err) {
    if (err->code != OC_E_DENIED) {
        gw_call_fail(call, err);
        return;
    }
    OC_AUTO_FREE char *message = oc_strfmt("device pairing approval denied: %s", err->text);
    gw_call_fail_with(call, call->conn->protocol < 4 ? OC_WIRE_INVALID : OC_WIRE_FORBIDDEN, message,
            NULL, -1);
}

void gw_method_device_pair_approve(const struct gw_call *call) {
    struct device_request_params p = { 0 };
    if (!gw_call_decode(call, request_fields, OC_COUNT(request_fields), &p)) {
        return;
    }
    struct gw_actor actor = gw_conn_actor(call->conn);
    cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    struct oc_error err;
    if (gw_pairing_approve(call->gw->pairing, &actor, p.request_id, &payload, &request, &err) !=
            OC_OK) {
        refuse_approval(call, &err);
        return;
    }
    gw_device_pair_resolved(
            &call->gw->handshake, p.request_id, oc_json_get_str(request, "deviceId"), "approved");
    gw_call_ok(call, payload);
}

void gw_method_device_pair_reject(const struct gw_call *call) {
    struct device_request_params p = { 0 };
    if (!gw_call_decode(call, request_fields, OC_COUNT(request_fields), &p)) {
        return;
    }
    struct gw_actor actor = gw_conn_actor(call->conn);
    cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    struct oc_error err;
    if ((gw_pairing_request(call->gw->pairing, p.request_id, &request, &err) == OC_OK &&
                gw_actor_may_decide(&actor, oc_json_get_str(request, "deviceId"), &err) != OC_OK) ||
            gw_pairing_reject(call->gw->pairing, p.request_id, &payload, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    gw_device_pair_resolved(
            &call->gw->handshake, p.request_id, oc_json_get_str(payload, "deviceId"), "rejected");
    gw_call_ok(call, payload);
}

struct device_params {
    const char *device_id;
};
#define T struct device_params
static const struct oc_json_field device_fields[] = {
    OC_STR(T, device_id, "deviceId", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

void gw_method_device_pair_remove(const struct gw_call *call) {
    struct device_params p = { 0 };
    if (!gw_call_decode(call, device_fields, OC_COUNT(device_fields), &p)) {
        return;
    }
    struct gw_actor actor = gw_conn_actor(call->conn);
    cJSON *payload = NULL;
    struct oc_error err;
    if (gw_pairing_remove(call->gw->pairing, &actor, p.device_id, &payload, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    oc_log(OC_LOG_INFO, "gateway.pairing", "device removed device=%.12s", p.device_id);
    gw_roster_refresh(call->gw->roster, p.device_id);
    gw_node_work_forget(call->gw->work, p.device_id);
    gw_device_close(call->gw, p.device_id, NULL, call->conn, "pairing required",
            "pairing required: device is not approved yet");
    gw_call_ok(call, payload);
}

struct rename_params {
    const char *device_id, *label;
};
#define T struct rename_params
static const struct oc_json_field rename_fields[] = {
    OC_STR(T, device_id, "deviceId", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, label, "label", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

void gw_method_device_pair_rename(const struct gw_call *call) {
    struct rename_params p = { 0 };
    if (!gw_call_decode(call, rename_fields, OC_COUNT(rename_fields), &p)) {
        return;
    }
    struct gw_actor actor = gw_conn_actor(call->conn);
    cJSON *payload = NULL;
    struct oc_error err;
    if (gw_pairing_rename(call->gw->pairing, &actor, p.device_id, p.label, &payload, &err) !=
            OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    oc_log(OC_LOG_INFO, "gateway.pairing", "device renamed device=%.12s", p.device_id);
    gw_event_broadcast(&call->gw->conns, GW_EVENT_DEVICE_PAIR_CHANGED, cJSON_CreateObject());
    gw_call_ok(call, payload);
}
