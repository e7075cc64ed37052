#include "node/link/enrolled.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/json/json.h"
#include "lib/log/log.h"
#include "lib/net/peer.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"
#include "lib/state/device_auth.h"

static cJSON *read_object(const char *state_dir, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    cJSON *doc = NULL;
    if (oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, NULL) != OC_OK || text.len == 0 ||
            oc_json_parse(text.data, text.len, &doc, NULL) != OC_OK) {
        return NULL;
    }
    return doc;
}

/* What node.json calls its gateway by; NULL: it names none. Caller frees. */
static char *named_gateway(const cJSON *node) {
    const cJSON *g = oc_json_get(node, "gateway");
    const char *host = oc_json_get_str(g, "host"), *pin = oc_json_get_str(g, "tlsFingerprint");
    int64_t port = oc_json_get_int(g, "port", 1, UINT16_MAX, OC_DEFAULT_PORT);
    if (oc_str_blank(host)) {
        return NULL;
    }
    return oc_gateway_name(host, (uint16_t)port, oc_json_get_str(g, "contextPath"),
            oc_json_get_bool(g, "tls", false) || pin, pin);
}

void nd_adopt_token(const char *state_dir, const char *device_id) {
    OC_AUTO_JSON cJSON *node = read_object(state_dir, "node.json");
    OC_AUTO_FREE char *name = named_gateway(node);
    struct oc_device_auth key = {
        .state_dir = state_dir, .device_id = device_id, .role = OC_ROLE_NODE, .gateway = name
    };
    struct oc_error err;
    if (name && oc_device_auth_adopt(&key, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, "node.enrolled", "the device token is not taken over: %s", err.text);
    }
}

static bool has_token(const char *state_dir, const char *device_id, const char *gateway) {
    struct oc_device_auth key = {
        .state_dir = state_dir, .device_id = device_id, .role = OC_ROLE_NODE, .gateway = gateway
    };
    return oc_device_auth_exists(&key);
}

static bool is_place(const cJSON *place, const char *host, uint16_t port) {
    return oc_streq(oc_json_get_str(place, "host"), host) &&
           oc_json_get_int(place, "port", 1, UINT16_MAX, 0) == port;
}

/* A gateway that has moved since (node/state.h) is the one that is meant. */
static bool names_gateway(const cJSON *gateway, const char *host, uint16_t port) {
    const cJSON *was = NULL;
    bool is_named = is_place(gateway, host, port);
    cJSON_ArrayForEach(was, oc_json_get(gateway, "movedFrom")) {
        is_named = is_named || is_place(was, host, port);
    }
    return is_named;
}

bool nd_is_enrolled(const char *state_dir, const char *host, uint16_t port) {
    OC_AUTO_JSON cJSON *node = read_object(state_dir, "node.json");
    OC_AUTO_JSON cJSON *device = read_object(state_dir, "identity/device.json");
    const cJSON *gateway = oc_json_get(node, "gateway");
    const char *device_id = oc_json_get_str(device, "deviceId");
    if (!device_id || !names_gateway(gateway, host, port)) {
        return false;
    }
    nd_adopt_token(state_dir, device_id);
    const char *path = oc_json_get_str(gateway, "contextPath");
    OC_AUTO_FREE char *name = named_gateway(node);
    OC_AUTO_FREE char *plain = oc_gateway_name(host, port, path, false, NULL);
    OC_AUTO_FREE char *secure = oc_gateway_name(host, port, path, true, NULL);
    /* An old code knows less than node.json, and must not take TLS or the pin away: who got a token
     * there before TLS, or for another pin, is paired, too. */
    return has_token(state_dir, device_id, name) || has_token(state_dir, device_id, plain) ||
           has_token(state_dir, device_id, secure) ||
           (oc_json_get_str(gateway, "tlsFingerprint") && has_token(state_dir, device_id, NULL));
}
