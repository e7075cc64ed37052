/* Small files of /proc and /sys, and folders of them. */
#ifndef PLATFORM_LINUX_DEVICE_SYSFS_H
#define PLATFORM_LINUX_DEVICE_SYSFS_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line without its end; false, and empty, when there is none. The path is made as by
 * printf. */
bool os_sysfs_line(char *ret, size_t size, const char *fmt, ...) OC_PRINTF(3, 4);
/* A number on the first line. */
bool os_sysfs_int(int64_t *ret, const char *fmt, ...) OC_PRINTF(2, 3);
bool os_sysfs_exists(const char *fmt, ...) OC_PRINTF(1, 2);

/* Calls fn for every entry of a folder whose name begins with prefix. */
void os_sysfs_each(const char *folder, const char *prefix,
        void (*fn)(void *user, const char *folder, const char *name), void *user);

#endif
