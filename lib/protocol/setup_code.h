/* A setup code: where a gateway is, how its certificate is recognised, and a token that lets one
 * device in once.
 *
 * The reference's format: base64url of {"url","bootstrapToken","expiresAtMs"?,"tlsFingerprint"?},
 * also as oc-pair://<code>. Whoever has the code has the token, so a code is a secret. */
#ifndef LIB_PROTOCOL_SETUP_CODE_H
#define LIB_PROTOCOL_SETUP_CODE_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

struct oc_setup_code {
    char *url;             /* ws://host:port or wss://… */
    char *token;           /* secret */
    char *tls_fingerprint; /* or NULL */
    int64_t expires_at_ms; /* 0: the code does not say */
};

/* What the code says, as an object; owned. */
cJSON *oc_setup_code_json(const struct oc_setup_code *c);
/* Caller frees with oc_free_secret. */
char *oc_setup_code_encode(const struct oc_setup_code *c);
/* Takes surrounding white space and the oc-pair:// form. Whether it has expired is not checked: the
 * gateway's clock decides. ret needs oc_setup_code_finish when this returned OC_OK. The error's
 * text never shows the code. */
enum oc_code oc_setup_code_decode(
        const char *text, struct oc_setup_code *ret, struct oc_error *err) OC_MUST_USE;
/* The same from the object itself. */
enum oc_code oc_setup_code_from_json(
        const char *text, size_t len, struct oc_setup_code *ret, struct oc_error *err) OC_MUST_USE;
void oc_setup_code_finish(struct oc_setup_code *c);

/* ws:// or wss://, a host, maybe a port and a path; nothing that needs quoting in a shell, no
 * user:password. */
bool oc_setup_url_ok(const char *url);

#endif
