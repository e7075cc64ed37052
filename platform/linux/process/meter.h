/* The ceilings of a command for all of its processes together (meter.c). */
#ifndef PLATFORM_LINUX_PROCESS_METER_H
#define PLATFORM_LINUX_PROCESS_METER_H

#include "platform/platform.h"

/* Which ceiling everything below this process is over. */
enum os_limit os_meter_read(const struct os_limits *limits);

#endif
