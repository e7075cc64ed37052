#include "platform/linux/device/device.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/device/sysfs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* NAME="Debian GNU/Linux": one line per key, quoted as in a shell; what we read has no escapes in
 * it. */
static void take_value(const char *line, const char *key, char *ret, size_t size) {
    size_t len = strlen(key);
    if (strncmp(line, key, len) != 0 || line[len] != '=') {
        return;
    }
    OC_AUTO_FREE char *value = oc_strdup(line + len + 1);
    char *text = oc_trim(value);
    size_t n = strlen(text);
    if (n >= 2 && (*text == '"' || *text == '\'') && text[n - 1] == *text) {
        text[n - 1] = '\0';
        text++;
    }
    oc_str_put(ret, size, text);
}

static void read_release(const char *root, struct os_device_info *ret) {
    char path[PATH_MAX], line[512];
    (void)snprintf(path, sizeof(path), "%s/etc/os-release", root);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f)) {
        take_value(line, "NAME", ret->system_name, sizeof(ret->system_name));
        take_value(line, "VERSION_ID", ret->system_version, sizeof(ret->system_version));
    }
    if (f) {
        (void)fclose(f);
    }
}

/* Firmware that was never filled in. */
static bool is_placeholder(const char *text) {
    static const char *const words[] = { "", "to be filled by o.e.m.", "system product name",
        "default string", "not specified", "none" };
    OC_AUTO_FREE char *lower = oc_strdup(text);
    oc_ascii_lower(lower);
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        if (strcmp(oc_trim(lower), words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void read_model(const char *root, struct os_device_info *ret) {
    if (!os_sysfs_line(ret->model, sizeof(ret->model), "%s/sys/class/dmi/id/product_name", root) ||
            is_placeholder(ret->model)) {
        /* Boards without DMI; the text ends with a NUL. */
        (void)os_sysfs_line(ret->model, sizeof(ret->model), "%s/proc/device-tree/model", root);
    }
    if (is_placeholder(ret->model)) {
        oc_str_put(ret->model, sizeof(ret->model), ret->machine);
    }
}

void os_linux_device_info(const char *root, struct os_device_info *ret) {
    *ret = (struct os_device_info){ 0 };
    struct utsname u;
    if (uname(&u) == 0) {
        oc_str_put(ret->name, sizeof(ret->name), u.nodename);
        oc_str_put(ret->kernel, sizeof(ret->kernel), u.release);
        oc_str_put(ret->machine, sizeof(ret->machine), u.machine);
    }
    read_release(root, ret);
    if (!*ret->system_name) {
        oc_str_put(ret->system_name, sizeof(ret->system_name), "Linux");
    }
    if (!*ret->system_version) { /* rolling distributions have none */
        oc_str_put(ret->system_version, sizeof(ret->system_version), ret->kernel);
    }
    read_model(root, ret);
}

void os_linux_device_status(const char *root, const char *disk_path, struct os_device_status *ret) {
    *ret = (struct os_device_status){ 0 };
    os_linux_device_power(root, ret);
    os_linux_device_thermal(root, ret);
    ret->interfaces = os_linux_device_interfaces(root);
    struct statvfs fs;
    if (statvfs(disk_path, &fs) == 0 || statvfs("/", &fs) == 0) {
        ret->disk_total_bytes = (uint64_t)fs.f_blocks * fs.f_frsize;
        uint64_t available = (uint64_t)fs.f_bavail * fs.f_frsize;
        ret->disk_free_bytes =
                available < ret->disk_total_bytes ? available : ret->disk_total_bytes;
    }
    char line[64];
    if (os_sysfs_line(line, sizeof(line), "%s/proc/uptime", root)) {
        ret->uptime_s = strtod(line, NULL);
    }
}
