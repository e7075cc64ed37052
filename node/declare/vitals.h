/* What gateways since protocol 4 show beside a node: that it is there (node.presence.alive, with every connection), and the
 * figures of this machine (node.host.stats, at once and then every minute). Refused, they are
 * said again soon: gateways do so for a moment while a node is being approved. */
#ifndef NODE_DECLARE_VITALS_H
#define NODE_DECLARE_VITALS_H

#include "node/link/uplink.h"
#include "node/machine.h"

struct oc_vitals {
    const struct oc_machine *machine;
    struct oc_uplink *uplink;
    const char *disk_path; /* borrowed: whose file system is measured */
    struct oc_timer timer;
    bool owes_alive; /* not said yet, or not heard */
};

void oc_vitals_init(struct oc_vitals *v, const struct oc_machine *machine, struct oc_uplink *uplink,
        const char *disk_path);
/* The gateway listens now; may be called again at any time. */
void oc_vitals_start(struct oc_vitals *v);
void oc_vitals_stop(struct oc_vitals *v);
/* The event's payload; caller frees. */
char *oc_vitals_json(const struct oc_host_stats *s);

#endif
