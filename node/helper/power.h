/* What UPower knows of this machine's battery and /sys does not say: a UPS, or a node that does not see /sys. Asked through
 * openclaw-desktop, and not again for a while: whoever watches the battery asks often. */
#ifndef NODE_HELPER_POWER_H
#define NODE_HELPER_POWER_H

#include "lib/json/json.h"
#include "node/host.h"

/* The platform did not find out all about the battery, and UPower may be there to be asked. */
bool oc_power_is_worth_asking(const struct oc_device_status *s);
/* Fills in what s does not know from what was learnt a little ago. False: nothing was; it is time to ask. */
bool oc_power_recall(const struct oc_node_host *host, struct oc_device_status *s);
/* The helper's answer to "power", for oc_power_recall; NULL: it had none. */
void oc_power_keep(struct oc_node_host *host, const cJSON *answer);
void oc_power_destroy(struct oc_power *power);

#endif
