/* node.pair.*: gate 2 by hand, and both gates at once for a node that has never been let in. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/handshake/node_surface.h"
#include "gateway/handshake/pair_events.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/gates.h"
#include "gateway/nodes/node_work.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/scopes.h"

struct node_request_params {
    const char *request_id;
};
#define T struct node_request_params
static const struct oc_json_field request_fields[] = {
    OC_STR(T, request_id, "requestId", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

/* A device request, shown as what it means for a node. */
static cJSON *as_node_request(const cJSON *request) {
    static const char *const copied[] = { "requestId", "clientId", "clientMode", "displayName",
        "platform", "version", "deviceFamily", "remoteIp", "caps", "commands", "isRepair", "ts" };
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "nodeId", oc_json_get_str(request, "deviceId"));
    for (size_t i = 0; i < OC_COUNT(copied); i++) {
        const cJSON *v = oc_json_get(request, copied[i]);
        if (v) {
            oc_json_set(o, copied[i], cJSON_Duplicate(v, true));
        }
    }
    static const char *const scopes[] = { OC_SCOPE_PAIRING, OC_SCOPE_ADMIN };
    oc_json_set(o, "requiredApproveScopes", cJSON_CreateStringArray(scopes, (int)OC_COUNT(scopes)));
    oc_json_set_str(o, "gate", oc_gate_name(OC_GATE_PAIRING));
    return o;
}

/* Both lists come newest first. */
static cJSON *merge_newest_first(cJSON *surface, const cJSON *device_requests) {
    cJSON *all = cJSON_CreateArray();
    const cJSON *d = device_requests->child;
    cJSON *s = surface->child;
    while (s || d) {
        if (s && (!d || oc_json_get_ms(s, "ts", 0) >= oc_json_get_ms(d, "ts", 0))) {
            cJSON *next = s->next;
            oc_json_set_str(s, "gate", oc_gate_name(OC_GATE_SURFACE));
            cJSON_AddItemToArray(all, cJSON_DetachItemViaPointer(surface, s));
            s = next;
        } else {
            cJSON_AddItemToArray(all, as_node_request(d));
            d = d->next;
        }
    }
    return all;
}

void gw_method_node_pair_list(const struct gw_call *call) {
    struct gw_actor actor = gw_conn_actor(call->conn);
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *devices = NULL;
    struct oc_error err;
    enum oc_code rc = gw_surface_list(call->gw->surface, &payload, &err);
    if (rc == OC_OK) {
        rc = gw_pairing_node_requests(call->gw->pairing, &devices, &err);
    }
    if (rc != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    cJSON *pending = cJSON_GetObjectItemCaseSensitive(payload, "pending");
    cJSON *waiting = merge_newest_first(pending, devices);
    gw_actor_keep_seen(&actor, waiting, "nodeId");
    gw_actor_keep_seen(&actor, cJSON_GetObjectItemCaseSensitive(payload, "paired"), "nodeId");
    oc_json_set(payload, "pending", waiting);
    gw_call_ok(call, oc_take(&payload));
}

/* A pending device request of role node; NULL without an error when the id names something else. */
static enum oc_code find_device_request(
        const struct gw_call *call, const char *request_id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = NULL;
    enum oc_code rc = gw_pairing_request(call->gw->pairing, request_id, &request, err);
    if (rc == OC_E_NOT_FOUND) {
        return OC_OK;
    }
    if (rc == OC_OK) {
        OC_AUTO_STRV struct oc_strv roles = { 0 };
        oc_json_get_strv(request, "roles", &roles);
        if (oc_strv_has(&roles, OC_ROLE_NODE)) {
            *ret = oc_take(&request);
        }
    }
    return rc;
}

/* Both gates open, or none. */
static enum oc_code approve_both(const struct gw_call *call, const char *request_id,
        cJSON **ret_payload, struct oc_error *err) {
    struct gw_gateway *gw = call->gw;
    struct gw_actor actor = gw_conn_actor(call->conn);
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    OC_AUTO_JSON cJSON *node = NULL;
    enum oc_code rc = gw_store_begin(gw->store, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = gw_pairing_approve(gw->pairing, &actor, request_id, &payload, &request, err);
    if (rc == OC_OK) {
        rc = gw_surface_preapprove(gw->surface, &actor, request, &node, err);
    }
    rc = gw_store_end(gw->store, rc, err);
    if (rc == OC_OK) {
        oc_json_set(payload, "node", oc_take(&node));
        *ret_payload = oc_take(&payload);
    }
    return rc;
}

static void approve_device(
        const struct gw_call *call, const char *request_id, const char *device_id) {
    cJSON *payload = NULL;
    struct oc_error err;
    if (approve_both(call, request_id, &payload, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    gw_device_pair_resolved(&call->gw->handshake, request_id, device_id, "approved");
    gw_node_surface_resolved(&call->gw->handshake, request_id, device_id, "approved");
    gw_call_ok(call, payload);
}

static void approve_surface(const struct gw_call *call, const char *request_id) {
    struct gw_actor actor = gw_conn_actor(call->conn);
    cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    struct oc_error err;
    if (gw_surface_approve(call->gw->surface, &actor, request_id, &payload, &request, &err) !=
            OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    gw_node_surface_resolved(
            &call->gw->handshake, request_id, oc_json_get_str(request, "nodeId"), "approved");
    gw_call_ok(call, payload);
}

void gw_method_node_pair_approve(const struct gw_call *call) {
    struct node_request_params p = { 0 };
    if (!gw_call_decode(call, request_fields, OC_COUNT(request_fields), &p)) {
        return;
    }
    OC_AUTO_JSON cJSON *device_request = NULL;
    struct oc_error err;
    if (find_device_request(call, p.request_id, &device_request, &err) != OC_OK) {
        gw_call_fail(call, &err);
    } else if (device_request) {
        approve_device(call, p.request_id, oc_json_get_str(device_request, "deviceId"));
    } else {
        approve_surface(call, p.request_id);
    }
}

static void reject_device(const struct gw_call *call, const char *request_id) {
    OC_AUTO_JSON cJSON *rejected = NULL;
    struct oc_error err;
    if (gw_pairing_reject(call->gw->pairing, request_id, &rejected, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    const char *device_id = oc_json_get_str(rejected, "deviceId");
    gw_device_pair_resolved(&call->gw->handshake, request_id, device_id, "rejected");
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "requestId", request_id);
    oc_json_set_str(payload, "nodeId", device_id);
    gw_call_ok(call, payload);
}

void gw_method_node_pair_reject(const struct gw_call *call) {
    struct node_request_params p = { 0 };
    if (!gw_call_decode(call, request_fields, OC_COUNT(request_fields), &p)) {
        return;
    }
    OC_AUTO_JSON cJSON *device_request = NULL;
    struct oc_error err;
    if (find_device_request(call, p.request_id, &device_request, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    struct gw_actor actor = gw_conn_actor(call->conn);
    if (device_request) {
        if (gw_actor_may_decide(&actor, oc_json_get_str(device_request, "deviceId"), &err) !=
                OC_OK) {
            gw_call_fail(call, &err);
            return;
        }
        reject_device(call, p.request_id);
        return;
    }
    cJSON *payload = NULL;
    if (gw_surface_reject(call->gw->surface, &actor, p.request_id, &payload, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    gw_node_surface_resolved(
            &call->gw->handshake, p.request_id, oc_json_get_str(payload, "nodeId"), "rejected");
    gw_call_ok(call, payload);
}

struct node_params {
    const char *node_id, *token;
};
#define T struct node_params
static const struct oc_json_field remove_fields[] = {
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
};
static const struct oc_json_field verify_fields[] = {
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, token, "token", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

/* The device keeps what it has besides being a node: then only that token goes. */
static enum oc_code remove_device(
        const struct gw_call *call, const cJSON *device, struct oc_error *err) {
    struct gw_actor actor = gw_conn_actor(call->conn);
    const char *device_id = oc_json_get_str(device, "deviceId");
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    oc_json_get_strv(device, "roles", &roles);
    OC_AUTO_JSON cJSON *done = NULL;
    if (roles.count > 1) {
        return gw_pairing_revoke(call->gw->pairing, &actor, device_id, OC_ROLE_NODE, &done, err);
    }
    return gw_pairing_remove(call->gw->pairing, &actor, device_id, &done, err);
}

static enum oc_code remove_node(
        const struct gw_call *call, const char *node_id, struct oc_error *err) {
    struct gw_actor actor = gw_conn_actor(call->conn);
    OC_AUTO_JSON cJSON *device = NULL;
    OC_AUTO_JSON cJSON *done = NULL;
    enum oc_code rc = gw_actor_require_to_remove(&actor, node_id, err);
    if (rc == OC_OK) {
        rc = gw_pairing_device(call->gw->pairing, node_id, &device, err);
    }
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        return rc;
    }
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    oc_json_get_strv(device, "roles", &roles);
    bool is_node = oc_strv_has(&roles, OC_ROLE_NODE);
    if (is_node) {
        rc = remove_device(call, device, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    rc = gw_surface_remove(call->gw->surface, node_id, &done, err);
    return rc == OC_E_INVALID && is_node
                   ? OC_OK
                   : rc; /* "unknown nodeId": it had no surface, or it went along */
}

void gw_method_node_pair_remove(const struct gw_call *call) {
    struct node_params p = { 0 };
    if (!gw_call_decode(call, remove_fields, OC_COUNT(remove_fields), &p)) {
        return;
    }
    struct oc_error err;
    if (remove_node(call, p.node_id, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    oc_log(OC_LOG_INFO, "gateway.pairing", "node removed node=%.12s", p.node_id);
    gw_roster_refresh(call->gw->roster, p.node_id);
    gw_node_work_forget(call->gw->work, p.node_id);
    gw_device_close(call->gw, p.node_id, OC_ROLE_NODE, call->conn, "pairing required",
            "pairing required: device is not approved yet");
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "nodeId", p.node_id);
    gw_call_ok(call, payload);
}

void gw_method_node_pair_verify(const struct gw_call *call) {
    struct node_params p = { 0 };
    if (!gw_call_decode(call, verify_fields, OC_COUNT(verify_fields), &p)) {
        return;
    }
    struct gw_actor actor = gw_conn_actor(call->conn);
    bool ok = gw_actor_sees_device(&actor, p.node_id) &&
              gw_surface_verify(call->gw->surface, p.node_id, p.token);
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_bool(payload, "ok", ok);
    cJSON *node = NULL;
    struct oc_error err;
    if (ok && gw_surface_node(call->gw->surface, p.node_id, &node, &err) == OC_OK) {
        oc_json_set(payload, "node", node);
    }
    gw_call_ok(call, payload);
}
