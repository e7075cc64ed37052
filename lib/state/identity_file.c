/* <state>/identity/device.json, shared with the reference: a machine that was paired with it stays
 * paired. */
#include "lib/state/identity_file.h"

#include "lib/base/encode.h"
#include "lib/files/file.h"
#include "lib/identity/identity.h"
#include "lib/identity/pem.h"
#include "lib/json/json.h"
#include "lib/protocol/limits.h"
#include "lib/state/identity_dir.h"

#include <openssl/crypto.h>
#include <string.h>

struct file {
    int64_t version, created_at_ms;
    const char *device_id, *public_pem, *private_pem;
};

#define T struct file
static const struct oc_json_field fields[] = {
    OC_INT(T, version, "version", OC_REQUIRED, 1, 1),
    OC_STR(T, device_id, "deviceId", 0),
    OC_STR(T, public_pem, "publicKeyPem", OC_REQUIRED),
    OC_STR(T, private_pem, "privateKeyPem", OC_REQUIRED),
    OC_INT(T, created_at_ms, "createdAtMs", 0, 0, OC_JSON_MAX_EXACT),
};
#undef T

static enum oc_code identity_file_damaged(const char *path, struct oc_error *err) {
    struct oc_error why = *err;
    return oc_fail(err, OC_E_CORRUPT,
            "identity file '%s' is damaged (%s). It holds this machine's key: restore it from a "
            "backup, or "
            "move it away to start with a new identity, which must then be paired again",
            path, why.text);
}

static bool same_public_key(const char *pem, const struct oc_identity *id) {
    char key[OC_PUBLIC_KEY_LEN + 1], device_id[OC_DEVICE_ID_LEN + 1];
    return oc_public_key_normalize(pem, key, device_id) &&
           strcmp(key, oc_identity_public_key(id)) == 0;
}

static enum oc_code identity_file_decode(
        const cJSON *doc, struct file *ret_file, struct oc_identity **ret, struct oc_error *err) {
    enum oc_code rc = oc_json_decode(doc, "", fields, OC_COUNT(fields), ret_file, err);
    if (rc != OC_OK) {
        return rc;
    }
    uint8_t seed[OC_KEY_BYTES];
    if (!oc_pem_read_private(ret_file->private_pem, seed)) {
        return oc_fail(err, OC_E_INVALID, "privateKeyPem is not an Ed25519 key in PKCS#8 form");
    }
    struct oc_identity *id = NULL;
    rc = oc_identity_from_seed(seed, &id, err);
    OPENSSL_cleanse(seed, sizeof(seed));
    if (rc != OC_OK) {
        return rc;
    }
    if (!same_public_key(ret_file->public_pem, id)) {
        oc_identity_destroy(id);
        return oc_fail(err, OC_E_INVALID, "publicKeyPem does not belong to privateKeyPem");
    }
    *ret = id;
    return OC_OK;
}

static enum oc_code identity_file_parse(const char *path, const struct oc_buf *text,
        struct oc_identity **ret, struct oc_error *err) {
    cJSON *doc = NULL;
    struct file file = { 0 };
    enum oc_code rc = oc_json_parse(text->data ? text->data : "", text->len, &doc, err);
    if (rc == OC_OK) {
        rc = identity_file_decode(doc, &file, ret, err);
    }
    if (rc == OC_OK && !oc_streq(file.device_id, oc_identity_device_id(*ret))) {
        /* The id follows from the key. A file we may not write is fine: the next start corrects it
         * again. */
        struct oc_error ignored;
        oc_json_set_str(doc, "deviceId", oc_identity_device_id(*ret));
        (void)!oc_identity_dir_write(path, doc, &ignored);
    }
    oc_json_wipe(doc);
    cJSON_Delete(doc);
    return rc;
}

static enum oc_code identity_file_load(
        const char *path, struct oc_identity **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct oc_error why = { 0 };
    rc = identity_file_parse(path, &text, ret, &why);
    if (text.data) {
        OPENSSL_cleanse(text.data, text.len);
    }
    if (rc != OC_OK) {
        rc = identity_file_damaged(path, &why);
        if (err) {
            *err = why;
        }
    }
    return rc;
}

static enum oc_code identity_file_create(const char *path, const struct oc_clock *clock,
        struct oc_identity **ret, struct oc_error *err) {
    uint8_t seed[OC_KEY_BYTES], raw[OC_KEY_BYTES];
    size_t raw_len = 0;
    struct oc_identity *id = NULL;
    oc_random(seed, sizeof(seed));
    enum oc_code rc = oc_identity_from_seed(seed, &id, err);
    OC_AUTO_SECRET char *private_pem = oc_pem_write_private(seed);
    OPENSSL_cleanse(seed, sizeof(seed));
    if (rc != OC_OK) {
        return rc;
    }
    const char *key = oc_identity_public_key(id);
    (void)oc_base64_decode(key, strlen(key), raw, sizeof(raw), &raw_len);
    OC_AUTO_FREE char *public_pem = oc_pem_write_public(raw);
    cJSON *doc = cJSON_CreateObject();
    oc_json_set_int(doc, "version", 1);
    oc_json_set_str(doc, "deviceId", oc_identity_device_id(id));
    oc_json_set_str(doc, "publicKeyPem", public_pem);
    oc_json_set_str(doc, "privateKeyPem", private_pem);
    oc_json_set_int(doc, "createdAtMs", oc_wall_ms(clock));
    rc = oc_identity_dir_write(path, doc, err);
    oc_json_wipe(doc);
    cJSON_Delete(doc);
    if (rc != OC_OK) {
        oc_identity_destroy(id);
        return rc;
    }
    *ret = id;
    return OC_OK;
}

enum oc_code oc_identity_load_or_create(const char *state_dir, const struct oc_clock *clock,
        struct oc_identity **ret, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_identity_dir_path(state_dir, "device.json");
    if (oc_file_exists(path)) {
        return identity_file_load(
                path, ret, err); /* needs no lock, so a read-only state directory works */
    }
    OC_AUTO_FD int lock = -1;
    enum oc_code rc = oc_identity_dir_lock(state_dir, &lock, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = identity_file_load(path, ret, err);
    return rc == OC_E_NOT_FOUND ? identity_file_create(path, clock, ret, err) : rc;
}
