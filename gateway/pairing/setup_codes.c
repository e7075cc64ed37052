#include "gateway/pairing/setup_codes.h"

#include "gateway/pairing/pairing_priv.h"
#include "gateway/pairing/setup_codes_priv.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <string.h>

#define KEY "setup-codes"
#define TOKEN_BYTES 32

void gw_setup_grant_finish(struct gw_setup_grant *g) {
    oc_free(g->id);
    oc_strv_finish(&g->roles);
    oc_strv_finish(&g->scopes);
    oc_free(g->minted_by);
    *g = (struct gw_setup_grant){ 0 };
}

/* A clock that was set back must not keep codes alive for longer than they were given. */
static bool is_alive(const cJSON *code, int64_t now_ms) {
    int64_t left = oc_json_get_ms(code, "expiresAtMs", 0) - now_ms;
    return left > 0 && left <= OC_SETUP_CODE_TTL_MS;
}

enum oc_code gw_setup_codes_load(
        struct gw_store *s, int64_t now_ms, cJSON **ret, struct oc_error *err) {
    OC_AUTO_FREE char *text = NULL;
    enum oc_code rc = gw_store_get_meta(s, KEY, &text, err);
    if (rc == OC_E_NOT_FOUND) {
        *ret = cJSON_CreateArray();
        return OC_OK;
    }
    OC_AUTO_JSON cJSON *codes = NULL;
    if (rc == OC_OK) {
        rc = oc_json_parse(text, strlen(text), &codes, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *next = NULL;
    for (cJSON *code = codes->child; code; code = next) {
        next = code->next;
        if (!is_alive(code, now_ms)) {
            cJSON_Delete(cJSON_DetachItemViaPointer(codes, code));
        }
    }
    *ret = oc_take(&codes);
    return OC_OK;
}

enum oc_code gw_setup_codes_save(struct gw_store *s, const cJSON *codes, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_json_print(codes, false);
    return gw_store_set_meta(s, KEY, text, err);
}

const char *gw_setup_access(const struct gw_setup_grant *g) {
    bool is_operator = oc_strv_has(&g->roles, OC_ROLE_OPERATOR);
    return !is_operator ? "node" : oc_strv_has(&g->scopes, OC_SCOPE_ADMIN) ? "full" : "limited";
}

static enum oc_code may_mint(
        const struct gw_actor *actor, const struct gw_setup_grant *g, struct oc_error *err) {
    enum oc_code rc = gw_actor_require(actor, OC_SCOPE_PAIRING, err);
    if (rc == OC_OK && oc_strv_has(&g->roles, OC_ROLE_NODE)) {
        rc = gw_actor_require(actor, OC_SCOPE_ADMIN, err);
    }
    for (size_t i = 0; rc == OC_OK && i < g->scopes.count; i++) {
        rc = gw_actor_require(actor, g->scopes.items[i], err);
    }
    return rc;
}

/* The shared secret a code was made with, in a form that tells nothing about it to who has only the
 * database: the code itself, which is random and not stored, is part of it. Caller frees. */
static char *secret_mark(const char *token, const char *secret) {
    OC_AUTO_SECRET char *both = oc_strfmt("%s\n%s", token, secret ? secret : "");
    char hash[65];
    oc_sha256_hex(both, strlen(both), hash);
    return oc_strdup(hash);
}

enum oc_code gw_setup_codes_mint(struct gw_store *s, const struct oc_clock *clock,
        const struct gw_actor *actor, struct gw_setup_grant *grant, char **ret_token,
        struct oc_error *err) {
    OC_AUTO_JSON cJSON *codes = NULL;
    int64_t now = oc_wall_ms(clock);
    enum oc_code rc = may_mint(actor, grant, err);
    if (rc == OC_OK) {
        rc = gw_setup_codes_load(s, now, &codes, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (cJSON_GetArraySize(codes) >= OC_MAX_SETUP_CODES) {
        return oc_fail_busy(err, OC_REMEDY_TRY_LATER,
                "%d setup codes wait to be used, which is the most; they expire after 10 minutes",
                OC_MAX_SETUP_CODES);
    }
    uint8_t random[TOKEN_BYTES];
    oc_random(random, sizeof(random));
    OC_AUTO_SECRET char *token = oc_base64url(random, sizeof(random));
    char hash[65], id[OC_UUID_LEN + 1];
    oc_sha256_hex(token, strlen(token), hash);
    oc_uuid4(id);
    cJSON *code = cJSON_CreateObject();
    cJSON_AddItemToArray(codes, code);
    oc_json_set_str(code, "setupId", id);
    oc_json_set_str(code, "sha256", hash);
    oc_json_set_strv(code, "roles", &grant->roles);
    oc_json_set_strv(code, "scopes", &grant->scopes);
    oc_json_set_bool(code, "approvesCommands", grant->approves_commands);
    oc_json_set_str(code, "mintedBy", actor->device_id);
    oc_json_set_int(code, "mintedAtMs", now);
    if (!actor->device_id) {
        OC_AUTO_FREE char *mark = secret_mark(token, actor->secret);
        oc_json_set_str(code, "secretMark", mark);
    }
    oc_json_set_int(code, "expiresAtMs", now + OC_SETUP_CODE_TTL_MS);
    rc = gw_setup_codes_save(s, codes, err);
    if (rc != OC_OK) {
        return rc;
    }
    grant->id = oc_strdup(id);
    grant->minted_by = oc_strdup(actor->device_id);
    grant->expires_at_ms = now + OC_SETUP_CODE_TTL_MS;
    *ret_token = oc_take(&token);
    return OC_OK;
}

/* Looks at every one, so that time says nothing about which. */
static cJSON *setup_codes_find(const cJSON *codes, const char *token) {
    char hash[65];
    oc_sha256_hex(token, strlen(token), hash);
    cJSON *found = NULL, *code = NULL;
    cJSON_ArrayForEach(code, codes) {
        if (oc_secret_equal(oc_json_get_str(code, "sha256"), hash)) {
            found = code;
        }
    }
    return found;
}

enum oc_code gw_setup_codes_check(
        struct gw_store *s, const struct oc_clock *clock, const char *token, struct oc_error *err) {
    OC_AUTO_JSON cJSON *codes = NULL;
    enum oc_code rc = gw_setup_codes_load(s, oc_wall_ms(clock), &codes, err);
    if (rc == OC_OK && !setup_codes_find(codes, token)) {
        rc = oc_fail(err, OC_E_AUTH, "setup code unknown, expired, or used");
    }
    return rc;
}

/* Whether who made the code may still make one like it. What it made before its token was revoked,
 * replaced or narrowed is what a thief would have made, too. */
static bool maker_may_still(struct gw_store *s, const cJSON *code,
        const struct gw_setup_grant *grant, const struct gw_setup_try *try) {
    if (!grant->minted_by) { /* who knew the shared secret then need not know the one of today */
        OC_AUTO_FREE char *mark = secret_mark(try->token, try->secret);
        return oc_secret_equal(oc_json_get_str(code, "secretMark"), mark);
    }
    OC_AUTO_JSON cJSON *device = NULL;
    struct oc_error err;
    if (gw_store_get(s, GW_DEVICES, grant->minted_by, &device, &err) != OC_OK ||
            gw_device_token_is_revoked(device, OC_ROLE_OPERATOR) ||
            gw_device_token_issued_ms(device, OC_ROLE_OPERATOR) >
                    oc_json_get_ms(code, "mintedAtMs", 0)) {
        return false;
    }
    OC_AUTO_STRV struct oc_strv scopes = { 0 };
    gw_device_token_scopes(device, OC_ROLE_OPERATOR, &scopes);
    struct gw_actor maker = { .scopes = &scopes, .device_id = grant->minted_by };
    return may_mint(&maker, grant, &err) == OC_OK;
}

static void read_grant(const cJSON *code, struct gw_setup_grant *ret) {
    *ret = (struct gw_setup_grant){
        .id = oc_strdup(oc_json_get_str(code, "setupId")),
        .approves_commands = oc_json_get_bool(code, "approvesCommands", false),
        .minted_by = oc_strdup(oc_json_get_str(code, "mintedBy")),
        .expires_at_ms = oc_json_get_ms(code, "expiresAtMs", 0),
    };
    oc_json_get_strv(code, "roles", &ret->roles);
    oc_json_get_strv(code, "scopes", &ret->scopes);
}

enum oc_code gw_setup_codes_take(struct gw_store *s, const struct oc_clock *clock,
        const struct gw_setup_try *try, struct gw_setup_grant *ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *codes = NULL;
    enum oc_code rc = gw_setup_codes_load(s, oc_wall_ms(clock), &codes, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *code = setup_codes_find(codes, try->token);
    if (!code) {
        return oc_fail(err, OC_E_AUTH, "setup code unknown, expired, or used");
    }
    struct gw_setup_grant grant;
    read_grant(code, &grant);
    bool fits = oc_strv_has(&grant.roles, try->role) &&
                (!oc_streq(try->role, OC_ROLE_OPERATOR) ||
                        oc_scopes_cover(try->role, &grant.scopes, try->scopes));
    if (!maker_may_still(s, code, &grant, try)) {
        rc = oc_fail(err, OC_E_AUTH, "setup code is void: its maker may no longer make it");
    } else if (!fits) {
        rc = oc_fail(err, OC_E_AUTH, "setup code is for another role or other scopes");
    } else {
        cJSON_Delete(cJSON_DetachItemViaPointer(codes, code));
        rc = gw_setup_codes_save(s, codes, err);
    }
    if (rc != OC_OK) {
        gw_setup_grant_finish(&grant);
        return rc;
    }
    *ret = grant;
    return OC_OK;
}

enum oc_code gw_setup_codes_drop_made_by(struct gw_store *s, const struct oc_clock *clock,
        const char *device_id, struct oc_error *err) {
    OC_AUTO_JSON cJSON *codes = NULL;
    enum oc_code rc = gw_setup_codes_load(s, oc_wall_ms(clock), &codes, err);
    if (rc != OC_OK) {
        return rc;
    }
    bool is_changed = false;
    for (cJSON *code = codes->child, *next = NULL; code; code = next) {
        next = code->next;
        if (oc_streq(oc_json_get_str(code, "mintedBy"), device_id)) {
            cJSON_Delete(cJSON_DetachItemViaPointer(codes, code));
            is_changed = true;
        }
    }
    return is_changed ? gw_setup_codes_save(s, codes, err) : OC_OK;
}
