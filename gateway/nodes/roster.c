#include "gateway/nodes/roster.h"

#include "gateway/pairing/pairing_priv.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/scopes.h"

struct gw_roster {
    struct gw_pairing *pairing;
    struct gw_surface *surface;
    struct oc_map *by_id; /* gw_known_node */
};

static void free_known(struct gw_known_node *k) {
    if (!k) {
        return;
    }
    oc_free(k->id);
    oc_free(k->display_name);
    oc_free(k->platform);
    oc_free(k->version);
    oc_free(k->client_id);
    oc_free(k->client_mode);
    oc_free(k->device_family);
    oc_free(k->remote_ip);
    oc_free(k->seen_reason);
    oc_free(k);
}

static char *copy_member(const cJSON *o, const char *key) {
    return oc_strdup(oc_json_get_str(o, key));
}

/* device: the paired record. record: the surface record, or NULL. */
static void roster_put(struct gw_roster *r, const cJSON *device, const cJSON *record) {
    struct gw_known_node *k = oc_new(struct gw_known_node);
    k->id = copy_member(device, "deviceId");
    k->display_name = copy_member(record, "displayName");
    if (!k->display_name) {
        k->display_name = copy_member(device, "displayName");
    }
    k->is_named_by_owner =
            k->display_name && oc_streq(oc_json_get_str(record, "displayNameSource"), "owner");
    k->version = copy_member(record, "version");
    k->platform = copy_member(device, "platform");
    k->client_id = copy_member(device, "clientId");
    k->client_mode = copy_member(device, "clientMode");
    k->device_family = copy_member(device, "deviceFamily");
    k->remote_ip = copy_member(device, "remoteIp");
    k->last_connected_ms = oc_json_get_ms(record, "lastConnectedAtMs", 0);
    k->approved_at_ms = oc_json_get_ms(record, "approvedAtMs", 0);
    k->seen_saved_ms = oc_json_get_ms(record, "lastSeenAtMs", 0);
    k->seen_ms = k->seen_saved_ms;
    k->seen_reason = copy_member(record, "lastSeenReason");
    struct gw_known_node *before = oc_map_put(r->by_id, k->id, k);
    if (before && before->seen_ms > k->seen_ms) {
        k->seen_ms = before->seen_ms;
        oc_free(k->seen_reason);
        k->seen_reason = oc_take(&before->seen_reason);
    }
    free_known(before);
}

/* A device whose node token was revoked is no node until somebody approves it again. */
static bool is_node(const cJSON *device) {
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    oc_json_get_strv(device, "roles", &roles);
    const cJSON *token = NULL;
    cJSON_ArrayForEach(token, oc_json_get(device, "tokens")) {
        if (oc_streq(oc_json_get_str(token, "role"), OC_ROLE_NODE) &&
                oc_json_get(token, "revokedAtMs")) {
            return false;
        }
    }
    return oc_strv_has(&roles, OC_ROLE_NODE);
}

static enum oc_code roster_load(struct gw_roster *r, struct oc_error *err) {
    OC_AUTO_JSON cJSON *devices = NULL;
    enum oc_code rc = gw_pairing_node_devices(r->pairing, &devices, err);
    const cJSON *d = NULL;
    cJSON_ArrayForEach(d, devices) {
        OC_AUTO_JSON cJSON *record = NULL;
        if (!is_node(d)) {
            continue;
        }
        rc = gw_surface_node(r->surface, oc_json_get_str(d, "deviceId"), &record, err);
        if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
            return rc;
        }
        roster_put(r, d, record);
        rc = OC_OK;
    }
    return rc;
}

enum oc_code gw_roster_create(struct gw_pairing *pairing, struct gw_surface *surface,
        struct gw_roster **ret, struct oc_error *err) {
    struct gw_roster *r = oc_new(struct gw_roster);
    r->pairing = pairing;
    r->surface = surface;
    r->by_id = oc_map_create();
    enum oc_code rc = roster_load(r, err);
    if (rc != OC_OK) {
        gw_roster_destroy(r);
        return rc;
    }
    *ret = r;
    return OC_OK;
}

void gw_roster_destroy(struct gw_roster *r) {
    if (!r) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(r->by_id, &pos, &key, &value)) {
        free_known(value);
    }
    oc_map_destroy(r->by_id);
    oc_free(r);
}

void gw_roster_refresh(struct gw_roster *r, const char *node_id) {
    OC_AUTO_JSON cJSON *device = NULL;
    OC_AUTO_JSON cJSON *record = NULL;
    struct oc_error err;
    enum oc_code rc = gw_pairing_device(r->pairing, node_id, &device, &err);
    if (rc == OC_E_NOT_FOUND || (rc == OC_OK && !is_node(device))) {
        free_known(oc_map_remove(r->by_id, node_id));
        return;
    }
    if (rc == OC_OK) {
        rc = gw_surface_node(r->surface, node_id, &record, &err);
    }
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        oc_log(OC_LOG_ERROR, "gateway.roster", "cannot read a node, its entry may be old: %s",
                err.text);
        return;
    }
    roster_put(r, device, record);
}

/* A full disk must not keep a node from working. */
static void roster_save(struct gw_roster *r, struct gw_known_node *k) {
    struct gw_store *store = r->pairing->store;
    OC_AUTO_JSON cJSON *record = NULL;
    struct oc_error err;
    enum oc_code rc = gw_store_get(store, GW_NODES, k->id, &record, &err);
    if (rc == OC_E_NOT_FOUND) {
        return;
    }
    if (rc == OC_OK) {
        oc_json_set_int(record, "lastSeenAtMs", k->seen_ms);
        oc_json_set_str(record, "lastSeenReason", k->seen_reason);
        rc = gw_store_put_soon(store, GW_NODES, k->id, NULL, record, &err);
    }
    if (rc != OC_OK) {
        oc_log(OC_LOG_WARN, "gateway.roster", "cannot note that a node was seen, ignoring: %s",
                err.text);
        return;
    }
    k->seen_saved_ms = k->seen_ms;
}

void gw_roster_seen(struct gw_roster *r, const char *node_id, int64_t wall_ms, const char *reason) {
    struct gw_known_node *k = oc_map_get(r->by_id, node_id);
    if (!k) {
        return;
    }
    oc_free(k->seen_reason);
    k->seen_reason = oc_strdup(reason);
    k->seen_ms = wall_ms;
    if (gw_stamp_is_due(k->seen_saved_ms, wall_ms)) {
        roster_save(r, k);
    }
}

void gw_roster_save(struct gw_roster *r) {
    struct oc_error err;
    struct gw_store *store = r->pairing->store;
    if (gw_store_begin(store, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, "gateway.roster", "cannot note when nodes were seen: %s", err.text);
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(r->by_id, &pos, &key, &value)) {
        struct gw_known_node *k = value;
        if (k->seen_ms != k->seen_saved_ms) {
            roster_save(r, k);
        }
    }
    if (gw_store_commit(store, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, "gateway.roster", "cannot note when nodes were seen: %s", err.text);
    }
}

const struct gw_known_node *gw_roster_find(const struct gw_roster *r, const char *node_id) {
    return oc_map_get(r->by_id, node_id);
}

size_t gw_roster_count(const struct gw_roster *r) {
    return oc_map_count(r->by_id);
}

const struct gw_known_node *gw_roster_next(const struct gw_roster *r, size_t *pos) {
    const char *key;
    void *value;
    return oc_map_next(r->by_id, pos, &key, &value) ? value : NULL;
}
