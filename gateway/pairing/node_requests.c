#include "gateway/pairing/node_requests.h"

#include "gateway/pairing/surface.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#include <string.h>

bool gw_node_request_is_stale(const cJSON *request, int64_t now_ms) {
    int64_t left = oc_json_get_ms(request, "expiresAtMs", now_ms + 1) - now_ms;
    return left <= 0 || left > OC_PENDING_TTL_MS; /* the second: the clock was set back */
}

/* Drops the stale ones and counts the others that somebody made. */
static enum oc_code count_made(
        struct gw_store *s, int64_t now_ms, size_t *ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *all = NULL;
    enum oc_code rc = gw_store_all(s, GW_NODE_REQUESTS, &all, err);
    size_t made = 0;
    const cJSON *request = NULL;
    cJSON_ArrayForEach(request, all) {
        if (gw_node_request_is_stale(request, now_ms)) {
            rc = gw_store_delete(s, GW_NODE_REQUESTS, oc_json_get_str(request, "requestId"), err);
            if (rc != OC_OK) {
                return rc;
            }
        } else {
            made += oc_json_get(request, "expiresAtMs") != NULL;
        }
    }
    *ret = made;
    return rc;
}

static enum oc_code check_texts(const struct gw_node_ask *ask, struct oc_error *err) {
    const char *const texts[] = { ask->node_id, ask->display_name, ask->platform, ask->version,
        ask->core_version, ask->ui_version, ask->device_family, ask->model_identifier,
        ask->remote_ip };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        if (texts[i] && strlen(texts[i]) > OC_MAX_NAME_BYTES) {
            return oc_fail(err, OC_E_INVALID,
                    "invalid node.pair.request params: a text is longer than %d bytes",
                    OC_MAX_NAME_BYTES);
        }
    }
    const struct oc_strv *lists[] = { ask->caps, ask->commands };
    for (size_t i = 0; i < OC_COUNT(lists); i++) {
        for (size_t k = 0; k < lists[i]->count; k++) {
            if (strlen(lists[i]->items[k]) > OC_MAX_ID_BYTES) {
                return oc_fail(err, OC_E_INVALID,
                        "invalid node.pair.request params: a name is longer than %d bytes",
                        OC_MAX_ID_BYTES);
            }
        }
    }
    return OC_OK;
}

static cJSON *node_requests_build(const struct gw_node_ask *ask, bool is_repair, int64_t now_ms) {
    char id[OC_UUID_LEN + 1];
    oc_uuid4(id);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "requestId", id);
    oc_json_set_str(o, "nodeId", ask->node_id);
    oc_json_set_str(o, "displayName", ask->display_name);
    oc_json_set_str(o, "platform", ask->platform);
    oc_json_set_str(o, "version", ask->version);
    oc_json_set_str(o, "coreVersion", ask->core_version);
    oc_json_set_str(o, "uiVersion", ask->ui_version);
    oc_json_set_str(o, "deviceFamily", ask->device_family);
    oc_json_set_str(o, "modelIdentifier", ask->model_identifier);
    oc_json_set_strv(o, "caps", ask->caps);
    oc_json_set_strv(o, "commands", ask->commands);
    OC_AUTO_STRV struct oc_strv scopes = { 0 };
    gw_surface_required_scopes(ask->commands, &scopes);
    oc_json_set_strv(o, "requiredApproveScopes", &scopes);
    oc_json_set_str(o, "remoteIp", ask->remote_ip);
    oc_json_set_bool(o, "silent", ask->is_silent);
    oc_json_set_bool(o, "isRepair", is_repair);
    oc_json_set_int(o, "ts", now_ms);
    oc_json_set_int(o, "expiresAtMs", now_ms + OC_PENDING_TTL_MS);
    return o;
}

static enum oc_code node_requests_add(struct gw_store *s, const struct gw_node_ask *ask,
        int64_t now_ms, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *node = NULL;
    enum oc_code rc = gw_store_get(s, GW_NODES, ask->node_id, &node, err);
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        return rc;
    }
    OC_AUTO_JSON cJSON *request =
            node_requests_build(ask, oc_json_get(node, "approvedAtMs") != NULL, now_ms);
    rc = gw_store_put(
            s, GW_NODE_REQUESTS, oc_json_get_str(request, "requestId"), ask->node_id, request, err);
    if (rc == OC_OK) {
        *ret = oc_take(&request);
    }
    return rc;
}

enum oc_code gw_node_request_make(struct gw_store *s, const struct oc_clock *clock,
        const struct gw_actor *actor, const struct gw_node_ask *ask, cJSON **ret, bool *ret_is_new,
        struct oc_error *err) {
    int64_t now = oc_wall_ms(clock);
    size_t made = 0;
    enum oc_code rc = gw_actor_may_decide(actor, ask->node_id, err);
    if (rc == OC_OK) {
        rc = check_texts(ask, err);
    }
    if (rc == OC_OK) {
        rc = count_made(s, now, &made, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    *ret_is_new = false;
    rc = gw_store_get_by_owner(s, GW_NODE_REQUESTS, ask->node_id, ret, err);
    if (rc != OC_E_NOT_FOUND) {
        return rc;
    }
    if (made >= OC_MAX_MADE_NODE_REQUESTS) {
        return oc_fail_busy(err, OC_REMEDY_DECIDE_NODES, "too many node requests wait (%zu)", made);
    }
    rc = node_requests_add(s, ask, now, ret, err);
    *ret_is_new = rc == OC_OK;
    return rc;
}
