/* What this machine is and how it is, from /proc, /sys and /etc/os-release. root stands before
 * those; it is "" but in tests. */
#ifndef PLATFORM_LINUX_DEVICE_DEVICE_H
#define PLATFORM_LINUX_DEVICE_DEVICE_H

#include "platform/platform.h"

void os_linux_device_info(const char *root, struct os_device_info *ret);
void os_linux_device_status(const char *root, const char *disk_path, struct os_device_status *ret);

/* Its parts: device_power.c and device_net.c. */
void os_linux_device_power(const char *root, struct os_device_status *ret);
void os_linux_device_thermal(const char *root, struct os_device_status *ret);
unsigned os_linux_device_interfaces(const char *root);

#endif
