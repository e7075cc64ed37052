/* Batteries and heat. Desktops have neither battery nor, in a virtual machine, a thermometer: then
 * nothing is claimed. */
#include "platform/linux/device/device.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/device/sysfs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct batteries {
    size_t count;
    double now, full; /* energy or charge of those that tell */
    double percent;   /* sum over those that tell */
    size_t told_percent;
    bool any_charging, any_discharging, all_full;
};

static bool read_pair(const char *folder, const char *name, const char *kind, struct batteries *b) {
    int64_t now, full;
    if (!os_sysfs_int(&now, "%s/%s/%s_now", folder, name, kind) ||
            !os_sysfs_int(&full, "%s/%s/%s_full", folder, name, kind) || full <= 0 || now < 0) {
        return false;
    }
    b->now += (double)now;
    b->full += (double)full;
    return true;
}

static void add_battery(void *user, const char *folder, const char *name) {
    struct batteries *b = user;
    char type[32], scope[32], status[32];
    int64_t percent;
    (void)os_sysfs_line(scope, sizeof(scope), "%s/%s/scope", folder, name);
    /* A mouse has a battery of its own. */
    if (!os_sysfs_line(type, sizeof(type), "%s/%s/type", folder, name) ||
            strcmp(type, "Battery") != 0 || strcmp(scope, "Device") == 0) {
        return;
    }
    (void)os_sysfs_line(status, sizeof(status), "%s/%s/status", folder, name);
    b->all_full = (b->count == 0 || b->all_full) &&
                  (strcmp(status, "Full") == 0 || strcmp(status, "Not charging") == 0);
    b->count++;
    b->any_charging = b->any_charging || strcmp(status, "Charging") == 0;
    b->any_discharging = b->any_discharging || strcmp(status, "Discharging") == 0;
    if (!read_pair(folder, name, "energy", b) && !read_pair(folder, name, "charge", b) &&
            os_sysfs_int(&percent, "%s/%s/capacity", folder, name)) {
        b->percent += (double)percent;
        b->told_percent++;
    }
}

static double level_of(const struct batteries *b) {
    double level = b->full > 0           ? b->now / b->full
                   : b->told_percent > 0 ? b->percent / (100.0 * (double)b->told_percent)
                                         : -1;
    return level > 1 ? 1 : level; /* an old battery may hold more than it says it can */
}

void os_linux_device_power(const char *root, struct os_device_status *ret) {
    struct batteries b = { 0 };
    char path[PATH_MAX], profile[32];
    (void)snprintf(path, sizeof(path), "%s/sys/class/power_supply", root);
    os_sysfs_each(path, "", add_battery, &b);
    ret->battery_level = b.count > 0 ? level_of(&b) : -1;
    ret->battery = b.any_charging      ? OS_BATTERY_CHARGING
                   : b.any_discharging ? OS_BATTERY_UNPLUGGED
                   : b.all_full        ? OS_BATTERY_FULL
                                       : OS_BATTERY_UNKNOWN;
    (void)os_sysfs_line(profile, sizeof(profile), "%s/sys/firmware/acpi/platform_profile", root);
    ret->is_saving_power = strcmp(profile, "low-power") == 0;
}

static enum os_thermal_state state_of_trip(const char *type) {
    return strcmp(type, "critical") == 0  ? OS_THERMAL_CRITICAL
           : strcmp(type, "hot") == 0     ? OS_THERMAL_SERIOUS
           : strcmp(type, "passive") == 0 ? OS_THERMAL_FAIR
                                          : OS_THERMAL_NOMINAL; /* "active": a fan turns */
}

/* A zone says itself at which temperatures something has to be done. */
static void add_zone(void *user, const char *folder, const char *name) {
    enum os_thermal_state *worst = user;
    enum { MAX_TRIPS = 16 };
    int64_t now, at;
    if (!os_sysfs_int(&now, "%s/%s/temp", folder, name)) {
        return;
    }
    for (int i = 0; i < MAX_TRIPS; i++) {
        char type[32];
        if (!os_sysfs_line(type, sizeof(type), "%s/%s/trip_point_%d_type", folder, name, i)) {
            break;
        }
        /* Unset ones are 0 or below. */
        if (os_sysfs_int(&at, "%s/%s/trip_point_%d_temp", folder, name, i) && at > 0 && now >= at &&
                state_of_trip(type) > *worst) {
            *worst = state_of_trip(type);
        }
    }
}

void os_linux_device_thermal(const char *root, struct os_device_status *ret) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/sys/class/thermal", root);
    os_sysfs_each(path, "thermal_zone", add_zone, &ret->thermal);
}
