/* <state>/identity/device-auth.json: the tokens gateways gave to this device, per role and gateway.
 *
 * tokens.<role> is what the reference reads and writes: one token per role, which it sends to any
 * gateway. Ours stands there with the name of its gateway in `gateway`, the latest one; those of
 * other gateways are beside it as "<role>@<gateway>", which the reference keeps and does not look
 * at. */
#include "lib/state/device_auth.h"

#include "lib/files/file.h"
#include "lib/json/json.h"
#include "lib/log/log.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/limits.h"
#include "lib/state/identity_dir.h"

#include <openssl/crypto.h>
#include <string.h>

#define MAX_GATEWAYS 32 /* per file; the one that was not heard of for longest goes */

/* OC_E_NOT_FOUND when there is no file; a damaged one is OC_E_CORRUPT. */
static enum oc_code read_file(const char *path, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct oc_error why = { 0 };
    OC_AUTO_JSON cJSON *doc = NULL;
    rc = oc_json_parse(text.data ? text.data : "", text.len, &doc, &why);
    if (text.data) {
        OPENSSL_cleanse(text.data, text.len);
    }
    if (rc == OC_OK && !cJSON_IsObject(doc)) {
        rc = oc_fail(&why, OC_E_INVALID, "must be object");
    }
    if (rc != OC_OK) {
        return oc_fail(err, OC_E_CORRUPT,
                "'%s' is damaged (%s); move it away, the gateway will hand out a new token", path,
                why.text);
    }
    *ret = oc_take(&doc);
    return OC_OK;
}

static void device_auth_drop(cJSON *doc) {
    oc_json_wipe(doc);
    cJSON_Delete(doc);
}

static bool is_of_device(const cJSON *doc, const char *device_id) {
    return oc_json_get_int(doc, "version", 1, 1, 0) == 1 &&
           oc_streq(oc_json_get_str(doc, "deviceId"), device_id);
}

static cJSON *tokens_of(const cJSON *doc) {
    return cJSON_GetObjectItemCaseSensitive(doc, "tokens");
}

static char *slot_of(const char *role, const char *gateway) {
    return oc_strfmt("%s@%s", role, gateway);
}

/* The name of the member that has this gateway's token; NULL: none has. Caller frees. */
static char *device_auth_find(const cJSON *doc, const struct oc_device_auth *a) {
    const cJSON *latest = oc_json_get(tokens_of(doc), a->role);
    if (oc_streq(oc_json_get_str(latest, "gateway"), a->gateway)) {
        return oc_strdup(a->role);
    }
    OC_AUTO_FREE char *slot = slot_of(a->role, a->gateway);
    return oc_json_get(tokens_of(doc), slot) ? oc_take(&slot) : NULL;
}

/* One that no gateway would take back, of an older version or a damaged file: with it we would be
 * refused forever. */
static void device_auth_discard(const struct oc_device_auth *a) {
    struct oc_error err;
    bool is_gone = oc_device_auth_forget(a, &err) == OC_OK;
    oc_log(OC_LOG_WARN, "identity",
            "the stored device token is too long or not plain text; it is not used%s%s",
            is_gone ? ", and was removed" : "; it cannot be removed: ", is_gone ? "" : err.text);
}

char *oc_device_auth_load(const struct oc_device_auth *a) {
    OC_AUTO_FREE char *path = oc_identity_dir_path(a->state_dir, "device-auth.json");
    cJSON *doc = NULL;
    if (read_file(path, &doc, NULL) != OC_OK) {
        return NULL;
    }
    OC_AUTO_FREE char *slot = is_of_device(doc, a->device_id) ? device_auth_find(doc, a) : NULL;
    const char *token = slot ? oc_json_get_str(oc_json_get(tokens_of(doc), slot), "token") : NULL;
    bool is_bad = token && *token && !oc_device_token_ok(token);
    char *copy = token && *token && !is_bad ? oc_strdup(token) : NULL;
    device_auth_drop(doc);
    if (is_bad) {
        device_auth_discard(a);
    }
    return copy;
}

static bool has_any(const cJSON *doc, const char *role) {
    const cJSON *entry = NULL;
    bool found = false;
    cJSON_ArrayForEach(entry, tokens_of(doc)) {
        found = found || oc_streq(oc_json_get_str(entry, "role"), role);
    }
    return found;
}

bool oc_device_auth_exists(const struct oc_device_auth *a) {
    OC_AUTO_FREE char *path = oc_identity_dir_path(a->state_dir, "device-auth.json");
    cJSON *doc = NULL;
    if (a->gateway) {
        OC_AUTO_SECRET char *token = oc_device_auth_load(a);
        return token != NULL;
    }
    bool found = read_file(path, &doc, NULL) == OC_OK && is_of_device(doc, a->device_id) &&
                 has_any(doc, a->role);
    device_auth_drop(doc);
    return found;
}

/* The document to change: the one on disk, or a new one when there is none or it belongs to another
 * key. */
static enum oc_code open_for_change(
        const char *path, const char *device_id, cJSON **ret, struct oc_error *err) {
    cJSON *doc = NULL;
    enum oc_code rc = read_file(path, &doc, err);
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        return rc;
    }
    if (doc && is_of_device(doc, device_id) && cJSON_IsObject(oc_json_get(doc, "tokens"))) {
        *ret = doc;
        return OC_OK;
    }
    device_auth_drop(doc);
    doc = cJSON_CreateObject();
    oc_json_set_int(doc, "version", 1);
    oc_json_set_str(doc, "deviceId", device_id);
    oc_json_set(doc, "tokens", cJSON_CreateObject());
    *ret = doc;
    return OC_OK;
}

static cJSON *entry_for(const struct oc_device_auth *a, const char *token,
        const char *const *scopes, size_t scope_count, int64_t now_ms) {
    OC_AUTO_STRV struct oc_strv sorted = { 0 };
    for (size_t i = 0; i < scope_count; i++) {
        oc_strv_add(&sorted, scopes[i]);
    }
    oc_strv_sort_unique(&sorted);
    cJSON *entry = cJSON_CreateObject();
    oc_json_set_str(entry, "token", token);
    oc_json_set_str(entry, "role", a->role);
    oc_json_set_strv(entry, "scopes", &sorted);
    oc_json_set_int(entry, "updatedAtMs", now_ms);
    oc_json_set_str(entry, "gateway", a->gateway);
    return entry;
}

static void remove_member(cJSON *tokens, const char *name) {
    cJSON *entry = cJSON_DetachItemFromObjectCaseSensitive(tokens, name);
    if (entry) {
        device_auth_drop(entry);
    }
}

/* The latest token makes room for that of another gateway. One whose gateway is not known is of no
 * use to us. */
static void set_aside(cJSON *tokens, const char *role) {
    cJSON *latest = cJSON_DetachItemFromObjectCaseSensitive(tokens, role);
    const char *gateway = oc_json_get_str(latest, "gateway");
    if (gateway) {
        OC_AUTO_FREE char *slot = slot_of(role, gateway);
        oc_json_set(tokens, slot, latest);
    } else if (latest) {
        device_auth_drop(latest);
    }
}

static void forget_the_oldest(cJSON *tokens) {
    while (cJSON_GetArraySize(tokens) > MAX_GATEWAYS) {
        const cJSON *entry = NULL, *oldest = NULL;
        oc_json_for_each_member(entry, tokens) {
            if (strchr(entry->string, '@') &&
                    (!oldest || oc_json_get_int(entry, "updatedAtMs", 0, INT64_MAX, 0) <
                                        oc_json_get_int(oldest, "updatedAtMs", 0, INT64_MAX, 0))) {
                oldest = entry;
            }
        }
        if (!oldest) {
            return;
        }
        OC_AUTO_FREE char *name = oc_strdup(oldest->string);
        remove_member(tokens, name);
    }
}

enum oc_code oc_device_auth_store(const struct oc_device_auth *a, const char *token,
        const char *const *scopes, size_t scope_count, const struct oc_clock *clock,
        struct oc_error *err) {
    if (!oc_device_token_ok(token)) {
        return oc_fail(err, OC_E_INVALID, "it is too long or not plain text");
    }
    OC_AUTO_FREE char *path = oc_identity_dir_path(a->state_dir, "device-auth.json");
    OC_AUTO_FD int lock = -1;
    enum oc_code rc = oc_identity_dir_lock(a->state_dir, &lock, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *doc = NULL;
    rc = open_for_change(path, a->device_id, &doc, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *tokens = tokens_of(doc);
    OC_AUTO_FREE char *slot = device_auth_find(doc, a);
    if (slot) {
        remove_member(tokens, slot);
    }
    set_aside(tokens, a->role);
    oc_json_set(tokens, a->role, entry_for(a, token, scopes, scope_count, oc_wall_ms(clock)));
    forget_the_oldest(tokens);
    rc = oc_identity_dir_write(path, doc, err);
    device_auth_drop(doc);
    return rc;
}

/* Changes a file that exists and is this device's; change says whether there was something to
 * change. */
static enum oc_code change_file(const struct oc_device_auth *a,
        bool (*change)(cJSON *doc, const struct oc_device_auth *a), struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_identity_dir_path(a->state_dir, "device-auth.json");
    if (!oc_file_exists(path)) {
        return OC_OK;
    }
    OC_AUTO_FD int lock = -1;
    enum oc_code rc = oc_identity_dir_lock(a->state_dir, &lock, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *doc = NULL;
    rc = read_file(path, &doc, err);
    if (rc == OC_E_NOT_FOUND) {
        return OC_OK;
    }
    if (rc == OC_OK && is_of_device(doc, a->device_id) && change(doc, a)) {
        rc = oc_identity_dir_write(path, doc, err);
    }
    device_auth_drop(doc);
    return rc;
}

static bool forget_one(cJSON *doc, const struct oc_device_auth *a) {
    OC_AUTO_FREE char *slot = device_auth_find(doc, a);
    if (slot) {
        remove_member(tokens_of(doc), slot);
    }
    return slot != NULL;
}

enum oc_code oc_device_auth_forget(const struct oc_device_auth *a, struct oc_error *err) {
    return change_file(a, forget_one, err);
}

static bool adopt_one(cJSON *doc, const struct oc_device_auth *a) {
    cJSON *latest = cJSON_GetObjectItemCaseSensitive(tokens_of(doc), a->role);
    OC_AUTO_FREE char *slot = slot_of(a->role, a->gateway);
    if (!cJSON_IsObject(latest) || oc_json_get(latest, "gateway")) {
        return false;
    }
    remove_member(tokens_of(doc), slot); /* the reference has had a newer one since */
    oc_json_set_str(latest, "gateway", a->gateway);
    return true;
}

enum oc_code oc_device_auth_adopt(const struct oc_device_auth *a, struct oc_error *err) {
    return change_file(a, adopt_one, err);
}
