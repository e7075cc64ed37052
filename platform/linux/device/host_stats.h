/* How busy and how full this machine is. */
#ifndef PLATFORM_LINUX_DEVICE_HOST_STATS_H
#define PLATFORM_LINUX_DEVICE_HOST_STATS_H

#include "platform/platform.h"

bool os_linux_host_stats(const char *disk_path, struct os_host_stats *ret);

#endif
