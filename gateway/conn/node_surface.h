/* What a connected node may be used for, and keeping that up to date while it is connected. */
#ifndef GATEWAY_CONN_NODE_SURFACE_H
#define GATEWAY_CONN_NODE_SURFACE_H

#include "lib/json/json.h"

struct oc_gateway;
struct oc_node;

/* Asks policy and surface approval again. A new request is announced to operators. When the store fails the node keeps
 * nothing usable. */
void oc_node_surface_refresh(struct oc_gateway *gw, struct oc_node *n);

/* A surface request was decided: operators hear it, and the node (when connected) too. */
void oc_node_surface_resolved(
        struct oc_gateway *gw, const char *request_id, const char *node_id, const char *decision);

#endif
