/* The process between the node and a program it runs.
 *
 *   node ──▶ supervisor ──▶ program ──▶ …
 *
 * The supervisor adopts every orphan of the program (it is their nearest subreaper), so whatever
 * the program starts stays below it, however often it forks, and whatever session, group or
 * environment it takes. That makes two things certain: killing the tree ends only when the kernel
 * says that the supervisor has no child left, and when the node dies, even by SIGKILL, the
 * supervisor notices (the control socket ends) and kills the tree. */
#ifndef PLATFORM_LINUX_PROCESS_SUPERVISOR_H
#define PLATFORM_LINUX_PROCESS_SUPERVISOR_H

#include "platform/platform.h"

#include <sys/types.h>

/* Descriptors of the new process; none below OS_SUPERVISOR_FDS. */
struct os_supervised {
    const struct os_spawn_opts *opts;
    int in_fd, out_fd, err_fd;
    int status_fd;  /* it says who the program is, and later how it ended */
    int control_fd; /* first a descriptor, see below. Then a byte: kill the tree. End of file: the
                       node is gone */
};
enum { OS_SUPERVISOR_FDS = 6 };

/* What comes through status_fd: first this, then (if errnum is 0) the program's end; the end of
 * file when nothing is left.
 *
 * Nobody waits for the supervisor once the program runs, because the program may stop it. So the
 * child says this itself, before it becomes the program. Whether it did become it is told by a pipe
 * that nobody but the child has: its end was handed to it through the control socket. It brings the
 * errno of a failed exec as an int, or ends. */
struct os_supervisor_start {
    int errnum; /* why there is no child */
    pid_t pid;
};
struct os_supervisor_end {
    int wait_status;
    int is_alone; /* 0: something that the program started runs on */
    int over;     /* enum os_limit: why everything was killed */
};

/* One without a sandbox that has said of its program that it ended, and alone, does not end itself:
 * it waits on the control socket for another job (job.h), behind which comes a descriptor as
 * before, and so on. -1: errno says why there is none. */
pid_t os_supervisor_fork(const struct os_supervised *s);

#endif
