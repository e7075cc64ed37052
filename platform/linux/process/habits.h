/* What a process passes on to its children and others of the same user can change from outside. A
 * program may have done that to its supervisor; the next program is not to feel it. */
#ifndef PLATFORM_LINUX_PROCESS_HABITS_H
#define PLATFORM_LINUX_PROCESS_HABITS_H

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>

struct os_habits {
    struct rlimit limits[RLIM_NLIMITS];
    int nice, policy, io_class;
    cpu_set_t cpus;
};

/* Ours, now. System calls only. */
void os_habits_read(struct os_habits *ret);
bool os_habits_same(const struct os_habits *a, const struct os_habits *b);

#endif
