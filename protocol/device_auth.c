/* <state>/identity/device-auth.json: the tokens gateways gave to this device, one per role. */
#include "base/file.h"
#include "base/json.h"
#include "protocol/identity.h"
#include "protocol/identity_dir.h"
#include "protocol/limits.h"

#include <openssl/crypto.h>
#include <string.h>

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

static void drop(cJSON *doc) {
    oc_json_wipe(doc);
    cJSON_Delete(doc);
}

static bool is_of_device(const cJSON *doc, const char *device_id) {
    return oc_json_get_int(doc, "version", 0) == 1 &&
           oc_streq(oc_json_get_str(doc, "deviceId"), device_id);
}

char *oc_device_auth_load(const char *state_dir, const char *device_id, const char *role) {
    OC_AUTO_FREE char *path = oc_identity_dir_path(state_dir, "device-auth.json");
    cJSON *doc = NULL;
    if (read_file(path, &doc, NULL) != OC_OK) {
        return NULL;
    }
    const cJSON *entry =
            is_of_device(doc, device_id) ? oc_json_get(oc_json_get(doc, "tokens"), role) : NULL;
    const char *token = oc_json_get_str(entry, "token");
    char *copy = token && *token ? oc_strdup(token) : NULL;
    drop(doc);
    return copy;
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
    drop(doc);
    doc = cJSON_CreateObject();
    oc_json_set_int(doc, "version", 1);
    oc_json_set_str(doc, "deviceId", device_id);
    oc_json_set(doc, "tokens", cJSON_CreateObject());
    *ret = doc;
    return OC_OK;
}

static cJSON *tokens_of(cJSON *doc) {
    return cJSON_GetObjectItemCaseSensitive(doc, "tokens");
}

static cJSON *entry_for(const char *role, const char *token, const char *const *scopes,
        size_t scope_count, int64_t now_ms) {
    OC_AUTO_STRV struct oc_strv sorted = { 0 };
    for (size_t i = 0; i < scope_count; i++) {
        oc_strv_add(&sorted, scopes[i]);
    }
    oc_strv_sort_unique(&sorted);
    cJSON *entry = cJSON_CreateObject();
    oc_json_set_str(entry, "token", token);
    oc_json_set_str(entry, "role", role);
    oc_json_set_strv(entry, "scopes", &sorted);
    oc_json_set_int(entry, "updatedAtMs", now_ms);
    return entry;
}

enum oc_code oc_device_auth_store(const char *state_dir, const char *device_id, const char *role,
        const char *token, const char *const *scopes, size_t scope_count,
        const struct oc_clock *clock, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_identity_dir_path(state_dir, "device-auth.json");
    OC_AUTO_FD int lock = -1;
    enum oc_code rc = oc_identity_dir_lock(state_dir, &lock, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *doc = NULL;
    rc = open_for_change(path, device_id, &doc, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc_json_set(
            tokens_of(doc), role, entry_for(role, token, scopes, scope_count, oc_wall_ms(clock)));
    rc = oc_identity_dir_write(path, doc, err);
    drop(doc);
    return rc;
}

enum oc_code oc_device_auth_forget(
        const char *state_dir, const char *device_id, const char *role, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_identity_dir_path(state_dir, "device-auth.json");
    if (!oc_file_exists(path)) {
        return OC_OK;
    }
    OC_AUTO_FD int lock = -1;
    enum oc_code rc = oc_identity_dir_lock(state_dir, &lock, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *doc = NULL;
    rc = read_file(path, &doc, err);
    if (rc == OC_E_NOT_FOUND) {
        return OC_OK;
    }
    if (rc == OC_OK && is_of_device(doc, device_id) && oc_json_get(tokens_of(doc), role)) {
        cJSON_DeleteItemFromObjectCaseSensitive(tokens_of(doc), role);
        rc = oc_identity_dir_write(path, doc, err);
    }
    drop(doc);
    return rc;
}
