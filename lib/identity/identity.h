/* A device's Ed25519 identity: key pair, device id, and the signed connect payloads
 * (docs/PROTOCOL.md#device-proof). Its files are lib/state's. */
#ifndef LIB_IDENTITY_IDENTITY_H
#define LIB_IDENTITY_IDENTITY_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_DEVICE_ID_LEN 64  /* lower-case hex SHA-256 of the raw public key */
#define OC_PUBLIC_KEY_LEN 43 /* base64url of 32 bytes, no padding */
/* For tests. */
#define OC_SIGNATURE_LEN 86

struct oc_identity; /* holds the private key */

/* For tests. */
enum oc_code oc_identity_generate(struct oc_identity **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code oc_identity_from_seed(
        const uint8_t seed[32], struct oc_identity **ret, struct oc_error *err) OC_MUST_USE;
void oc_identity_destroy(struct oc_identity *id);
const char *oc_identity_device_id(const struct oc_identity *id);
const char *oc_identity_public_key(const struct oc_identity *id); /* base64url */

/* What a connect signature covers. NULL strings count as empty. */
struct oc_device_claim {
    const char *device_id, *client_id, *client_mode, *role;
    const char *const *scopes; /* in sent order */
    size_t scope_count;
    int64_t signed_at_ms;
    const char *token; /* auth.token, else deviceToken, else bootstrapToken */
    const char *nonce;
    const char *platform, *device_family; /* v3 only */
};
/* The text that is signed; version 2 or 3. Caller frees. */
char *oc_device_claim_text(const struct oc_device_claim *c, int version);
/* base64url signature (caller frees). */
char *oc_identity_sign(const struct oc_identity *id, const char *text);

/* Gateway side. public_key: base64url (padded and standard alphabet too) or PEM. Gives the
 * canonical base64url form and the device id. */
bool oc_public_key_normalize(const char *public_key, char ret_key[OC_PUBLIC_KEY_LEN + 1],
        char ret_device_id[OC_DEVICE_ID_LEN + 1]);
bool oc_signature_verify(const char *public_key_b64url, const char *text, const char *signature);
void oc_sha256_hex(const void *data, size_t len, char ret[65]);

#endif
