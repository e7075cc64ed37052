/* A connect that is turned down: the error the client reads, and how its socket is closed. */
#ifndef GATEWAY_CONN_REFUSAL_H
#define GATEWAY_CONN_REFUSAL_H

#include "gateway/conn/auth.h"
#include "lib/base/error.h"
#include "lib/json/json.h"
#include "lib/protocol/connect.h"

struct oc_refusal {
    const char *code; /* literal; NULL: not refused */
    char message[600];
    cJSON *details;
    int64_t retry_after_ms; /* -1: not given */
    uint16_t close_code;
    char close_suffix[80]; /* behind the message in the close reason */
};
void oc_refusal_finish(struct oc_refusal *r);

/* All of these fill *r and return false, so that a check refuses in one statement. */
bool oc_refuse(struct oc_refusal *r, const char *code, const char *message, cJSON *take_details);
bool oc_refuse_protocol(struct oc_refusal *r, int64_t client_min, int64_t client_max);
bool oc_refuse_origin(struct oc_refusal *r, int protocol, bool has_origin);
bool oc_refuse_auth(struct oc_refusal *r, enum oc_auth_result why, int protocol,
        const struct oc_connect *c, int64_t retry_after_ms);

enum oc_device_flaw {
    OC_DEVICE_KEY_INVALID,
    OC_DEVICE_ID_MISMATCH,
    OC_DEVICE_SIGNATURE_STALE,
    OC_DEVICE_NONCE_MISSING,
    OC_DEVICE_NONCE_MISMATCH,
    OC_DEVICE_SIGNATURE_INVALID,
};
bool oc_refuse_device(struct oc_refusal *r, enum oc_device_flaw flaw, int protocol);

/* reason and request are those of struct oc_pair_outcome; device is the paired record so far, or NULL. */
bool oc_refuse_pairing(struct oc_refusal *r, int protocol, const char *reason, const cJSON *request,
        const cJSON *device, const struct oc_connect *c);
/* The party has `max` connections already. */
bool oc_refuse_crowd(struct oc_refusal *r, bool is_device, unsigned max);
/* Says err's text when that is OC_E_UNAVAILABLE, which is about them; anything else is about us and stays here. */
bool oc_refuse_unavailable(
        struct oc_refusal *r, const struct oc_error *err, int64_t retry_after_ms);

#endif
