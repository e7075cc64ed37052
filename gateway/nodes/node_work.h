/* Small requests for nodes that are asleep: they fetch them when they wake
 * (docs/PROTOCOL.md#nodes). In memory, bounded: one request of each type per node. */
#ifndef GATEWAY_NODES_NODE_WORK_H
#define GATEWAY_NODES_NODE_WORK_H

#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

struct gw_node_work;

struct gw_node_work *gw_node_work_create(const struct oc_clock *clock);
void gw_node_work_destroy(struct gw_node_work *w);
/* The node was removed: what waits for it is not for whoever pairs under this id later. */
void gw_node_work_forget(struct gw_node_work *w, const char *node_id);

/* type "status.request" or "location.request"; priority NULL, "normal" or "high"; expires_in_ms 0:
 * after a day. The same type again gives the one that waits. ret: {nodeId, revision, queued,
 * wakeTriggered}. */
enum oc_code gw_node_work_add(struct gw_node_work *w, const char *node_id, const char *type,
        const char *priority, int64_t expires_in_ms, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* Takes at most max_items out, urgent and older ones first: {nodeId, revision, items, hasMore}. Who
 * wakes is always asked for its status: when nobody queued that, a baseline item stands last. */
cJSON *gw_node_work_drain(struct gw_node_work *w, const char *node_id, int64_t max_items);

#endif
