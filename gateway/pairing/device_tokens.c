/* Tokens of paired devices: what proves a device without the shared secret. */
#include "gateway/pairing/pairing_priv.h"
#include "gateway/pairing/setup_codes.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/scopes.h"

static enum oc_code device_tokens_put(
        struct gw_pairing *p, const cJSON *device, struct oc_error *err) {
    return gw_store_put(
            p->store, GW_DEVICES, oc_json_get_str(device, "deviceId"), NULL, device, err);
}

static void stamp_use(struct gw_pairing *p, cJSON *device, const char *role) {
    int64_t now = oc_wall_ms(p->clock);
    cJSON *token = cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(device, "tokens"), role);
    if (!gw_stamp_is_due(oc_json_get_ms(token, "lastUsedAtMs", 0), now)) {
        return;
    }
    oc_json_set_int(token, "lastUsedAtMs", now);
    struct oc_error err;
    if (gw_store_put_soon(p->store, GW_DEVICES, oc_json_get_str(device, "deviceId"), NULL, device,
                &err) != OC_OK) {
        oc_log(OC_LOG_WARN, "gateway.pairing", "cannot note the use of a token, ignoring: %s",
                err.text);
    }
}

bool gw_pairing_token_valid(struct gw_pairing *p, const char *device_id, const char *role,
        const struct oc_strv *scopes, const char *token) {
    OC_AUTO_JSON cJSON *device = NULL;
    struct oc_error err;
    enum oc_code rc = gw_store_get(p->store, GW_DEVICES, device_id, &device, &err);
    if (rc != OC_OK) {
        if (rc != OC_E_NOT_FOUND) {
            oc_log(OC_LOG_ERROR, "gateway.pairing", "cannot check a token, refusing it: %s",
                    err.text);
        }
        return false;
    }
    const char *stored = oc_json_get_str(gw_device_token(device, role), "token");
    OC_AUTO_STRV struct oc_strv granted = { 0 };
    gw_device_token_scopes(device, role, &granted);
    if (!stored || !*stored || !oc_secret_equal(stored, token) ||
            gw_device_token_is_revoked(device, role) || !oc_scopes_cover(role, &granted, scopes)) {
        return false;
    }
    stamp_use(p, device, role);
    return true;
}

/* What is asked for, cut down to what was approved. */
static void add_approved(struct oc_strv *ret, const cJSON *device, const struct oc_strv *wanted) {
    OC_AUTO_STRV struct oc_strv approved = { 0 };
    gw_device_approved_scopes(device, &approved);
    for (size_t i = 0; i < wanted->count; i++) {
        if (oc_scope_held(&approved, wanted->items[i])) {
            oc_strv_add_unique(ret, wanted->items[i]);
        }
    }
}

static cJSON *token_payload(const cJSON *device, const char *role) {
    const cJSON *token = gw_device_token(device, role);
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "deviceToken", oc_json_get_str(token, "token"));
    oc_json_set_str(payload, "role", role);
    gw_doc_copy(payload, token, "scopes");
    oc_json_set_int(payload, "issuedAtMs", gw_device_token_issued_ms(device, role));
    return payload;
}

enum oc_code gw_pairing_issue_token(struct gw_pairing *p, const char *device_id, const char *role,
        const struct oc_strv *scopes, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = gw_store_get(p->store, GW_DEVICES, device_id, &device, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_STRV struct oc_strv roles = { 0 }, wanted = { 0 }, granted = { 0 };
    gw_device_roles(device, &roles);
    if (!oc_strv_has(&roles, role) || gw_device_token_is_revoked(device, role)) {
        return oc_fail(err, OC_E_NOT_FOUND, "the device is not approved for role %.40s", role);
    }
    if (oc_streq(role, OC_ROLE_OPERATOR)) {
        add_approved(&wanted, device, scopes);
    }
    gw_device_token_scopes(device, role, &granted);
    bool has_token = gw_device_token(device, role) != NULL;
    if (!has_token || !oc_scopes_cover(role, &granted, &wanted)) {
        /* Together with what the old one had: programs of one machine that ask for different scopes
         * would otherwise take the token from each other forever. */
        add_approved(&wanted, device, &granted);
        gw_device_mint_token(device, role, &wanted, oc_wall_ms(p->clock));
        rc = device_tokens_put(p, device, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    *ret = token_payload(device, role);
    return OC_OK;
}

/* The device with a token for role, or "unknown deviceId/role". */
static enum oc_code find_token(struct gw_pairing *p, const char *device_id, const char *role,
        cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = gw_store_get(p->store, GW_DEVICES, device_id, &device, err);
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        return rc;
    }
    if (rc == OC_E_NOT_FOUND || !gw_device_token(device, role)) {
        return oc_fail(err, OC_E_INVALID, "unknown deviceId/role");
    }
    *ret = oc_take(&device);
    return OC_OK;
}

/* The same to take a role away. An approved role may have no token yet, since the next connect
 * brings it: it gets one that nobody is told, for there is no other place to write down that it was
 * revoked. */
static enum oc_code find_role(struct gw_pairing *p, const char *device_id, const char *role,
        cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    if (gw_store_get(p->store, GW_DEVICES, device_id, &device, err) == OC_OK) {
        gw_device_roles(device, &roles);
    }
    if (!oc_strv_has(&roles, role) || gw_device_token(device, role)) {
        return find_token(p, device_id, role, ret, err);
    }
    static const struct oc_strv none = { 0 };
    gw_device_mint_token(device, role, &none, oc_wall_ms(p->clock));
    *ret = oc_take(&device);
    return OC_OK;
}

/* A token that is no longer good: what was made with it goes along. Both, or none. */
static enum oc_code put_after_loss(
        struct gw_pairing *p, const cJSON *device, const char *role, struct oc_error *err) {
    enum oc_code rc = gw_store_begin(p->store, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = device_tokens_put(p, device, err);
    if (rc == OC_OK && oc_streq(role, OC_ROLE_OPERATOR)) {
        rc = gw_setup_codes_drop_made_by(
                p->store, p->clock, oc_json_get_str(device, "deviceId"), err);
    }
    return gw_store_end(p->store, rc, err);
}

static enum oc_code check_rotation(const struct gw_actor *actor, const cJSON *device,
        const char *role, const struct oc_strv *wanted, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv approved = { 0 };
    if (oc_streq(role, OC_ROLE_OPERATOR)) { /* other roles have no scopes */
        gw_device_approved_scopes(device, &approved);
    }
    if (!oc_scopes_cover(role, &approved, wanted)) {
        return oc_fail(err, OC_E_INVALID, "unknown deviceId/role"); /* the reference's words */
    }
    if (gw_device_token_is_revoked(device, role)) {
        enum oc_code rc = gw_actor_require(actor, OC_SCOPE_ADMIN, err);
        if (rc != OC_OK) {
            return rc; /* or a device could undo its own revocation */
        }
    }
    for (size_t i = 0; i < wanted->count; i++) {
        enum oc_code rc = gw_actor_require(actor, wanted->items[i], err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

enum oc_code gw_pairing_rotate(struct gw_pairing *p, const struct gw_actor *actor,
        const char *device_id, const char *role, const struct oc_strv *scopes, cJSON **ret,
        struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = gw_actor_require_for_device(actor, device_id, err);
    if (rc == OC_OK) {
        rc = find_token(p, device_id, role, &device, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_STRV struct oc_strv wanted = { 0 };
    if (scopes) {
        oc_strv_copy(&wanted, scopes);
    } else if (oc_streq(role, OC_ROLE_OPERATOR)) {
        gw_device_token_scopes(device, role, &wanted);
    }
    rc = check_rotation(actor, device, role, &wanted, err);
    if (rc != OC_OK) {
        return rc;
    }
    gw_device_mint_token(device, role, &wanted, oc_wall_ms(p->clock));
    rc = put_after_loss(p, device, role, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "deviceId", device_id);
    oc_json_set_str(payload, "role", role);
    oc_json_set_str(payload, "token", oc_json_get_str(gw_device_token(device, role), "token"));
    oc_json_set_strv(payload, "scopes", &wanted);
    oc_json_set_int(payload, "rotatedAtMs", gw_device_token_issued_ms(device, role));
    *ret = payload;
    return OC_OK;
}

enum oc_code gw_pairing_revoke(struct gw_pairing *p, const struct gw_actor *actor,
        const char *device_id, const char *role, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = gw_actor_require_for_device(actor, device_id, err);
    if (rc == OC_OK) {
        rc = find_role(p, device_id, role, &device, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    int64_t revoked_ms = oc_json_get_ms(gw_device_token(device, role), "revokedAtMs", -1);
    if (revoked_ms < 0) {
        revoked_ms = oc_wall_ms(p->clock);
        cJSON *tokens = cJSON_GetObjectItemCaseSensitive(device, "tokens");
        oc_json_set_int(cJSON_GetObjectItemCaseSensitive(tokens, role), "revokedAtMs", revoked_ms);
        rc = put_after_loss(p, device, role, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "deviceId", device_id);
    oc_json_set_str(payload, "role", role);
    oc_json_set_int(payload, "revokedAtMs", revoked_ms);
    *ret = payload;
    return OC_OK;
}
