#include "lib/protocol/connect.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define MAX_NAME 256
#define MAX_URL 4096
#define MAX_SCOPES 64
#define MIN_TICK_MS 1000
#define NATIVE_METHOD "exec.audit.list" /* that no other gateway has */
#define MAX_TICK_MS 86400000            /* a day */

bool oc_device_token_ok(const char *token) {
    size_t len = token ? strlen(token) : 0;
    for (size_t i = 0; i < len; i++) {
        if (token[i] <= ' ' || token[i] > '~') {
            return false;
        }
    }
    return len > 0 && len <= OC_MAX_SECRET_BYTES;
}

/* What is longer was not meant for us; it may be kept in a file. */
static const char *short_text(const cJSON *o, const char *key, size_t max) {
    const char *text = oc_json_get_str(o, key);
    return text && strlen(text) <= max ? text : NULL;
}

static void read_scopes(const cJSON *list, struct oc_strv *ret) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (ret->count == MAX_SCOPES) {
            return;
        }
        if (cJSON_IsString(item) && strlen(item->valuestring) <= MAX_NAME) {
            oc_strv_add(ret, item->valuestring);
        }
    }
}

static bool has_text(const cJSON *list, const char *text) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (oc_streq(cJSON_GetStringValue(item), text)) {
            return true;
        }
    }
    return false;
}

enum oc_code oc_hello_decode(const cJSON *payload, struct oc_hello *ret, struct oc_error *err) {
    *ret = (struct oc_hello){ 0 };
    if (!oc_streq(oc_json_get_str(payload, "type"), "hello-ok")) {
        return oc_fail(err, OC_E_INVALID, "the gateway's answer to connect is not a hello-ok");
    }
    const cJSON *server = oc_json_get(payload, "server"), *auth = oc_json_get(payload, "auth"),
                *policy = oc_json_get(payload, "policy");
    ret->protocol = oc_json_get_int(payload, "protocol", 1, INT16_MAX, OC_PROTOCOL_MIN);
    ret->server_version = short_text(server, "version", MAX_NAME);
    ret->conn_id = short_text(server, "connId", MAX_NAME);
    ret->device_token = oc_json_get_str(auth, "deviceToken");
    if (!oc_str_blank(ret->device_token) && !oc_device_token_ok(ret->device_token)) {
        ret->device_token = NULL;
        ret->has_odd_token = true;
    }
    ret->role = short_text(auth, "role", MAX_NAME);
    ret->canvas_host_url = short_text(payload, "canvasHostUrl", MAX_URL);
    ret->canvas_surface_url =
            short_text(oc_json_get(payload, "pluginSurfaceUrls"), "canvas", MAX_URL);
    read_scopes(oc_json_get(auth, "scopes"), &ret->scopes);
    ret->is_native = has_text(oc_json_path(payload, "features.methods"), NATIVE_METHOD);
    ret->tick_interval_ms = oc_json_clamp_int(
            policy, "tickIntervalMs", MIN_TICK_MS, MAX_TICK_MS, OC_TICK_INTERVAL_MS);
    ret->max_payload =
            oc_json_clamp_int(policy, "maxPayload", 1, OC_MAX_MESSAGE_BYTES, OC_MAX_MESSAGE_BYTES);
    return OC_OK;
}

void oc_hello_finish(struct oc_hello *h) {
    oc_strv_finish(&h->scopes);
}
