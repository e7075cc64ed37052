/* What UPower knows of this machine's battery and /sys does not say: a UPS, or a node that does not
 * see /sys. Asked through openclaw-desktop, and not again for a while: whoever watches the battery
 * asks often. */
#ifndef NODE_HELPER_POWER_H
#define NODE_HELPER_POWER_H

#include "lib/json/json.h"
#include "platform/platform.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_power { /* a zeroed one knows nothing */
    enum os_battery_state state;
    double level;     /* negative: unknown */
    int64_t until_ms; /* of the clock that never goes back, like now_ms */
};

/* The platform did not find out all about the battery, and UPower may be there to be asked. */
bool nd_power_is_worth_asking(const struct os_device_status *s);
/* Fills in what s does not know from what was learnt a little ago. False: nothing was; it is time
 * to ask. */
bool nd_power_recall(const struct nd_power *p, int64_t now_ms, struct os_device_status *s);
/* The helper's answer to "power", for nd_power_recall; NULL: it had none. */
void nd_power_keep(struct nd_power *p, int64_t now_ms, const cJSON *answer);

#endif
