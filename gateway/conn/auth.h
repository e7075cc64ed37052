/* The gateway's shared secret: does a client know it, and what is it told when it does not. */
#ifndef GATEWAY_CONN_AUTH_H
#define GATEWAY_CONN_AUTH_H

#include "gateway/settings/config.h"
#include "lib/json/json.h"

#include <stdbool.h>

enum oc_auth_result {
    OC_AUTH_OK,
    OC_AUTH_TOKEN_MISSING,
    OC_AUTH_TOKEN_MISMATCH,
    OC_AUTH_PASSWORD_MISSING,
    OC_AUTH_PASSWORD_MISMATCH,
    OC_AUTH_DEVICE_TOKEN_MISMATCH,
    OC_AUTH_RATE_LIMITED,
    OC_AUTH_BOOTSTRAP_INVALID, /* the setup code does not let this device in */
};

/* What a client sent; NULL when it did not. */
struct oc_auth_sent {
    const char *token, *password, *device_token;
};

/* Constant time. Protocol 4 clients may put the secret into either field. */
enum oc_auth_result oc_auth_check(
        const struct oc_gateway_config *c, int protocol, const struct oc_auth_sent *sent);

/* A guess that was wrong, as opposed to nothing sent at all. */
bool oc_auth_is_wrong_guess(enum oc_auth_result r);

/* The text of the refusal (error message and close reason), and its details object. */
struct oc_auth_refusal {
    char message[200];
    cJSON *details; /* owned */
};
struct oc_auth_refusal oc_auth_refuse(enum oc_auth_result r, int protocol, const char *client_id,
        const char *client_mode, bool has_device, const struct oc_auth_sent *sent);

/* Control UI and web chat: pages served to a browser. */
bool oc_client_is_ui(const char *client_id, const char *client_mode);

#endif
