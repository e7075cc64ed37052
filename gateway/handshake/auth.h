/* The gateway's shared secret: does a client know it, and what is it told when it does not. */
#ifndef GATEWAY_HANDSHAKE_AUTH_H
#define GATEWAY_HANDSHAKE_AUTH_H

#include "gateway/settings/config.h"
#include "lib/json/json.h"

#include <stdbool.h>

enum gw_auth_result {
    GW_AUTH_OK,
    GW_AUTH_TOKEN_MISSING,
    GW_AUTH_TOKEN_MISMATCH,
    GW_AUTH_PASSWORD_MISSING,
    GW_AUTH_PASSWORD_MISMATCH,
    GW_AUTH_DEVICE_TOKEN_MISMATCH,
    GW_AUTH_RATE_LIMITED,
    GW_AUTH_BOOTSTRAP_INVALID, /* the setup code does not let this device in */
};

/* What a client sent; NULL when it did not. */
struct gw_auth_sent {
    const char *token, *password, *device_token;
};

/* Constant time. Protocol 4 clients may put the secret into either field. */
enum gw_auth_result gw_auth_check(
        const struct gw_config *c, int protocol, const struct gw_auth_sent *sent);

/* A guess that was wrong, as opposed to nothing sent at all. */
bool gw_auth_is_wrong_guess(enum gw_auth_result r);

/* The text of the refusal (error message and close reason), and its details object. */
struct gw_auth_refusal {
    char message[200];
    cJSON *details; /* owned */
};
struct gw_auth_refusal gw_auth_refuse(enum gw_auth_result r, int protocol, const char *client_id,
        const char *client_mode, bool has_device, const struct gw_auth_sent *sent);

/* Control UI and web chat: pages served to a browser. */
bool gw_client_is_ui(const char *client_id, const char *client_mode);

#endif
