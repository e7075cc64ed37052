/* Devices that wait for someone to approve them. One request per device and role: a retry keeps the
 * id, so that the id a person has read stays good, and keeps the request alive. A device that asks
 * for more gets a new id: nobody approves what they have not seen. */
#include "gateway/origin/locality.h"
#include "gateway/pairing/pairing_priv.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <string.h>

/* A retry that says nothing new is written down only when this much of the five minutes is gone: a
 * waiting fleet must not keep the disk busy. */
#define REFRESH_MS (OC_PENDING_TTL_MS / 10)
#define RECOUNT_MS 1000

static bool is_expired(const cJSON *request, int64_t now_ms) {
    int64_t age = now_ms - oc_json_get_ms(request, "ts", 0);
    return age > OC_PENDING_TTL_MS ||
           age < -OC_PENDING_TTL_MS; /* the second: the clock was set back */
}

cJSON *gw_pairing_request_wire(const cJSON *request) {
    static const char *const shown[] = { "requestId", "deviceId", "publicKey", "displayName",
        "platform", "deviceFamily", "clientId", "clientMode", "role", "roles", "scopes", "remoteIp",
        "silent", "isRepair", "ts" };
    cJSON *wire = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(shown); i++) {
        gw_doc_copy(wire, request, shown[i]);
    }
    return wire;
}

/* What someone who decides would want to know again. */
static bool says_the_same(const cJSON *a, const cJSON *b) {
    static const char *const compared[] = { "publicKey", "displayName", "platform", "deviceFamily",
        "clientId", "clientMode", "roles", "scopes", "isRepair", "caps", "commands" };
    for (size_t i = 0; i < OC_COUNT(compared); i++) {
        const cJSON *x = oc_json_get(a, compared[i]), *y = oc_json_get(b, compared[i]);
        if ((x || y) && !cJSON_Compare(x, y, true)) {
            return false;
        }
    }
    return true;
}

static void set_told(cJSON *request, const cJSON *old, const char *key, const char *value) {
    if (value) {
        oc_json_set_str(request, key, value);
    } else {
        gw_doc_copy(request, old, key);
    }
}

static bool asks_for_more(const cJSON *old, const cJSON *request) {
    return !oc_json_strv_covers(old, request, "scopes") ||
           !oc_json_strv_covers(old, request, "commands") ||
           !oc_json_strv_covers(old, request, "caps");
}

/* Who it comes from, as far as strangers can be told apart; kept inside. */
static void set_network(cJSON *request) {
    const char *ip = oc_json_get_str(request, "remoteIp");
    if (ip) {
        char network[OC_MAX_ADDR_TEXT];
        gw_ip_network(ip, network);
        oc_json_set_str(request, "remoteNet", network);
    }
}

/* old is the request that waits already, or NULL. Members in the order of the reference. */
static cJSON *pairing_requests_build(const struct gw_pair_claim *claim, const cJSON *old,
        bool is_repair, bool is_silent, int64_t now_ms) {
    static const struct oc_strv none = { 0 };
    bool is_node = oc_streq(claim->role, OC_ROLE_NODE);
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    oc_strv_add(&roles, claim->role);
    /* A node has no scopes. Kept, they would become operator scopes of the device. */
    const struct oc_strv *scopes = is_node || !claim->scopes ? &none : claim->scopes;

    cJSON *request = cJSON_CreateObject();
    char fresh_id[OC_UUID_LEN + 1];
    oc_uuid4(fresh_id);
    oc_json_set_str(request, "requestId", fresh_id);
    oc_json_set_str(request, "deviceId", claim->device_id);
    oc_json_set_str(request, "publicKey", claim->public_key);
    set_told(request, old, "displayName", claim->display_name);
    set_told(request, old, "platform", claim->platform);
    set_told(request, old, "deviceFamily", claim->device_family);
    set_told(request, old, "clientId", claim->client_id);
    set_told(request, old, "clientMode", claim->client_mode);
    oc_json_set_str(request, "role", claim->role);
    oc_json_set_strv(request, "roles", &roles);
    oc_json_set_strv(request, "scopes", scopes);
    set_told(request, old, "remoteIp", claim->remote_ip);
    oc_json_set_bool(request, "silent", is_silent);
    oc_json_set_bool(request, "isRepair", is_repair || oc_json_get_bool(old, "isRepair", false));
    oc_json_set_int(request, "ts", now_ms);
    set_network(request);
    if (is_node) {
        oc_json_set_strv(request, "caps", claim->caps ? claim->caps : &none);
        oc_json_set_strv(request, "commands", claim->commands ? claim->commands : &none);
        oc_json_set_str(request, "version", claim->version);
    }
    if (old && !asks_for_more(old, request)) {
        gw_doc_copy(request, old, "requestId");
    }
    return request;
}

/* The store's owner of a request. */
static char *owner_of(const char *device_id, const char *role) {
    return oc_strfmt("%s/%s", device_id, role);
}

static enum oc_code pairing_requests_put(
        struct gw_pairing *p, const cJSON *request, struct oc_error *err) {
    OC_AUTO_FREE char *owner =
            owner_of(oc_json_get_str(request, "deviceId"), oc_json_get_str(request, "role"));
    return gw_store_put(p->store, GW_DEVICE_REQUESTS, oc_json_get_str(request, "requestId"), owner,
            request, err);
}

static enum oc_code pairing_requests_drop(
        struct gw_pairing *p, const cJSON *request, struct oc_error *err) {
    return gw_store_delete(
            p->store, GW_DEVICE_REQUESTS, oc_json_get_str(request, "requestId"), err);
}

static enum oc_code drop_expired(struct gw_pairing *p, struct oc_error *err) {
    int64_t now = oc_wall_ms(p->clock);
    return gw_store_delete_outside(
            p->store, GW_DEVICE_REQUESTS, now - OC_PENDING_TTL_MS, now + OC_PENDING_TTL_MS, err);
}

enum oc_code gw_requests_all(struct gw_pairing *p, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *all = NULL;
    enum oc_code rc = drop_expired(p, err);
    if (rc == OC_OK) {
        rc = gw_store_all(p->store, GW_DEVICE_REQUESTS, &all, err);
    }
    if (rc == OC_OK) {
        *ret = gw_docs_newest_first(oc_take(&all), "ts", "requestId");
    }
    return rc;
}

/* Hands an unexpired request on, deletes an expired one. */
static enum oc_code if_alive(
        struct gw_pairing *p, cJSON *take_request, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *request = take_request;
    if (!is_expired(request, oc_wall_ms(p->clock))) {
        *ret = oc_take(&request);
        return OC_OK;
    }
    enum oc_code rc = pairing_requests_drop(p, request, err);
    return rc == OC_OK ? oc_fail(err, OC_E_NOT_FOUND, "the pairing request has expired") : rc;
}

enum oc_code gw_requests_find(
        struct gw_pairing *p, const char *request_id, cJSON **ret, struct oc_error *err) {
    cJSON *request = NULL;
    enum oc_code rc = gw_store_get(p->store, GW_DEVICE_REQUESTS, request_id, &request, err);
    return rc == OC_OK ? if_alive(p, request, ret, err) : rc;
}

enum oc_code gw_requests_of(struct gw_pairing *p, const char *device_id, const char *role,
        cJSON **ret, struct oc_error *err) {
    cJSON *request = NULL;
    OC_AUTO_FREE char *owner = owner_of(device_id, role);
    enum oc_code rc = gw_store_get_by_owner(p->store, GW_DEVICE_REQUESTS, owner, &request, err);
    return rc == OC_OK ? if_alive(p, request, ret, err) : rc;
}

enum oc_code gw_requests_drop_device(
        struct gw_pairing *p, const char *device_id, struct oc_error *err) {
    static const char *const roles[] = { OC_ROLE_OPERATOR, OC_ROLE_NODE };
    enum oc_code rc = OC_OK;
    for (size_t i = 0; i < OC_COUNT(roles) && rc == OC_OK; i++) {
        OC_AUTO_FREE char *owner = owner_of(device_id, roles[i]);
        rc = gw_store_delete_owned(p->store, GW_DEVICE_REQUESTS, owner, err);
    }
    return rc;
}

/* Counting anew would find the same, but for a request that has expired within the last second. */
static bool is_counted(const struct gw_pairing *p, const char *remote_ip) {
    const struct gw_room *r = &p->room;
    return r->is_known && r->changes == gw_store_changes(p->store) &&
           oc_mono_ms(p->clock) - r->at_ms < RECOUNT_MS &&
           (r->total >= OC_MAX_PENDING_DEVICES || oc_streq(r->ip, remote_ip));
}

/* A crowd that is refused again and again must cost next to nothing. */
static enum oc_code count_waiting(
        struct gw_pairing *p, const char *remote_ip, struct oc_error *err) {
    struct gw_room *r = &p->room;
    if (is_counted(p, remote_ip)) {
        return OC_OK;
    }
    r->is_known = false;
    r->from_there = 0;
    enum oc_code rc = drop_expired(p, err);
    if (rc == OC_OK) {
        rc = gw_store_count(p->store, GW_DEVICE_REQUESTS, &r->total, err);
    }
    if (rc == OC_OK && remote_ip && r->total >= OC_MAX_PENDING_PER_IP) {
        char network[OC_MAX_ADDR_TEXT];
        gw_ip_network(remote_ip, network);
        rc = gw_store_count_from(p->store, GW_DEVICE_REQUESTS, network, &r->from_there, err);
    }
    if (rc == OC_OK) {
        oc_free(r->ip);
        r->ip = oc_strdup(remote_ip);
        r->changes = gw_store_changes(p->store);
        r->at_ms = oc_mono_ms(p->clock);
        r->is_known = true;
    }
    return rc;
}

static enum oc_code check_room(struct gw_pairing *p, const char *remote_ip, struct oc_error *err) {
    enum oc_code rc = count_waiting(p, remote_ip, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t total = p->room.total, from_there = p->room.from_there;
    if (total >= OC_MAX_PENDING_DEVICES) {
        return oc_fail_busy(err, OC_REMEDY_DECIDE_DEVICES,
                "too many devices are waiting for approval (%zu)", total);
    }
    if (from_there >= OC_MAX_PENDING_PER_IP) {
        return oc_fail_busy(err, OC_REMEDY_DECIDE_DEVICES,
                "too many devices at %s are waiting for approval (%zu)", remote_ip, from_there);
    }
    return OC_OK;
}

static enum oc_code pairing_requests_replace(
        struct gw_pairing *p, const cJSON *old, const cJSON *request, struct oc_error *err) {
    enum oc_code rc = gw_store_begin(p->store, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = pairing_requests_drop(p, old, err);
    if (rc == OC_OK) {
        rc = pairing_requests_put(p, request, err);
    }
    return gw_store_end(p->store, rc, err);
}

static enum oc_code may_ask(const struct gw_pair_claim *claim, struct oc_error *err) {
    return !claim->may_ask || claim->may_ask(claim->user)
                   ? OC_OK
                   : oc_fail_busy(err, OC_REMEDY_APPROVE_WAITING, "pairing is asked for too often");
}

static enum oc_code ask_again(struct gw_pairing *p, const struct gw_pair_claim *claim,
        cJSON *take_old, bool is_repair, cJSON **ret, bool *ret_is_news, struct oc_error *err) {
    OC_AUTO_JSON cJSON *old = take_old;
    int64_t now = oc_wall_ms(p->clock);
    OC_AUTO_JSON cJSON *merged = pairing_requests_build(claim, old, is_repair, false, now);
    bool is_news = !says_the_same(old, merged);
    enum oc_code rc;
    bool is_elsewhere =
            !oc_streq(oc_json_get_str(old, "remoteIp"), oc_json_get_str(merged, "remoteIp"));
    if ((is_news || is_elsewhere) && (rc = may_ask(claim, err)) != OC_OK) {
        return rc;
    }
    if (is_news || is_elsewhere || now - oc_json_get_ms(old, "ts", 0) >= REFRESH_MS) {
        rc = pairing_requests_replace(p, old, merged, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    *ret = oc_take(&merged);
    *ret_is_news = is_news;
    return OC_OK;
}

enum oc_code gw_requests_ask(struct gw_pairing *p, const struct gw_pair_claim *claim,
        bool is_repair, bool may_be_silent, cJSON **ret, bool *ret_is_news, struct oc_error *err) {
    cJSON *old = NULL;
    enum oc_code rc = gw_requests_of(p, claim->device_id, claim->role, &old, err);
    if (rc == OC_OK && !oc_streq(oc_json_get_str(old, "publicKey"), claim->public_key)) {
        rc = pairing_requests_drop(
                p, old, err); /* another key's request: nothing of it may be merged */
        cJSON_Delete(old);
        rc = rc == OC_OK ? OC_E_NOT_FOUND : rc;
    }
    if (rc == OC_OK) {
        /* What waits was refused to be silent once; a person decides. */
        return ask_again(p, claim, old, is_repair, ret, ret_is_news, err);
    }
    if (rc != OC_E_NOT_FOUND) {
        return rc;
    }
    OC_AUTO_JSON cJSON *request =
            pairing_requests_build(claim, NULL, is_repair, may_be_silent, oc_wall_ms(p->clock));
    if (!may_be_silent) {
        rc = check_room(p, claim->remote_ip, err);
        if (rc == OC_OK) {
            rc = may_ask(claim, err);
        }
        if (rc == OC_OK) {
            rc = pairing_requests_put(p, request, err);
        }
        if (rc != OC_OK) {
            return rc;
        }
    }
    *ret = oc_take(&request);
    *ret_is_news = !may_be_silent;
    return OC_OK;
}
