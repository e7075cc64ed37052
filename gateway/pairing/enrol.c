#include "gateway/pairing/enrol.h"

#include "gateway/pairing/pairing_priv.h"
#include "gateway/pairing/setup_status.h"
#include "lib/base/mem.h"
#include "lib/protocol/scopes.h"

/* What a surface approval wants to know, for a device that was paired already and so made no
 * request. */
static cJSON *enrol_declared(const struct gw_pair_claim *claim) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "deviceId", claim->device_id);
    oc_json_set_str(o, "displayName", claim->display_name);
    oc_json_set_str(o, "platform", claim->platform);
    oc_json_set_str(o, "deviceFamily", claim->device_family);
    oc_json_set_str(o, "version", claim->version);
    oc_json_set_strv(o, "caps", claim->caps);
    oc_json_set_strv(o, "commands", claim->commands);
    return o;
}

/* Asks and approves on behalf of whoever made the code. */
static enum oc_code enrol_pair(const struct gw_enrolment *e, const struct gw_pair_claim *claim,
        const struct gw_actor *maker, struct oc_error *err) {
    struct gw_pair_outcome o;
    enum oc_code rc = gw_pairing_check(e->pairing, claim, &o, err);
    if (rc != OC_OK || o.is_paired) {
        if (rc == OC_OK) {
            gw_pair_outcome_finish(&o);
        }
        return rc;
    }
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    rc = gw_pairing_approve(
            e->pairing, maker, oc_json_get_str(o.request, "requestId"), &payload, &request, err);
    gw_pair_outcome_finish(&o);
    return rc;
}

static enum oc_code pair_roles(const struct gw_enrolment *e, const struct gw_pair_claim *claim,
        const struct gw_setup_grant *grant, const struct gw_actor *maker, struct oc_error *err) {
    static const struct oc_strv none = { 0 };
    /* What this device asked for before is not what the code was made for. */
    enum oc_code rc = gw_pairing_forget_requests(e->pairing, claim->device_id, err);
    for (size_t i = 0; rc == OC_OK && i < grant->roles.count; i++) {
        struct gw_pair_claim one = *claim;
        one.role = grant->roles.items[i];
        one.is_local = false; /* the code decides, not where the device is */
        one.scopes = oc_streq(one.role, OC_ROLE_OPERATOR) ? &grant->scopes : &none;
        rc = enrol_pair(e, &one, maker, err);
    }
    return rc;
}

/* Whether a device may decide about another one: see gw_actor_may_decide. */
static bool maker_is_admin(const struct gw_enrolment *e, const struct gw_setup_grant *grant) {
    OC_AUTO_JSON cJSON *device = NULL;
    OC_AUTO_STRV struct oc_strv scopes = { 0 };
    struct oc_error err;
    if (!grant->minted_by ||
            gw_store_get(e->store, GW_DEVICES, grant->minted_by, &device, &err) != OC_OK) {
        return false;
    }
    gw_device_token_scopes(device, OC_ROLE_OPERATOR, &scopes);
    return oc_scope_held(&scopes, OC_SCOPE_ADMIN);
}

static enum oc_code enrol_admit(const struct gw_enrolment *e, const struct gw_pair_claim *claim,
        const struct gw_setup_grant *grant, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv scopes = { 0 };
    oc_strv_copy(&scopes, &grant->scopes);
    oc_strv_add_unique(&scopes, OC_SCOPE_PAIRING);
    if (oc_strv_has(&grant->roles, OC_ROLE_NODE) || maker_is_admin(e, grant)) {
        oc_strv_add_unique(
                &scopes, OC_SCOPE_ADMIN); /* the maker held it, see gw_setup_codes_mint */
    }
    struct gw_actor maker = { .scopes = &scopes, .device_id = grant->minted_by };
    enum oc_code rc = pair_roles(e, claim, grant, &maker, err);
    bool opens = grant->approves_commands && oc_streq(claim->role, OC_ROLE_NODE);
    if (rc != OC_OK || !opens) {
        return rc;
    }
    OC_AUTO_JSON cJSON *surface = enrol_declared(claim);
    OC_AUTO_JSON cJSON *node = NULL;
    return gw_surface_preapprove(e->surface, &maker, surface, &node, err);
}

enum oc_code gw_enrol(const struct gw_enrolment *e, const struct gw_pair_claim *claim,
        const char *token, struct gw_setup_grant *ret_grant, struct oc_error *err) {
    enum oc_code rc = gw_setup_codes_check(e->store, e->clock, token, err);
    if (rc == OC_OK) {
        rc = gw_store_begin(e->store, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    struct gw_setup_grant grant = { 0 };
    struct gw_setup_try try = { token, claim->role, claim->scopes, e->secret };
    rc = gw_setup_codes_take(e->store, e->clock, &try, &grant, err);
    if (rc == OC_OK) {
        rc = enrol_admit(e, claim, &grant, err);
    }
    if (rc == OC_OK) {
        OC_AUTO_JSON cJSON *done = gw_setup_completion(&grant, claim, e->clock);
        rc = gw_setup_status_note(e->store, done, err);
    }
    rc = gw_store_end(e->store, rc, err);
    if (rc != OC_OK) {
        gw_setup_grant_finish(&grant);
        return rc;
    }
    *ret_grant = grant;
    return OC_OK;
}
