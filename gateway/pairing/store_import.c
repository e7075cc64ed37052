/* The reference keys its files by id; some of its versions wrote arrays. Pending requests live five
 * minutes and are not worth taking over. */
#include "gateway/pairing/store_import.h"

#include "gateway/pairing/pairing_priv.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/identity/identity.h"
#include "lib/protocol/scopes.h"

#include <string.h>

#define MAX_IMPORT_BYTES ((size_t)64 * 1024 * 1024)
#define MARKER "imported"

static const char *const files[] = { "devices/paired.json", "nodes/paired.json" };

struct import {
    struct gw_store *store;
    enum gw_table table;
    const char *id_key; /* "deviceId" or "nodeId" */
    /* Checks one entry and puts it into our shape; NULL or what is wrong with it. */
    const char *(*adopt)(cJSON *entry);
};

static enum oc_code store_import_corrupt(const char *path, const char *why, struct oc_error *err) {
    return oc_fail(err, OC_E_CORRUPT,
            "cannot import '%s': %s: correct the file, or move it away to start without it; "
            "nothing was imported",
            path, why);
}

/* Tokens are looked up by role later; an odd shape must not turn into "no token was revoked". */
static const char *check_tokens(const cJSON *entry) {
    const cJSON *tokens = oc_json_get(entry, "tokens");
    if (!tokens) {
        return NULL;
    }
    if (!cJSON_IsObject(tokens)) {
        return "its tokens are not an object";
    }
    const cJSON *token = NULL;
    cJSON_ArrayForEach(token, tokens) {
        if (!cJSON_IsObject(token) || !oc_json_get_str(token, "token")) {
            return "one of its tokens has no value";
        }
    }
    return NULL;
}

/* Some versions wrote down what a node had asked for. Scopes belong to operators; on a node they
 * mean nothing, until somebody makes it an operator too. */
static void strip_scopes_of_nodes(cJSON *entry) {
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    gw_device_roles(entry, &roles);
    static const char *const keys[] = { "scopes", "approvedScopes" };
    for (size_t i = 0; i < OC_COUNT(keys) && !oc_strv_has(&roles, OC_ROLE_OPERATOR); i++) {
        if (oc_json_get(entry, keys[i])) {
            oc_json_set(entry, keys[i], cJSON_CreateArray());
        }
    }
}

static const char *adopt_device(cJSON *entry) {
    const char *key = oc_json_get_str(entry, "publicKey");
    if (oc_str_blank(key)) {
        return "it has no publicKey";
    }
    if (!oc_json_get_str(entry, "role") && !cJSON_IsArray(oc_json_get(entry, "roles"))) {
        return "it has no role";
    }
    char canonical[OC_PUBLIC_KEY_LEN + 1], device_id[OC_DEVICE_ID_LEN + 1];
    if (oc_public_key_normalize(key, canonical, device_id)) {
        oc_json_set_str(entry, "publicKey", canonical); /* a connect compares this form */
    }
    strip_scopes_of_nodes(entry);
    return check_tokens(entry);
}

/* In the reference an entry here opened nothing. Only one that lists commands was approved with
 * them in view. */
static const char *adopt_node(cJSON *entry) {
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(entry, "commands", &commands);
    if (commands.count == 0) {
        cJSON_DeleteItemFromObjectCaseSensitive(entry, "approvedAtMs");
    }
    if (oc_json_get_str(entry, "displayName")) {
        oc_json_set_str(
                entry, "displayNameSource", "device"); /* it may have been renamed: keep it */
    }
    return NULL;
}

static enum oc_code import_entry(const struct import *im, const char *path, const cJSON *entry,
        const char *key, size_t *count, struct oc_error *err) {
    const char *id = oc_json_get_str(entry, im->id_key);
    if (oc_str_blank(id)) {
        id = key;
    }
    OC_AUTO_FREE char *shown = oc_printable(id ? id : "", id ? strlen(id) : 0, 80);
    const char *problem = oc_str_blank(id) ? "it has no id" : NULL;
    OC_AUTO_JSON cJSON *doc = NULL;
    if (!cJSON_IsObject(entry)) {
        problem = "it is not an object";
    } else if (!problem) {
        doc = cJSON_Duplicate(entry, true);
        oc_json_set_str(doc, im->id_key, id);
        problem = im->adopt(doc);
    }
    if (problem) {
        OC_AUTO_FREE char *why = oc_strfmt("entry '%s' is unusable, %s", shown, problem);
        return store_import_corrupt(path, why, err);
    }
    OC_AUTO_JSON cJSON *present = NULL;
    enum oc_code rc = gw_store_get(im->store, im->table, id, &present, err);
    if (rc != OC_E_NOT_FOUND) {
        return rc; /* ours wins */
    }
    (*count)++;
    return gw_store_put(im->store, im->table, id, NULL, doc, err);
}

static void note_hash(cJSON *seen, const char *name, const struct oc_buf *text) {
    char hash[65];
    oc_sha256_hex(text->data ? text->data : "", text->len, hash);
    oc_json_set_str(seen, name, hash);
}

/* seen: {name: hash} of what was read. */
static enum oc_code import_file(const struct import *im, const char *state_dir, const char *name,
        cJSON *seen, size_t *count, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, name);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_IMPORT_BYTES);
    enum oc_code rc = oc_file_read(path, MAX_IMPORT_BYTES, &text, err);
    if (rc != OC_OK) {
        return rc == OC_E_NOT_FOUND ? OC_OK : rc;
    }
    note_hash(seen, name, &text);
    OC_AUTO_JSON cJSON *all = NULL;
    struct oc_error why = { 0 };
    if (oc_json_parse(text.data ? text.data : "", text.len, &all, &why) != OC_OK) {
        return store_import_corrupt(path, why.text, err);
    }
    if (!cJSON_IsObject(all) && !cJSON_IsArray(all)) {
        return store_import_corrupt(path, "it is neither an object nor an array", err);
    }
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, all) {
        rc = import_entry(im, path, entry, entry->string, count, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

/* Without a file there is nothing to remember: it may still be copied here. */
static enum oc_code import_all(
        struct gw_store *s, const char *state_dir, size_t *ret_devices, struct oc_error *err) {
    const struct import devices = { s, GW_DEVICES, "deviceId", adopt_device };
    const struct import nodes = { s, GW_NODES, "nodeId", adopt_node };
    size_t node_count = 0;
    OC_AUTO_JSON cJSON *seen = cJSON_CreateObject();
    enum oc_code rc = import_file(&devices, state_dir, files[0], seen, ret_devices, err);
    if (rc == OC_OK) {
        rc = import_file(&nodes, state_dir, files[1], seen, &node_count, err);
    }
    if (rc != OC_OK || !seen->child) {
        return rc;
    }
    OC_AUTO_FREE char *marker = oc_json_print(seen, false);
    return gw_store_set_meta(s, MARKER, marker, err);
}

enum oc_code gw_store_import(
        struct gw_store *s, const char *state_dir, size_t *ret_devices, struct oc_error *err) {
    OC_AUTO_FREE char *marker = NULL;
    enum oc_code rc = gw_store_get_meta(s, MARKER, &marker, err);
    if (rc == OC_OK) {
        *ret_devices = 0;
        return OC_OK;
    }
    if (rc != OC_E_NOT_FOUND) {
        return rc;
    }
    rc = gw_store_begin(s, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t count = 0;
    rc = import_all(s, state_dir, &count, err);
    rc = gw_store_end(s, rc, err);
    if (rc == OC_OK) {
        *ret_devices = count;
    }
    return rc;
}

/* A file of the reference that is not the one which was taken over. */
static char *store_import_missed(const char *marker, const char *state_dir) {
    OC_AUTO_JSON cJSON *seen = NULL;
    OC_AUTO_JSON cJSON *now = cJSON_CreateObject();
    if (!marker || oc_json_parse(marker, strlen(marker), &seen, NULL) != OC_OK ||
            !cJSON_IsObject(seen)) {
        return NULL; /* nothing was taken over yet, or by a version that did not note what */
    }
    for (size_t i = 0; i < OC_COUNT(files); i++) {
        OC_AUTO_FREE char *path = oc_path_join(state_dir, files[i]);
        OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_IMPORT_BYTES);
        if (oc_file_read(path, MAX_IMPORT_BYTES, &text, NULL) != OC_OK) {
            continue;
        }
        note_hash(now, files[i], &text);
        if (!oc_streq(oc_json_get_str(seen, files[i]), oc_json_get_str(now, files[i]))) {
            return oc_take(&path);
        }
    }
    return NULL;
}

char *gw_store_import_missed_by(struct gw_store *s, const char *state_dir) {
    OC_AUTO_FREE char *marker = NULL;
    struct oc_error err;
    return gw_store_get_meta(s, MARKER, &marker, &err) == OC_OK
                   ? store_import_missed(marker, state_dir)
                   : NULL;
}

char *gw_store_import_missed_at(const char *db_path, const char *state_dir) {
    OC_AUTO_FREE char *marker = gw_store_peek_meta(db_path, MARKER);
    return store_import_missed(marker, state_dir);
}

enum oc_code gw_store_import_try(
        const char *db_path, const char *state_dir, size_t *ret_devices, struct oc_error *err) {
    OC_AUTO_FREE char *marker = gw_store_peek_meta(db_path, MARKER);
    struct gw_store *scratch = NULL;
    *ret_devices = 0;
    if (marker) {
        return OC_OK;
    }
    enum oc_code rc = gw_store_open(":memory:", &scratch, err);
    if (rc == OC_OK) {
        rc = gw_store_import(scratch, state_dir, ret_devices, err);
    }
    gw_store_close(scratch);
    return rc;
}

size_t gw_store_import_waiting(const char *state_dir) {
    static const char *const waiting[] = { "devices/pending.json", "nodes/pending.json" };
    size_t count = 0;
    for (size_t i = 0; i < OC_COUNT(waiting); i++) {
        OC_AUTO_FREE char *path = oc_path_join(state_dir, waiting[i]);
        OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_IMPORT_BYTES);
        OC_AUTO_JSON cJSON *all = NULL;
        if (oc_file_read(path, MAX_IMPORT_BYTES, &text, NULL) == OC_OK && text.len > 0 &&
                oc_json_parse(text.data, text.len, &all, NULL) == OC_OK) {
            count += (size_t)cJSON_GetArraySize(all);
        }
    }
    return count;
}
