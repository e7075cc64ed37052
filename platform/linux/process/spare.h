/* A supervisor (supervisor.h) whose program has ended with all it had started, and which waits for
 * the next.
 *
 * Forking the node is the dearest part of running a small program: all that the node has mapped is
 * copied for a process that needs none of it, and half of that once more as both go on. The spare
 * has that behind it. It has none of the node's descriptors but its own two lines, nor any of the
 * program's, and ends with the node, as every supervisor does. */
#ifndef PLATFORM_LINUX_PROCESS_SPARE_H
#define PLATFORM_LINUX_PROCESS_SPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct os_spare {
    pid_t pid;       /* 0: there is none */
    int status_fd;   /* see supervisor.h, from our side */
    int control_fd;  /* see there */
    int64_t born_ms; /* when it was forked */
};

/* Now, for born_ms. */
int64_t os_spare_clock_ms(void);
/* Keeps it. False: there is one already, or it is old: what it inherited from us may not be what we
 * are any more. */
bool os_spare_put(const struct os_spare *take_spare);
/* The caller has it now; there is none any more. False: there was none. */
bool os_spare_take(struct os_spare *ret);
/* Ends it. */
void os_spare_drop(void);
/* 0: there is none. */
pid_t os_spare_pid(void);
/* Somebody killed it, and it was collected. */
void os_spare_forget(void);

#endif
