/* The figures of this machine that gateways since protocol 4 show beside a node: at once, and then
 * every minute. The node host of the reference sends the same. */
#ifndef NODE_VITALS_H
#define NODE_VITALS_H

#include "node/host.h"

struct oc_vitals {
    struct oc_node_host *host;
    const char *disk_path; /* borrowed: whose file system is measured */
    struct oc_timer timer;
};

void oc_vitals_init(struct oc_vitals *v, struct oc_node_host *host, const char *disk_path);
/* The gateway listens now; may be called again at any time. */
void oc_vitals_start(struct oc_vitals *v);
void oc_vitals_stop(struct oc_vitals *v);
/* The event's payload; caller frees. */
char *oc_vitals_json(const struct oc_host_stats *s);

#endif
