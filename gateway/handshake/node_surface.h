/* What a connected node may be used for, and keeping that up to date while it is connected. */
#ifndef GATEWAY_HANDSHAKE_NODE_SURFACE_H
#define GATEWAY_HANDSHAKE_NODE_SURFACE_H

#include "gateway/handshake/handshake_uses.h"

struct gw_node;

/* Asks policy and surface approval again. A new request is announced to operators. When the store
 * fails the node keeps nothing usable. */
void gw_node_surface_refresh(const struct gw_handshake_uses *uses, struct gw_node *n);

/* A surface request was decided: operators hear it, and the node (when connected) too. */
void gw_node_surface_resolved(const struct gw_handshake_uses *uses, const char *request_id,
        const char *node_id, const char *decision);

#endif
