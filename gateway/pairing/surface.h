/* Gate 2, node surface approval: which of the commands a node declares may be used.
 *
 * A node record keeps what was approved, and a name. A node that declares more commands than that
 * gets a pending request for all it declares; until someone approves it, only the approved part is
 * usable. Caps are labels of commands: they follow them and are never a reason to ask.
 * docs/PROTOCOL.md#node-surface (requests never expire; one per node). Pure decisions over the
 * store.
 *
 * A record without approvedAtMs holds a name and when the node was seen; nothing in it is approved.
 */
#ifndef GATEWAY_PAIRING_SURFACE_H
#define GATEWAY_PAIRING_SURFACE_H

#include "gateway/pairing/pairing.h"
#include "gateway/store/store.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

struct gw_surface;

struct gw_surface *gw_surface_create(struct gw_store *store, const struct oc_clock *clock);
void gw_surface_destroy(struct gw_surface *s);

/* What a connected node declares; caps and commands are already filtered by policy. */
struct gw_surface_claim {
    const char *node_id, *display_name, *platform, *version, *device_family, *client_id,
            *client_mode, *remote_ip;
    const struct oc_strv *caps, *commands;
};
struct gw_surface_outcome {
    struct oc_strv caps, commands; /* usable now */
    bool is_approved;              /* everything declared is usable */
    cJSON *request;                /* the pending request when not; owned */
    bool is_new_request;           /* broadcast node.pair.requested (new, or its content changed) */
};
void gw_surface_outcome_finish(struct gw_surface_outcome *o);
/* Also stamps lastConnectedAtMs. A narrower declaration keeps the approval and drops a pending
 * request. */
enum oc_code gw_surface_check(struct gw_surface *s, const struct gw_surface_claim *claim,
        struct gw_surface_outcome *ret, struct oc_error *err) OC_MUST_USE;

/* Scopes an approver needs for these commands: pairing; + write if there are any, or instead +
 * admin if one of them executes on the host (system.run*, system.which, system.execApprovals.*,
 * browser.proxy*, fs.listDir, terminal.upload …). */
void gw_surface_required_scopes(const struct oc_strv *commands, struct oc_strv *ret);

/* Approves the pending request: from now on exactly what it lists is approved. ret_payload:
 * {"requestId","node":{…}}, the node with its token (for node.pair.verify), which no other answer
 * shows; ret_request: the request, with caps and commands. OC_E_INVALID "unknown requestId",
 * OC_E_DENIED "missing scope: X", also for a paired device without operator.admin and a request
 * that is not its own. */
enum oc_code gw_surface_approve(struct gw_surface *s, const struct gw_actor *actor,
        const char *request_id, cJSON **ret_payload, cJSON **ret_request,
        struct oc_error *err) OC_MUST_USE;
/* Approves what a device request declared, before the node has ever connected (one approval, both
 * gates). device_request: as kept by gw_pairing, with caps and commands; OC_E_INVALID when it has
 * no commands member. Drops the node's pending surface request. */
enum oc_code gw_surface_preapprove(struct gw_surface *s, const struct gw_actor *actor,
        const cJSON *device_request, cJSON **ret_node, struct oc_error *err) OC_MUST_USE;
/* A paired device without operator.admin turns away only what it asked for itself. */
enum oc_code gw_surface_reject(struct gw_surface *s, const struct gw_actor *actor,
        const char *request_id, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* {"nodeId"}. Forgets approval, name and pending request of a node. OC_E_INVALID "unknown nodeId".
 */
enum oc_code gw_surface_remove(
        struct gw_surface *s, const char *node_id, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The owner's name wins over the one the node declares, also after a reconnect. Works for every
 * node that is paired as a device, approved or not. OC_E_INVALID "unknown nodeId" or a name that is
 * blank or too long. */
enum oc_code gw_surface_rename(struct gw_surface *s, const char *node_id, const char *display_name,
        bool by_owner, struct oc_error *err) OC_MUST_USE;
/* True if this is the token the node's approval gave out. Constant time. */
bool gw_surface_verify(struct gw_surface *s, const char *node_id, const char *token);
/* {pending:[…], paired:[…]}: surface requests newest first, approved node records newest approval
 * first. */
enum oc_code gw_surface_list(struct gw_surface *s, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The node record (approved if it has approvedAtMs) or OC_E_NOT_FOUND; the node's pending request
 * or OC_E_NOT_FOUND. */
enum oc_code gw_surface_node(
        struct gw_surface *s, const char *node_id, cJSON **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_surface_request_of(
        struct gw_surface *s, const char *node_id, cJSON **ret, struct oc_error *err) OC_MUST_USE;

#endif
