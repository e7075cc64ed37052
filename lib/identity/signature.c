/* What a connect signature covers, and checking one. */
#include "lib/base/buf.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/identity/identity.h"
#include "lib/identity/pem.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

void oc_sha256_hex(const void *data, size_t len, char ret[65]) {
    uint8_t digest[32];
    if (EVP_Digest(data, len, digest, NULL, EVP_sha256(), NULL) != 1) {
        abort(); /* only without memory or without a working crypto library */
    }
    oc_hex(digest, sizeof(digest), ret);
}

static void signature_put(struct oc_buf *out, const char *s) {
    oc_buf_putc(out, '|');
    oc_buf_puts(out, s ? s : "");
}

/* Both sides compare these after trimming and lowering, whatever the client sent. */
static void put_normalized(struct oc_buf *out, const char *s) {
    OC_AUTO_FREE char *copy = oc_strdup(s ? s : "");
    char *trimmed = oc_trim(copy);
    oc_ascii_lower(trimmed);
    signature_put(out, trimmed);
}

char *oc_device_claim_text(const struct oc_device_claim *c, int version) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    oc_buf_printf(&out, "v%d", version);
    signature_put(&out, c->device_id);
    signature_put(&out, c->client_id);
    signature_put(&out, c->client_mode);
    signature_put(&out, c->role);
    oc_buf_putc(&out, '|');
    for (size_t i = 0; i < c->scope_count; i++) {
        oc_buf_puts(&out, i > 0 ? "," : "");
        oc_buf_puts(&out, c->scopes[i]);
    }
    oc_buf_printf(&out, "|%lld", (long long)c->signed_at_ms);
    signature_put(&out, c->token);
    signature_put(&out, c->nonce);
    if (version >= 3) {
        put_normalized(&out, c->platform);
        put_normalized(&out, c->device_family);
    }
    return oc_buf_take(&out);
}

static bool read_key(const char *text, uint8_t ret[OC_KEY_BYTES]) {
    if (strstr(text, "-----BEGIN")) {
        return oc_pem_read_public(text, ret);
    }
    size_t len = 0;
    OC_AUTO_FREE char *copy = oc_strdup(text);
    const char *trimmed = oc_trim(copy);
    return oc_base64_decode(trimmed, strlen(trimmed), ret, OC_KEY_BYTES, &len) &&
           len == OC_KEY_BYTES;
}

bool oc_public_key_normalize(const char *public_key, char ret_key[OC_PUBLIC_KEY_LEN + 1],
        char ret_device_id[OC_DEVICE_ID_LEN + 1]) {
    uint8_t raw[OC_KEY_BYTES];
    if (!public_key || !read_key(public_key, raw)) {
        return false;
    }
    OC_AUTO_FREE char *text = oc_base64url(raw, sizeof(raw));
    memcpy(ret_key, text, OC_PUBLIC_KEY_LEN + 1);
    oc_sha256_hex(raw, sizeof(raw), ret_device_id);
    return true;
}

bool oc_signature_verify(const char *public_key_b64url, const char *text, const char *signature) {
    uint8_t raw[OC_KEY_BYTES], sig[64];
    size_t len = 0;
    if (!public_key_b64url || !text || !signature || !read_key(public_key_b64url, raw) ||
            !oc_base64_decode(signature, strlen(signature), sig, sizeof(sig), &len) ||
            len != sizeof(sig)) {
        return false;
    }
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, raw, sizeof(raw));
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool is_good =
            key && ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, key) == 1 &&
            EVP_DigestVerify(ctx, sig, sizeof(sig), (const uint8_t *)text, strlen(text)) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    return is_good;
}
