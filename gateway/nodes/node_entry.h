/* A node as node.list and node.describe show it, written as text: a list may have ten thousand of them. */
#ifndef GATEWAY_NODES_NODE_ENTRY_H
#define GATEWAY_NODES_NODE_ENTRY_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

struct oc_gateway;

/* {"ts","nodes":[…]}: connected first, then by name, then by id. When it would not fit into ret, long members are left
 * out; ret->failed when even that is too large. */
void oc_node_entries_put(struct oc_gateway *gw, struct oc_buf *ret);
/* {"ts",…entry}, with what every gate says about every command. OC_E_INVALID "unknown nodeId". */
enum oc_code oc_node_entry_put(struct oc_gateway *gw, const char *node_id, struct oc_buf *ret,
        struct oc_error *err) OC_MUST_USE;

#endif
