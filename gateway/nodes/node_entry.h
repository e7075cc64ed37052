/* A node as node.list and node.describe show it, written as text: a list may have ten thousand of
 * them. */
#ifndef GATEWAY_NODES_NODE_ENTRY_H
#define GATEWAY_NODES_NODE_ENTRY_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

struct oc_clock;
struct gw_nodes;
struct gw_policy;
struct gw_roster;
struct gw_surface;

/* What the gateway knows of nodes. */
struct gw_node_records {
    const struct oc_clock *clock;
    const struct gw_nodes *live;
    const struct gw_roster *roster;
    struct gw_surface *surface;
    const struct gw_policy *policy;
};

/* {"ts","nodes":[…]}: connected first, then by name, then by id. When it would not fit into ret,
 * long members are left out; ret->failed when even that is too large. */
void gw_node_entries_put(const struct gw_node_records *recs, struct oc_buf *ret);
/* {"ts",…entry}, with what every gate says about every command. OC_E_INVALID "unknown nodeId". */
enum oc_code gw_node_entry_put(const struct gw_node_records *recs, const char *node_id,
        struct oc_buf *ret, struct oc_error *err) OC_MUST_USE;

#endif
