#include "protocol/connect.h"
#include "protocol/limits.h"

#define MIN_TICK_MS 1000
#define MAX_TICK_MS 86400000 /* a day */

static int64_t clamp(int64_t v, int64_t lo, int64_t hi) {
    return v < lo ? lo : v > hi ? hi : v;
}

enum oc_code oc_hello_decode(const cJSON *payload, struct oc_hello *ret, struct oc_error *err) {
    *ret = (struct oc_hello){ 0 };
    if (!oc_streq(oc_json_get_str(payload, "type"), "hello-ok")) {
        return oc_fail(err, OC_E_INVALID, "the gateway's answer to connect is not a hello-ok");
    }
    const cJSON *server = oc_json_get(payload, "server"), *auth = oc_json_get(payload, "auth"),
                *policy = oc_json_get(payload, "policy");
    ret->protocol = oc_json_get_int(payload, "protocol", OC_PROTOCOL_MIN);
    ret->server_version = oc_json_get_str(server, "version");
    ret->conn_id = oc_json_get_str(server, "connId");
    ret->device_token = oc_json_get_str(auth, "deviceToken");
    ret->role = oc_json_get_str(auth, "role");
    ret->canvas_host_url = oc_json_get_str(payload, "canvasHostUrl");
    ret->canvas_surface_url = oc_json_get_str(oc_json_get(payload, "pluginSurfaceUrls"), "canvas");
    oc_json_get_strv(auth, "scopes", &ret->scopes);
    ret->tick_interval_ms = clamp(oc_json_get_int(policy, "tickIntervalMs", OC_TICK_INTERVAL_MS),
            MIN_TICK_MS, MAX_TICK_MS);
    ret->max_payload = clamp(
            oc_json_get_int(policy, "maxPayload", OC_MAX_MESSAGE_BYTES), 1, OC_MAX_MESSAGE_BYTES);
    return OC_OK;
}

void oc_hello_finish(struct oc_hello *h) {
    oc_strv_finish(&h->scopes);
}
