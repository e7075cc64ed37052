/* How this machine reaches the world: the interfaces that a default route leads through. */
#include "platform/linux/device/device.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/device/sysfs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define ROUTE_UP 0x1U
#define ROUTE_REJECT 0x200U

static unsigned kind_of(const char *root, const char *name) {
    char line[64];
    if (os_sysfs_exists("%s/sys/class/net/%s/wireless", root, name) ||
            os_sysfs_exists("%s/sys/class/net/%s/phy80211", root, name)) {
        return OS_NET_WIFI;
    }
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/sys/class/net/%s/uevent", root, name);
    FILE *f = fopen(path, "re");
    bool is_modem = false;
    while (f && fgets(line, sizeof(line), f)) {
        is_modem = is_modem || strcmp(line, "DEVTYPE=wwan\n") == 0;
    }
    if (f) {
        (void)fclose(f);
    }
    if (is_modem || oc_starts_with(name, "ppp")) {
        return OS_NET_CELLULAR;
    }
    /* Tunnels, bridges and the like have no device behind them. */
    return os_sysfs_exists("%s/sys/class/net/%s/device", root, name) ||
                           oc_starts_with(name, "eth") || oc_starts_with(name, "en")
                   ? OS_NET_WIRED
                   : OS_NET_OTHER;
}

/* Iface Destination Gateway Flags RefCnt Use Metric Mask …, in hex */
static void add_v4(const char *root, const char *line, unsigned *kinds) {
    char name[32];
    unsigned destination, gateway, flags, mask;
    if (sscanf(line, "%31s %x %x %x %*d %*d %*d %x", name, &destination, &gateway, &flags, &mask) ==
                    5 &&
            destination == 0 && mask == 0 && (flags & ROUTE_UP) && !(flags & ROUTE_REJECT)) {
        *kinds |= kind_of(root, name);
    }
}

/* destination prefix source prefix next-hop metric refcount use flags interface */
static void add_v6(const char *root, const char *line, unsigned *kinds) {
    char destination[40], name[32];
    unsigned prefix, flags;
    if (sscanf(line, "%39s %x %*s %*x %*s %*x %*x %*x %x %31s", destination, &prefix, &flags,
                name) == 4 &&
            strspn(destination, "0") == strlen(destination) && prefix == 0 && (flags & ROUTE_UP) &&
            !(flags & ROUTE_REJECT) && strcmp(name, "lo") != 0) {
        *kinds |= kind_of(root, name);
    }
}

static void read_routes(const char *root, const char *file,
        void (*add)(const char *root, const char *line, unsigned *kinds), unsigned *kinds) {
    char path[PATH_MAX], line[256];
    (void)snprintf(path, sizeof(path), "%s/proc/net/%s", root, file);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f)) {
        add(root, line, kinds);
    }
    if (f) {
        (void)fclose(f);
    }
}

unsigned os_linux_device_interfaces(const char *root) {
    unsigned kinds = 0;
    read_routes(root, "route", add_v4, &kinds);
    read_routes(root, "ipv6_route", add_v6, &kinds);
    return kinds;
}
