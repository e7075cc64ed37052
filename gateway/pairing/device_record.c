/* A paired device as it is stored (the reference's shape, docs/PROTOCOL.md#files) and as others may
 * see it.
 *
 * Words: "scopes" and "approvedScopes" are what someone granted to the device, whatever it asks
 * for; a token has scopes of its own, never more than that. */
#include "gateway/pairing/pairing_priv.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/scopes.h"

#include <stdlib.h>
#include <string.h>

void gw_doc_copy(cJSON *doc, const cJSON *from, const char *key) {
    const cJSON *value = oc_json_get(from, key);
    if (value) {
        oc_json_set(doc, key, cJSON_Duplicate(value, true));
    }
}

struct dated {
    int64_t time;
    const char *id;
    cJSON *doc;
};

static int newer_first(const void *a, const void *b) {
    const struct dated *x = a, *y = b;
    if (x->time != y->time) {
        return x->time > y->time ? -1 : 1;
    }
    return strcmp(x->id, y->id);
}

cJSON *gw_docs_newest_first(cJSON *take_array, const char *time_key, const char *id_key) {
    size_t count = (size_t)cJSON_GetArraySize(take_array);
    OC_AUTO_FREE struct dated *rows = oc_new_array(struct dated, count + 1);
    for (size_t i = 0; i < count; i++) {
        cJSON *doc = cJSON_DetachItemFromArray(take_array, 0);
        const char *id = oc_json_get_str(doc, id_key);
        rows[i] = (struct dated){ oc_json_get_ms(doc, time_key, 0), id ? id : "", doc };
    }
    qsort(rows, count, sizeof(rows[0]), newer_first);
    for (size_t i = 0; i < count; i++) {
        cJSON_AddItemToArray(take_array, rows[i].doc);
    }
    return take_array;
}

void gw_device_roles(const cJSON *device, struct oc_strv *ret) {
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    oc_json_get_strv(device, "roles", &roles);
    for (size_t i = 0; i < roles.count; i++) {
        oc_strv_add_unique(ret, roles.items[i]);
    }
    const char *role = oc_json_get_str(device, "role");
    if (role) {
        oc_strv_add_unique(ret, role);
    }
}

void gw_device_approved_scopes(const cJSON *device, struct oc_strv *ret) {
    /* Records older than approvedScopes only have scopes. */
    bool has_approved = oc_json_get(device, "approvedScopes") != NULL;
    oc_json_get_strv(device, has_approved ? "approvedScopes" : "scopes", ret);
}

const cJSON *gw_device_token(const cJSON *device, const char *role) {
    return oc_json_get(oc_json_get(device, "tokens"), role);
}

bool gw_device_token_is_revoked(const cJSON *device, const char *role) {
    return oc_json_get(gw_device_token(device, role), "revokedAtMs") != NULL;
}

void gw_device_token_scopes(const cJSON *device, const char *role, struct oc_strv *ret) {
    oc_json_get_strv(gw_device_token(device, role), "scopes", ret);
}

int64_t gw_device_token_issued_ms(const cJSON *device, const char *role) {
    const cJSON *token = gw_device_token(device, role);
    return oc_json_get_ms(token, "rotatedAtMs", oc_json_get_ms(token, "createdAtMs", 0));
}

void gw_device_mint_token(
        cJSON *device, const char *role, const struct oc_strv *scopes, int64_t now_ms) {
    const cJSON *old = gw_device_token(device, role);
    uint8_t random[32];
    oc_random(random, sizeof(random));
    OC_AUTO_SECRET char *value = oc_base64url(random, sizeof(random));
    cJSON *token = cJSON_CreateObject();
    oc_json_set_str(token, "token", value);
    oc_json_set_str(token, "role", role);
    oc_json_set_strv(token, "scopes", scopes);
    oc_json_set_int(token, "createdAtMs", oc_json_get_ms(old, "createdAtMs", now_ms));
    if (old) {
        oc_json_set_int(token, "rotatedAtMs", now_ms);
    }
    gw_doc_copy(token, old, "lastUsedAtMs");
    cJSON *tokens = cJSON_GetObjectItemCaseSensitive(device, "tokens");
    if (!cJSON_IsObject(tokens)) {
        tokens = cJSON_CreateObject();
        oc_json_set(device, "tokens", tokens);
    }
    oc_json_set(tokens, role, token);
}

static void add_all(struct oc_strv *to, const struct oc_strv *from) {
    for (size_t i = 0; i < from->count; i++) {
        oc_strv_add_unique(to, from->items[i]);
    }
}

/* Scopes belong to the role operator; a node's token has none. */
static void grant_role(
        cJSON *device, const char *role, const struct oc_strv *asked, int64_t now_ms) {
    OC_AUTO_STRV struct oc_strv scopes = { 0 };
    if (oc_streq(role, OC_ROLE_OPERATOR)) {
        if (asked->count > 0) {
            oc_strv_copy(&scopes, asked);
        } else if (!gw_device_token_is_revoked(device, role)) {
            gw_device_token_scopes(device, role, &scopes);
        }
    }
    gw_device_mint_token(device, role, &scopes, now_ms);
}

cJSON *gw_device_granted(const cJSON *old, const cJSON *request, int64_t now_ms) {
    static const char *const told[] = { "deviceId", "publicKey", "displayName", "platform",
        "deviceFamily", "clientId", "clientMode", "remoteIp", "role" };
    OC_AUTO_STRV struct oc_strv asked_roles = { 0 }, asked = { 0 }, roles = { 0 }, scopes = { 0 };
    gw_device_roles(request, &asked_roles);
    oc_json_get_strv(request, "scopes", &asked);
    if (old) {
        gw_device_roles(old, &roles);
        /* Whoever approves after a revocation, or makes a node an operator, sees only what is asked
         * for now: what the record says from before must not come back with it. */
        bool was_operator = oc_strv_has(&roles, OC_ROLE_OPERATOR);
        bool is_new_start = oc_strv_has(&asked_roles, OC_ROLE_OPERATOR) &&
                            gw_device_token_is_revoked(old, OC_ROLE_OPERATOR);
        if (was_operator && !is_new_start) {
            gw_device_approved_scopes(old, &scopes);
        }
    }
    add_all(&roles, &asked_roles);
    add_all(&scopes, &asked);

    cJSON *device = old ? cJSON_Duplicate(old, true) : cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(told); i++) {
        gw_doc_copy(device, request, told[i]);
    }
    oc_json_set_strv(device, "roles", &roles);
    oc_json_set_strv(device, "scopes", &scopes);
    oc_json_set_strv(device, "approvedScopes", &scopes);
    oc_json_set_int(device, "createdAtMs", oc_json_get_ms(old, "createdAtMs", now_ms));
    oc_json_set_int(device, "approvedAtMs", now_ms);
    for (size_t i = 0; i < asked_roles.count; i++) {
        grant_role(device, asked_roles.items[i], &asked, now_ms);
    }
    return device;
}

/* As in the signed connect payload: trimmed, ASCII lower case, absent is empty. */
static char *device_record_normalized(const char *text) {
    OC_AUTO_FREE char *copy = oc_strdup(text ? text : "");
    oc_ascii_lower(copy);
    return oc_strdup(oc_trim(copy));
}

static bool device_record_differs(const char *stored, const char *claimed) {
    OC_AUTO_FREE char *a = device_record_normalized(stored);
    OC_AUTO_FREE char *b = device_record_normalized(claimed);
    return *a && strcmp(a, b) != 0;
}

bool gw_device_metadata_differs(const cJSON *device, const struct gw_pair_claim *claim) {
    return device_record_differs(oc_json_get_str(device, "platform"), claim->platform) ||
           device_record_differs(oc_json_get_str(device, "deviceFamily"), claim->device_family);
}

bool gw_device_refresh(cJSON *device, const struct gw_pair_claim *claim) {
    /* Platform and family have passed gw_device_metadata_differs: this only fills in what was not
     * known. */
    const struct {
        const char *key, *value;
    } told[] = {
        { "displayName", claim->display_name },
        { "platform", claim->platform },
        { "deviceFamily", claim->device_family },
        { "clientId", claim->client_id },
        { "clientMode", claim->client_mode },
        { "remoteIp", claim->remote_ip },
    };
    bool is_changed = false;
    for (size_t i = 0; i < OC_COUNT(told); i++) {
        if (told[i].value && !oc_streq(told[i].value, oc_json_get_str(device, told[i].key))) {
            oc_json_set_str(device, told[i].key, told[i].value);
            is_changed = true;
        }
    }
    return is_changed;
}

static int by_string(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static cJSON *tokens_wire(const cJSON *tokens) {
    static const char *const shown[] = { "scopes", "createdAtMs", "rotatedAtMs", "revokedAtMs",
        "lastUsedAtMs" };
    size_t count = (size_t)cJSON_GetArraySize(tokens), n = 0;
    if (!cJSON_IsObject(tokens) || count == 0) {
        return NULL;
    }
    OC_AUTO_FREE const char **roles = oc_new_array(const char *, count);
    const cJSON *token = NULL;
    oc_json_for_each_member(token, tokens) {
        roles[n++] = token->string;
    }
    qsort(roles, n, sizeof(roles[0]), by_string);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        cJSON *summary = cJSON_CreateObject();
        oc_json_set_str(summary, "role", roles[i]);
        for (size_t k = 0; k < OC_COUNT(shown); k++) {
            gw_doc_copy(summary, oc_json_get(tokens, roles[i]), shown[k]);
        }
        cJSON_AddItemToArray(list, summary);
    }
    return list;
}

cJSON *gw_device_wire(const cJSON *device) {
    /* Named one by one: what an import brought along must not slip out. */
    static const char *const shown[] = { "deviceId", "publicKey", "displayName", "platform",
        "deviceFamily", "clientId", "clientMode", "role", "roles", "scopes", "remoteIp",
        "createdAtMs", "approvedAtMs", "operatorLabel" };
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    cJSON *wire = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(shown); i++) {
        gw_doc_copy(wire, device, shown[i]);
    }
    gw_device_roles(device, &roles); /* an old record may only have role */
    oc_json_set_strv(wire, "roles", &roles);
    oc_json_set(wire, "tokens", tokens_wire(oc_json_get(device, "tokens")));
    return wire;
}
