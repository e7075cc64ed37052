/* A connect that is turned down: the error the client reads, and how its socket is closed. */
#ifndef GATEWAY_HANDSHAKE_REFUSAL_H
#define GATEWAY_HANDSHAKE_REFUSAL_H

#include "gateway/handshake/auth.h"
#include "lib/base/error.h"
#include "lib/json/json.h"
#include "lib/protocol/connect.h"

struct gw_refusal {
    const char *code; /* literal; NULL: not refused */
    char message[600];
    cJSON *details;
    int64_t retry_after_ms; /* -1: not given */
    uint16_t close_code;
    char close_suffix[80]; /* behind the message in the close reason */
};
void gw_refusal_finish(struct gw_refusal *r);

/* All of these fill *r and return false, so that a check refuses in one statement. */
bool gw_refuse(struct gw_refusal *r, const char *code, const char *message, cJSON *take_details);
bool gw_refuse_protocol(struct gw_refusal *r, int64_t client_min, int64_t client_max);
bool gw_refuse_origin(struct gw_refusal *r, int protocol, bool has_origin);
bool gw_refuse_auth(struct gw_refusal *r, enum gw_auth_result why, int protocol,
        const struct oc_connect *c, int64_t retry_after_ms);

enum gw_device_flaw {
    GW_DEVICE_KEY_INVALID,
    GW_DEVICE_ID_MISMATCH,
    GW_DEVICE_SIGNATURE_STALE,
    GW_DEVICE_NONCE_MISSING,
    GW_DEVICE_NONCE_MISMATCH,
    GW_DEVICE_SIGNATURE_INVALID,
};
bool gw_refuse_device(struct gw_refusal *r, enum gw_device_flaw flaw, int protocol);

/* reason and request are those of struct gw_pair_outcome; device is the paired record so far, or
 * NULL. */
bool gw_refuse_pairing(struct gw_refusal *r, int protocol, const char *reason, const cJSON *request,
        const cJSON *device, const struct oc_connect *c);
/* The party has `max` connections already. */
bool gw_refuse_crowd(struct gw_refusal *r, bool is_device, unsigned max);
/* Says err's text when that is OC_E_UNAVAILABLE, which is about them; anything else is about us and
 * stays here. */
bool gw_refuse_unavailable(
        struct gw_refusal *r, const struct oc_error *err, int64_t retry_after_ms);

#endif
