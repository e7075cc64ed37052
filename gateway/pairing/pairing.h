/* Gate 1, device pairing: which key may connect in which role with which scopes, and the tokens
 * that prove it.
 *
 * Pure decisions over the store and a clock; no connections here. docs/PROTOCOL.md#tokens,
 * docs/PROTOCOL.md#device-requests (requests, silent local approval). The documents returned have
 * the wire shapes. */
#ifndef GATEWAY_PAIRING_PAIRING_H
#define GATEWAY_PAIRING_PAIRING_H

#include "gateway/store/store.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

struct gw_pairing;

struct gw_pairing *gw_pairing_create(struct gw_store *store, const struct oc_clock *clock);
void gw_pairing_destroy(struct gw_pairing *p);

/* A device that has proven its key and its shared secret or token, and wants in. */
struct gw_pair_claim {
    const char *device_id, *public_key, *role;
    const struct oc_strv *scopes;
    const char *display_name, *platform, *device_family, *client_id, *client_mode, *version;
    const char *remote_ip; /* NULL for local clients */
    bool is_local;         /* silent approval possible (docs/PROTOCOL.md#device-requests) */
    const struct oc_strv *caps,
            *commands; /* declared; kept in the request so that one approval can open both gates */
    /* Asked before a request is written that people will hear of; false refuses it. May be NULL. */
    bool (*may_ask)(void *user);
    void *user;
};

struct gw_pair_outcome {
    bool is_paired;
    const char *reason; /* literal: "not-paired", "role-upgrade", "scope-upgrade",
                           "metadata-upgrade"; NULL when paired */
    cJSON *request; /* the pending request (wire shape), or the one silently approved; owned; may be
                       NULL */
    bool is_new_request; /* broadcast device.pair.requested: it is new, or a retry says something
                            else */
    bool was_silent;     /* broadcast device.pair.resolved, the device is paired now */
    cJSON *device;       /* the paired record when is_paired; owned */
};
void gw_pair_outcome_finish(struct gw_pair_outcome *o);
/* OC_E_UNAVAILABLE when the table of pending requests is full (globally or for this address); a
 * retry of a request that waits already, and a device that needs no request, never see it. A role
 * whose token was revoked counts as one the device does not have: "role-upgrade". Scopes are those
 * of the role operator; what a node asks for is dropped. */
enum oc_code gw_pairing_check(struct gw_pairing *p, const struct gw_pair_claim *claim,
        struct gw_pair_outcome *ret, struct oc_error *err) OC_MUST_USE;

/* True if token is the device's unrevoked token for role and covers scopes. Constant time. Stamps
 * lastUsedAtMs (at most once a minute). */
bool gw_pairing_token_valid(struct gw_pairing *p, const char *device_id, const char *role,
        const struct oc_strv *scopes, const char *token);
/* The token a paired device gets with hello-ok: the stored one if it covers scopes, else a new one
 * limited to what the device was approved for. A revoked token is not replaced: OC_E_NOT_FOUND (the
 * device must be approved again). ret: {"deviceToken","role","scopes","issuedAtMs"}. */
enum oc_code gw_pairing_issue_token(struct gw_pairing *p, const char *device_id, const char *role,
        const struct oc_strv *scopes, cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* Who is asking. device_id is NULL for operators without a device. */
struct gw_actor {
    const struct oc_strv *scopes; /* NULL or empty: none */
    const char *device_id;
    const char *secret; /* the shared one, of who has no device and has proven that; may be NULL */
};
/* OC_E_DENIED "missing scope: X" unless the actor holds it. */
enum oc_code gw_actor_require(
        const struct gw_actor *actor, const char *scope, struct oc_error *err) OC_MUST_USE;
/* The actor's own device takes operator.pairing, any other operator.admin. */
enum oc_code gw_actor_require_for_device(
        const struct gw_actor *actor, const char *device_id, struct oc_error *err) OC_MUST_USE;
/* A paired device without operator.admin sees and decides only what concerns itself; operators
 * without a device have proven the shared secret and stand for the owner. */
bool gw_actor_sees_device(const struct gw_actor *actor, const char *device_id);
/* Takes out of an array whatever is about a device that it does not see; id_key names that. */
void gw_actor_keep_seen(const struct gw_actor *actor, cJSON *list, const char *id_key);
enum oc_code gw_actor_may_decide(
        const struct gw_actor *actor, const char *device_id, struct oc_error *err) OC_MUST_USE;
/* The same, but an actor without a device holds the owner's shared secret, and taking access away
 * takes no more than operator.pairing then: that is all that the 2026.9.6 command line asks for to
 * remove something. */
enum oc_code gw_actor_require_to_remove(
        const struct gw_actor *actor, const char *device_id, struct oc_error *err) OC_MUST_USE;

/* A request as device.pair.requested and device.pair.list show it: without caps, commands and
 * version. Owned. */
cJSON *gw_pairing_request_wire(const cJSON *request);

/* The methods. Errors are the wire's: OC_E_INVALID "unknown requestId", "unknown deviceId",
 * "unknown deviceId/role", OC_E_DENIED "missing scope: operator.x" when the actor may not grant
 * that much. Payload shapes: docs/PROTOCOL.md#devices. */
enum oc_code gw_pairing_list(struct gw_pairing *p, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The actor must hold every scope asked for, and operator.admin for any role but operator (a node
 * key may be asked to execute). Takes the request with it: *ret_request (owned) still has caps,
 * commands and version. */
enum oc_code gw_pairing_approve(struct gw_pairing *p, const struct gw_actor *actor,
        const char *request_id, cJSON **ret_payload, cJSON **ret_request,
        struct oc_error *err) OC_MUST_USE;
/* "unknown requestId", which is what they say of a request that is decided, too old or never
 * was. */
enum oc_code gw_request_unknown(struct oc_error *err);
enum oc_code gw_pairing_reject(struct gw_pairing *p, const char *request_id, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;
/* Also forgets the device's surface approval and its pending requests: the same key pairs from
 * nothing again. */
enum oc_code gw_pairing_remove(struct gw_pairing *p, const struct gw_actor *actor,
        const char *device_id, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The owner's label of a device (at most 64 characters). The actor as for removing; a device that
 * is a node, or another device, takes operator.admin. ret: {"deviceId","label"}. OC_E_INVALID
 * "unknown deviceId". */
enum oc_code gw_pairing_rename(struct gw_pairing *p, const struct gw_actor *actor,
        const char *device_id, const char *label, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* scopes NULL keeps the old ones; the new token never exceeds the device's approved scopes
 * ("unknown deviceId/role") nor the actor's ("missing scope: X"). A revoked token comes back only
 * by operator.admin. The payload carries the token value, for the actor's own device and for an
 * admin alike. */
enum oc_code gw_pairing_rotate(struct gw_pairing *p, const struct gw_actor *actor,
        const char *device_id, const char *role, const struct oc_strv *scopes, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;
enum oc_code gw_pairing_revoke(struct gw_pairing *p, const struct gw_actor *actor,
        const char *device_id, const char *role, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* A pending request by id (OC_E_NOT_FOUND), or all pending ones of role node; expired ones are
 * gone. */
enum oc_code gw_pairing_request(struct gw_pairing *p, const char *request_id, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;
/* Whatever this device has asked for so far. */
enum oc_code gw_pairing_forget_requests(
        struct gw_pairing *p, const char *device_id, struct oc_error *err) OC_MUST_USE;
/* The pending request of one device in role node, or OC_E_NOT_FOUND. */
enum oc_code gw_pairing_node_request_of(
        struct gw_pairing *p, const char *device_id, cJSON **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_pairing_node_requests(
        struct gw_pairing *p, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The paired record or OC_E_NOT_FOUND; all paired records that have role node. */
enum oc_code gw_pairing_device(
        struct gw_pairing *p, const char *device_id, cJSON **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_pairing_node_devices(
        struct gw_pairing *p, cJSON **ret, struct oc_error *err) OC_MUST_USE;

#endif
