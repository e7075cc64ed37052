#include "platform/linux/process/habits.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { IOPRIO_WHO_PROCESS = 1 };

void os_habits_read(struct os_habits *ret) {
    memset(ret, 0, sizeof(*ret)); /* what cannot be read is the same every time */
    for (unsigned i = 0; i < RLIM_NLIMITS; i++) {
        getrlimit(i, &ret->limits[i]);
    }
    ret->nice = getpriority(PRIO_PROCESS, 0);
    ret->policy = sched_getscheduler(0);
    ret->io_class = (int)syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);
    sched_getaffinity(0, sizeof(ret->cpus), &ret->cpus);
}

bool os_habits_same(const struct os_habits *a, const struct os_habits *b) {
    for (unsigned i = 0; i < RLIM_NLIMITS; i++) {
        if (a->limits[i].rlim_cur != b->limits[i].rlim_cur ||
                a->limits[i].rlim_max != b->limits[i].rlim_max) {
            return false;
        }
    }
    return a->nice == b->nice && a->policy == b->policy && a->io_class == b->io_class &&
           CPU_EQUAL(&a->cpus, &b->cpus);
}
