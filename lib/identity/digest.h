/* SHA-256 piece by piece, and with a key. Any thread. */
#ifndef LIB_IDENTITY_DIGEST_H
#define LIB_IDENTITY_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_DIGEST_LEN 32

struct oc_digest;

struct oc_digest *oc_digest_create(void);
void oc_digest_destroy(struct oc_digest *d); /* NULL is fine */
void oc_digest_add(struct oc_digest *d, const void *data, size_t len);
/* Once. */
void oc_digest_end(struct oc_digest *d, uint8_t ret[OC_DIGEST_LEN]);

void oc_hmac_sha256(
        const void *key, size_t key_len, const void *data, size_t len, uint8_t ret[OC_DIGEST_LEN]);

#endif
