/* A device's Ed25519 identity: key pair, device id, files, and the signed connect payloads
 * (docs/PROTOCOL.md#device-proof). */
#ifndef LIB_PROTOCOL_IDENTITY_H
#define LIB_PROTOCOL_IDENTITY_H

#include "lib/base/clock.h"
#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_DEVICE_ID_LEN 64  /* lower-case hex SHA-256 of the raw public key */
#define OC_PUBLIC_KEY_LEN 43 /* base64url of 32 bytes, no padding */
#define OC_SIGNATURE_LEN 86

struct oc_identity; /* holds the private key */

enum oc_code oc_identity_generate(struct oc_identity **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code oc_identity_from_seed(
        const uint8_t seed[32], struct oc_identity **ret, struct oc_error *err) OC_MUST_USE;
/* Loads <state>/identity/device.json, or creates it (0600) when it does not exist. An unreadable or
 * corrupt file is an error that names it and what to do; it is never replaced. A wrong deviceId
 * inside is corrected. */
enum oc_code oc_identity_load_or_create(const char *state_dir, const struct oc_clock *clock,
        struct oc_identity **ret, struct oc_error *err) OC_MUST_USE;
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

/* The device tokens a client was given: <state>/identity/device-auth.json. A token is for the gateway that gave it. */
/* At most OC_MAX_SECRET_BYTES of letters, digits and signs. Only such a token is kept, sent or believed to be one. */
bool oc_device_token_ok(const char *token);
struct oc_device_auth {
    const char *state_dir, *device_id, *role;
    const char *gateway; /* its name (lib/net/peer.h, oc_gateway_name) */
};
/* NULL when that gateway gave none. Owned by the caller. */
char *oc_device_auth_load(const struct oc_device_auth *a);
/* Without a gateway's name: whether any gateway gave one for that role. */
bool oc_device_auth_exists(const struct oc_device_auth *a);
enum oc_code oc_device_auth_store(const struct oc_device_auth *a, const char *token,
        const char *const *scopes, size_t scope_count, const struct oc_clock *clock,
        struct oc_error *err) OC_MUST_USE;
enum oc_code oc_device_auth_forget(
        const struct oc_device_auth *a, struct oc_error *err) OC_MUST_USE;
/* A token of the reference, or of a version that did not write down whose it is, is this gateway's from now on. */
enum oc_code oc_device_auth_adopt(const struct oc_device_auth *a, struct oc_error *err) OC_MUST_USE;

#endif
