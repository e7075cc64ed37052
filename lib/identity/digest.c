#include "lib/identity/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

/* The library's own; it fails only without memory, and then we end, as everywhere. */
struct oc_digest *oc_digest_create(void) {
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    if (!md || EVP_DigestInit_ex(md, EVP_sha256(), NULL) != 1) {
        abort();
    }
    return (struct oc_digest *)md;
}

void oc_digest_destroy(struct oc_digest *d) {
    EVP_MD_CTX_free((EVP_MD_CTX *)d);
}

void oc_digest_add(struct oc_digest *d, const void *data, size_t len) {
    if (EVP_DigestUpdate((EVP_MD_CTX *)d, data, len) != 1) {
        abort();
    }
}

void oc_digest_end(struct oc_digest *d, uint8_t ret[OC_DIGEST_LEN]) {
    if (EVP_DigestFinal_ex((EVP_MD_CTX *)d, ret, NULL) != 1) {
        abort();
    }
}

void oc_hmac_sha256(
        const void *key, size_t key_len, const void *data, size_t len, uint8_t ret[OC_DIGEST_LEN]) {
    unsigned ret_len = OC_DIGEST_LEN;
    if (!HMAC(EVP_sha256(), key, (int)key_len, data, len, ret, &ret_len) ||
            ret_len != OC_DIGEST_LEN) {
        abort();
    }
}
