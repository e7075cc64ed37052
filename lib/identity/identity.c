#include "lib/identity/identity.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

struct oc_identity {
    EVP_PKEY *key;
    char device_id[OC_DEVICE_ID_LEN + 1];
    char public_key[OC_PUBLIC_KEY_LEN + 1];
};

void oc_identity_destroy(struct oc_identity *id) {
    if (id) {
        EVP_PKEY_free(id->key);
        oc_free(id);
    }
}
OC_DEFINE_AUTO(oc_identity, struct oc_identity);

enum oc_code oc_identity_from_seed(
        const uint8_t seed[32], struct oc_identity **ret, struct oc_error *err) {
    OC_AUTO(oc_identity) struct oc_identity *id = oc_new(struct oc_identity);
    uint8_t raw[32];
    size_t len = sizeof(raw);
    id->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    if (!id->key || EVP_PKEY_get_raw_public_key(id->key, raw, &len) != 1 || len != sizeof(raw)) {
        return oc_fail(err, OC_E_UNSUPPORTED, "this OpenSSL cannot do Ed25519");
    }
    OC_AUTO_FREE char *text = oc_base64url(raw, sizeof(raw));
    memcpy(id->public_key, text, sizeof(id->public_key));
    oc_sha256_hex(raw, sizeof(raw), id->device_id);
    *ret = oc_take(&id);
    return OC_OK;
}

enum oc_code oc_identity_generate(struct oc_identity **ret, struct oc_error *err) {
    uint8_t seed[32];
    oc_random(seed, sizeof(seed));
    enum oc_code rc = oc_identity_from_seed(seed, ret, err);
    OPENSSL_cleanse(seed, sizeof(seed));
    return rc;
}

const char *oc_identity_device_id(const struct oc_identity *id) {
    return id->device_id;
}

const char *oc_identity_public_key(const struct oc_identity *id) {
    return id->public_key;
}

char *oc_identity_sign(const struct oc_identity *id, const char *text) {
    uint8_t signature[64];
    size_t len = sizeof(signature);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool is_signed = ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, id->key) == 1 &&
                     EVP_DigestSign(ctx, signature, &len, (const uint8_t *)text, strlen(text)) == 1;
    EVP_MD_CTX_free(ctx);
    return is_signed ? oc_base64url(signature, len) : NULL;
}
