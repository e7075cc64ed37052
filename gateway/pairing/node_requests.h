/* Requests for nodes that others make (node.pair.request, 2026.2.26): somebody with
 * operator.pairing asks on behalf of a node that has not connected. They stand beside what
 * connected nodes ask for, and die after five minutes. */
#ifndef GATEWAY_PAIRING_NODE_REQUESTS_H
#define GATEWAY_PAIRING_NODE_REQUESTS_H

#include "gateway/pairing/pairing.h"
#include "gateway/store/store.h"
#include "lib/base/clock.h"

/* What is said about the node. Strings but the id may be NULL. */
struct gw_node_ask {
    const char *node_id, *display_name, *platform, *version, *core_version, *ui_version,
            *device_family, *model_identifier, *remote_ip;
    const struct oc_strv *caps, *commands;
    bool is_silent;
};

/* What waits for the node already comes back as it is. A paired device without operator.admin asks
 * for itself only. OC_E_UNAVAILABLE when too many wait, OC_E_INVALID for a text that is too
 * long. */
enum oc_code gw_node_request_make(struct gw_store *s, const struct oc_clock *clock,
        const struct gw_actor *actor, const struct gw_node_ask *ask, cJSON **ret, bool *ret_is_new,
        struct oc_error *err) OC_MUST_USE;
/* Made by somebody, and too long ago. */
bool gw_node_request_is_stale(const cJSON *request, int64_t now_ms);

#endif
