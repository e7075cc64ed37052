/* Who is let in, and the device.pair.* methods. */
#include "gateway/pairing/pairing.h"

#include "gateway/pairing/pairing_priv.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/scopes.h"

/* Local clients pair without anyone being asked, so their number needs an end, too. */
#define MAX_DEVICES 100000

struct gw_pairing *gw_pairing_create(struct gw_store *store, const struct oc_clock *clock) {
    struct gw_pairing *p = oc_new(struct gw_pairing);
    p->store = store;
    p->clock = clock;
    return p;
}

void gw_pairing_destroy(struct gw_pairing *p) {
    if (p) {
        oc_free(p->room.ip);
    }
    oc_free(p);
}

void gw_pair_outcome_finish(struct gw_pair_outcome *o) {
    cJSON_Delete(o->request);
    cJSON_Delete(o->device);
    *o = (struct gw_pair_outcome){ 0 };
}

enum oc_code gw_actor_require(
        const struct gw_actor *actor, const char *scope, struct oc_error *err) {
    if (!actor->scopes || !oc_scope_held(actor->scopes, scope)) {
        (void)oc_fail_cause(
                err, OC_E_DENIED, OC_CAUSE_MISSING_SCOPE, "missing scope: %.100s", scope);
        if (err) {
            oc_grounds_set_subject(&err->grounds, scope);
        }
        return OC_E_DENIED;
    }
    return OC_OK;
}

enum oc_code gw_actor_require_for_device(
        const struct gw_actor *actor, const char *device_id, struct oc_error *err) {
    bool is_own = actor->device_id && oc_streq(actor->device_id, device_id);
    return gw_actor_require(actor, is_own ? OC_SCOPE_PAIRING : OC_SCOPE_ADMIN, err);
}

bool gw_actor_sees_device(const struct gw_actor *actor, const char *device_id) {
    return !actor->device_id || oc_streq(actor->device_id, device_id) ||
           oc_scope_held(actor->scopes, OC_SCOPE_ADMIN);
}

void gw_actor_keep_seen(const struct gw_actor *actor, cJSON *list, const char *id_key) {
    for (cJSON *item = list->child, *next = NULL; item; item = next) {
        next = item->next;
        if (!gw_actor_sees_device(actor, oc_json_get_str(item, id_key))) {
            cJSON_Delete(cJSON_DetachItemViaPointer(list, item));
        }
    }
}

enum oc_code gw_actor_may_decide(
        const struct gw_actor *actor, const char *device_id, struct oc_error *err) {
    return gw_actor_sees_device(actor, device_id) ? OC_OK
                                                  : gw_actor_require(actor, OC_SCOPE_ADMIN, err);
}

enum oc_code gw_actor_require_to_remove(
        const struct gw_actor *actor, const char *device_id, struct oc_error *err) {
    return actor->device_id ? gw_actor_require_for_device(actor, device_id, err)
                            : gw_actor_require(actor, OC_SCOPE_PAIRING, err);
}

/* Writes the granted record and takes the request off the table, both or none. */
static enum oc_code pairing_grant(struct gw_pairing *p, const cJSON *old, const cJSON *request,
        cJSON **ret_device, struct oc_error *err) {
    const char *device_id = oc_json_get_str(request, "deviceId");
    if (!old) {
        size_t count = 0;
        enum oc_code rc = gw_store_count(p->store, GW_DEVICES, &count, err);
        if (rc != OC_OK) {
            return rc;
        }
        if (count >= MAX_DEVICES) {
            return oc_fail_busy(err, OC_REMEDY_REMOVE_DEVICES,
                    "%zu devices are paired, which is the most", count);
        }
    }
    enum oc_code rc = gw_store_begin(p->store, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *device = gw_device_granted(old, request, oc_wall_ms(p->clock));
    rc = gw_store_put(p->store, GW_DEVICES, device_id, NULL, device, err);
    if (rc == OC_OK) {
        rc = gw_store_delete(
                p->store, GW_DEVICE_REQUESTS, oc_json_get_str(request, "requestId"), err);
    }
    rc = gw_store_end(p->store, rc, err);
    if (rc == OC_OK) {
        *ret_device = oc_take(&device);
    }
    return rc;
}

/* The record of this key, or NULL. A record with another key under the same id is no record of this
 * device. */
static enum oc_code find_device(struct gw_pairing *p, const char *device_id, const char *public_key,
        cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = gw_store_get(p->store, GW_DEVICES, device_id, &device, err);
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        return rc;
    }
    bool is_same = device && oc_streq(oc_json_get_str(device, "publicKey"), public_key);
    *ret = is_same ? oc_take(&device) : NULL;
    return OC_OK;
}

/* NULL when the device may come in as it asks. */
static const char *reason_to_ask(
        const cJSON *device, const struct gw_pair_claim *claim, bool *ret_may_be_silent) {
    static const struct oc_strv none = { 0 };
    *ret_may_be_silent = false;
    if (!device) {
        *ret_may_be_silent = claim->is_local;
        return "not-paired";
    }
    if (gw_device_metadata_differs(device, claim)) {
        return "metadata-upgrade";
    }
    OC_AUTO_STRV struct oc_strv roles = { 0 }, approved = { 0 };
    gw_device_roles(device, &roles);
    if (!oc_strv_has(&roles, claim->role) || gw_device_token_is_revoked(device, claim->role)) {
        return "role-upgrade";
    }
    bool has_scopes = oc_streq(claim->role, OC_ROLE_OPERATOR) && claim->scopes;
    gw_device_approved_scopes(device, &approved);
    if (!oc_scopes_cover(claim->role, &approved, has_scopes ? claim->scopes : &none)) {
        *ret_may_be_silent = claim->is_local;
        return "scope-upgrade";
    }
    return NULL;
}

/* Names and addresses change; keeping them must neither cost a write per connect nor refuse one. */
static void pairing_refresh(
        struct gw_pairing *p, cJSON *device, const struct gw_pair_claim *claim) {
    int64_t now = oc_wall_ms(p->clock);
    if (!gw_device_refresh(device, claim) ||
            !gw_stamp_is_due(oc_json_get_ms(device, "refreshedAtMs", 0), now)) {
        return;
    }
    oc_json_set_int(device, "refreshedAtMs", now);
    struct oc_error err;
    if (gw_store_put_soon(p->store, GW_DEVICES, claim->device_id, NULL, device, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, "gateway.pairing", "cannot note what a device says, ignoring: %s",
                err.text);
    }
}

static enum oc_code pairing_ask(struct gw_pairing *p, const struct gw_pair_claim *claim,
        const cJSON *device, bool may_be_silent, struct gw_pair_outcome *ret,
        struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = NULL;
    bool is_news = false;
    enum oc_code rc =
            gw_requests_ask(p, claim, device != NULL, may_be_silent, &request, &is_news, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (oc_json_get_bool(request, "silent", false)) {
        OC_AUTO_JSON cJSON *granted = NULL;
        rc = pairing_grant(p, device, request, &granted, err);
        if (rc != OC_OK) {
            return rc;
        }
        ret->is_paired = ret->was_silent = true;
        ret->reason = NULL;
        ret->device = gw_device_wire(granted);
    }
    ret->is_new_request = is_news;
    ret->request = gw_pairing_request_wire(request);
    return OC_OK;
}

enum oc_code gw_pairing_check(struct gw_pairing *p, const struct gw_pair_claim *claim,
        struct gw_pair_outcome *ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = find_device(p, claim->device_id, claim->public_key, &device, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct gw_pair_outcome outcome = { 0 };
    bool may_be_silent = false;
    outcome.reason = reason_to_ask(device, claim, &may_be_silent);
    if (outcome.reason) {
        rc = pairing_ask(p, claim, device, may_be_silent, &outcome, err);
    } else {
        pairing_refresh(p, device, claim);
        outcome.is_paired = true;
        outcome.device = gw_device_wire(device);
    }
    if (rc != OC_OK) {
        gw_pair_outcome_finish(&outcome);
        return rc;
    }
    *ret = outcome;
    return OC_OK;
}

enum oc_code gw_pairing_list(struct gw_pairing *p, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *requests = NULL;
    OC_AUTO_JSON cJSON *devices = NULL;
    enum oc_code rc = gw_requests_all(p, &requests, err);
    if (rc == OC_OK) {
        rc = gw_store_all(p->store, GW_DEVICES, &devices, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    devices = gw_docs_newest_first(devices, "approvedAtMs", "deviceId");
    cJSON *payload = cJSON_CreateObject();
    cJSON *pending = cJSON_AddArrayToObject(payload, "pending");
    cJSON *paired = cJSON_AddArrayToObject(payload, "paired");
    const cJSON *doc = NULL;
    cJSON_ArrayForEach(doc, requests) {
        cJSON_AddItemToArray(pending, gw_pairing_request_wire(doc));
    }
    cJSON_ArrayForEach(doc, devices) {
        cJSON_AddItemToArray(paired, gw_device_wire(doc));
    }
    *ret = payload;
    return OC_OK;
}

enum oc_code gw_request_unknown(struct oc_error *err) {
    (void)oc_fail_cause(err, OC_E_INVALID, OC_CAUSE_UNKNOWN_REQUEST, "unknown requestId");
    if (err) {
        err->grounds.remedy = OC_REMEDY_LIST_REQUESTS;
    }
    return OC_E_INVALID;
}

static enum oc_code find_request(
        struct gw_pairing *p, const char *request_id, cJSON **ret, struct oc_error *err) {
    enum oc_code rc = gw_requests_find(p, request_id, ret, err);
    return rc == OC_E_NOT_FOUND ? gw_request_unknown(err) : rc;
}

static enum oc_code may_grant(
        const struct gw_actor *actor, const cJSON *request, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv roles = { 0 }, needed = { 0 };
    oc_strv_add(&needed, OC_SCOPE_PAIRING);
    gw_device_roles(request, &roles);
    for (size_t i = 0; i < roles.count; i++) {
        if (!oc_streq(roles.items[i], OC_ROLE_OPERATOR)) {
            oc_strv_add_unique(&needed, OC_SCOPE_ADMIN);
        }
    }
    oc_json_get_strv(request, "scopes", &needed);
    for (size_t i = 0; i < needed.count; i++) {
        enum oc_code rc = gw_actor_require(actor, needed.items[i], err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

enum oc_code gw_pairing_approve(struct gw_pairing *p, const struct gw_actor *actor,
        const char *request_id, cJSON **ret_payload, cJSON **ret_request, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = NULL;
    OC_AUTO_JSON cJSON *old = NULL;
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = find_request(p, request_id, &request, err);
    if (rc == OC_OK) {
        rc = gw_actor_may_decide(actor, oc_json_get_str(request, "deviceId"), err);
    }
    if (rc == OC_OK) {
        rc = may_grant(actor, request, err);
    }
    if (rc == OC_OK) {
        rc = find_device(p, oc_json_get_str(request, "deviceId"),
                oc_json_get_str(request, "publicKey"), &old, err);
    }
    if (rc == OC_OK) {
        rc = pairing_grant(p, old, request, &device, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "requestId", request_id);
    oc_json_set(payload, "device", gw_device_wire(device));
    *ret_payload = payload;
    *ret_request = oc_take(&request);
    return OC_OK;
}

enum oc_code gw_pairing_reject(
        struct gw_pairing *p, const char *request_id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = NULL;
    enum oc_code rc = find_request(p, request_id, &request, err);
    if (rc == OC_OK) {
        rc = gw_store_delete(p->store, GW_DEVICE_REQUESTS, request_id, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "requestId", request_id);
    oc_json_set_str(payload, "deviceId", oc_json_get_str(request, "deviceId"));
    *ret = payload;
    return OC_OK;
}

/* The surface approval goes, too: it was given to a device someone trusted. */
static enum oc_code pairing_forget(
        struct gw_pairing *p, const char *device_id, struct oc_error *err) {
    enum oc_code rc = gw_store_delete(p->store, GW_DEVICES, device_id, err);
    if (rc == OC_OK) {
        rc = gw_requests_drop_device(p, device_id, err);
    }
    if (rc == OC_OK) {
        rc = gw_store_delete_owned(p->store, GW_NODE_REQUESTS, device_id, err);
    }
    return rc == OC_OK ? gw_store_delete(p->store, GW_NODES, device_id, err) : rc;
}

enum oc_code gw_pairing_remove(struct gw_pairing *p, const struct gw_actor *actor,
        const char *device_id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = gw_actor_require_to_remove(actor, device_id, err);
    if (rc == OC_OK) {
        rc = gw_store_get(p->store, GW_DEVICES, device_id, &device, err);
        rc = rc == OC_E_NOT_FOUND ? oc_fail(err, OC_E_INVALID, "unknown deviceId") : rc;
    }
    if (rc == OC_OK) {
        rc = gw_store_begin(p->store, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    rc = pairing_forget(p, device_id, err);
    rc = gw_store_end(p->store, rc, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "deviceId", device_id);
    *ret = payload;
    return OC_OK;
}

enum oc_code gw_pairing_request(
        struct gw_pairing *p, const char *request_id, cJSON **ret, struct oc_error *err) {
    return gw_requests_find(p, request_id, ret, err);
}

static bool has_role_node(const cJSON *doc) {
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    gw_device_roles(doc, &roles);
    return oc_strv_has(&roles, OC_ROLE_NODE);
}

enum oc_code gw_pairing_node_requests(struct gw_pairing *p, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *all = NULL;
    enum oc_code rc = gw_requests_all(p, &all, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *nodes = cJSON_CreateArray(), *next = NULL;
    for (cJSON *request = all->child; request; request = next) {
        next = request->next;
        if (has_role_node(request)) {
            cJSON_AddItemToArray(nodes, cJSON_DetachItemViaPointer(all, request));
        }
    }
    *ret = nodes;
    return OC_OK;
}

enum oc_code gw_pairing_device(
        struct gw_pairing *p, const char *device_id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = gw_store_get(p->store, GW_DEVICES, device_id, &device, err);
    if (rc == OC_OK) {
        *ret = gw_device_wire(device);
    }
    return rc;
}

enum oc_code gw_pairing_node_devices(struct gw_pairing *p, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *all = NULL;
    enum oc_code rc = gw_store_all(p->store, GW_DEVICES, &all, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *nodes = cJSON_CreateArray();
    const cJSON *device = NULL;
    cJSON_ArrayForEach(device, all) {
        if (has_role_node(device)) {
            cJSON_AddItemToArray(nodes, gw_device_wire(device));
        }
    }
    *ret = nodes;
    return OC_OK;
}

enum oc_code gw_pairing_node_request_of(
        struct gw_pairing *p, const char *device_id, cJSON **ret, struct oc_error *err) {
    return gw_requests_of(p, device_id, OC_ROLE_NODE, ret, err);
}

enum oc_code gw_pairing_forget_requests(
        struct gw_pairing *p, const char *device_id, struct oc_error *err) {
    return gw_requests_drop_device(p, device_id, err);
}
