/* What gateways since protocol 4 show beside a node: that it is there (node.presence.alive, with
 * every connection), and the figures of this machine (node.host.stats, at once and then every
 * minute). Refused, they are said again soon: gateways do so for a moment while a node is being
 * approved. */
#ifndef NODE_DECLARE_VITALS_H
#define NODE_DECLARE_VITALS_H

#include "node/link/uplink.h"
#include "node/machine.h"

struct nd_vitals {
    const struct nd_machine *machine;
    struct nd_uplink *uplink;
    const char *disk_path; /* borrowed: whose file system is measured */
    struct oc_timer timer;
    bool owes_alive; /* not said yet, or not heard */
};

void nd_vitals_init(struct nd_vitals *v, const struct nd_machine *machine, struct nd_uplink *uplink,
        const char *disk_path);
/* The gateway listens now; may be called again at any time. */
void nd_vitals_start(struct nd_vitals *v);
void nd_vitals_stop(struct nd_vitals *v);
/* The event's payload; caller frees. */
char *nd_vitals_json(const struct os_host_stats *s);

#endif
