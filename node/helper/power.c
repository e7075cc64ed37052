#include "node/helper/power.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "node/helper/helper.h"

#include <stdlib.h>
#include <unistd.h>

/* A battery that comes is noticed later than one that changes; a UPower that hangs is waited for
 * once in a while only. */
enum { KNOWN_MS = 30000, FAILED_MS = 60000, ABSENT_MS = 300000 };

/* Without a system bus there is nothing to start a helper for. */
static bool has_system_bus(void) {
    return !oc_str_blank(getenv("DBUS_SYSTEM_BUS_ADDRESS")) ||
           access("/run/dbus/system_bus_socket", F_OK) == 0;
}

bool nd_power_is_worth_asking(const struct os_device_status *s) {
    return (s->battery_level < 0 || s->battery == OS_BATTERY_UNKNOWN) && has_system_bus() &&
           nd_helper_is_installed(ND_HELPER_DESKTOP);
}

bool nd_power_recall(const struct nd_power *p, int64_t now_ms, struct os_device_status *s) {
    if (now_ms >= p->until_ms) {
        return false;
    }
    s->battery_level = s->battery_level < 0 ? p->level : s->battery_level;
    s->battery = s->battery == OS_BATTERY_UNKNOWN ? p->state : s->battery;
    return true;
}

static enum os_battery_state state_of(const cJSON *answer) {
    static const char *const names[] = { "unknown", "unplugged", "charging", "full" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        if (oc_streq(oc_json_get_str(answer, "state"), names[i])) {
            return (enum os_battery_state)i;
        }
    }
    return OS_BATTERY_UNKNOWN;
}

void nd_power_keep(struct nd_power *p, int64_t now_ms, const cJSON *answer) {
    bool is_present = oc_json_get_bool(answer, "isPresent", false);
    *p = (struct nd_power){
        .level = is_present ? oc_json_get_num(answer, "level", 0, 1, -1) : -1,
        .state = is_present ? state_of(answer) : OS_BATTERY_UNKNOWN,
        .until_ms = now_ms + (is_present      ? KNOWN_MS
                                     : answer ? ABSENT_MS
                                              : FAILED_MS),
    };
}
