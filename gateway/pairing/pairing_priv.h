/* What the files of device pairing share:
 *
 *   device_record.c     a paired device as it is stored and as others see it; no store, no clock
 *   pairing_requests.c  the table of pending requests: merging, expiry, ceilings
 *   device_tokens.c     tokens of paired devices
 *   device_label.c      what the owner calls them
 *   pairing.c           who is let in, and the methods */
#ifndef GATEWAY_PAIRING_PAIRING_PRIV_H
#define GATEWAY_PAIRING_PAIRING_PRIV_H

#include "gateway/pairing/pairing.h"

/* Things that happen on every connect are written at most this often. */
#define GW_STAMP_INTERVAL_MS 60000

/* How many requests wait, as counted last. */
struct gw_room {
    bool is_known;
    int64_t changes, at_ms; /* of the store; monotonic */
    char *ip;               /* whose requests from_there counts; may be NULL */
    size_t total, from_there;
};

struct gw_pairing {
    struct gw_store *store;
    const struct oc_clock *clock;
    struct gw_room room;
};

/* True when a stamp is older than the interval, or from a clock that was ahead. */
static inline bool gw_stamp_is_due(int64_t stamp_ms, int64_t now_ms) {
    return now_ms < stamp_ms || now_ms - stamp_ms >= GW_STAMP_INTERVAL_MS;
}

/* Copies a member if the source has it. */
void gw_doc_copy(cJSON *doc, const cJSON *from, const char *key);
/* An array sorted by a time member, newest first; take_array is used up. */
cJSON *gw_docs_newest_first(cJSON *take_array, const char *time_key, const char *id_key);

/* Lists come back appended to ret. */
void gw_device_roles(const cJSON *device, struct oc_strv *ret);
void gw_device_approved_scopes(const cJSON *device, struct oc_strv *ret);
const cJSON *gw_device_token(const cJSON *device, const char *role); /* NULL when there is none */
bool gw_device_token_is_revoked(const cJSON *device, const char *role);
void gw_device_token_scopes(const cJSON *device, const char *role, struct oc_strv *ret);
/* When the token got its present value. */
int64_t gw_device_token_issued_ms(const cJSON *device, const char *role);
/* A new value for the role's token, unrevoked. */
void gw_device_mint_token(
        cJSON *device, const char *role, const struct oc_strv *scopes, int64_t now_ms);
/* The record after a request was granted. old is the record before, or NULL. */
cJSON *gw_device_granted(const cJSON *old, const cJSON *request, int64_t now_ms);
/* docs/PROTOCOL.md#device-requests: a stored platform or family that the claim does not repeat. */
bool gw_device_metadata_differs(const cJSON *device, const struct gw_pair_claim *claim);
/* Takes over what a connect says about itself and needs no approval. True if something changed. */
bool gw_device_refresh(cJSON *device, const struct gw_pair_claim *claim);
/* Without token values and what is only for us. */
cJSON *gw_device_wire(const cJSON *device);

/* The pending request of this claim, new or merged with the one that was waiting. A silent one is
 * not stored: the caller grants it at once. ret_is_news: it was not there before, or says something
 * else now. */
enum oc_code gw_requests_ask(struct gw_pairing *p, const struct gw_pair_claim *claim,
        bool is_repair, bool may_be_silent, cJSON **ret, bool *ret_is_news,
        struct oc_error *err) OC_MUST_USE;
/* OC_E_NOT_FOUND when there is none or it has expired. */
enum oc_code gw_requests_find(struct gw_pairing *p, const char *request_id, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;
/* Newest first; expired ones are deleted. */
/* The request of this device in this role, or OC_E_NOT_FOUND. */
enum oc_code gw_requests_of(struct gw_pairing *p, const char *device_id, const char *role,
        cJSON **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_requests_drop_device(
        struct gw_pairing *p, const char *device_id, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_requests_all(struct gw_pairing *p, cJSON **ret, struct oc_error *err) OC_MUST_USE;

#endif
