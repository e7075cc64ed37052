/* What a supervisor that waits (spare.h) is told to run: one message with the program's
 * descriptors. */
#ifndef PLATFORM_LINUX_PROCESS_JOB_H
#define PLATFORM_LINUX_PROCESS_JOB_H

#include "platform/platform.h"

enum {
    OS_JOB_FDS = 3,       /* stdin, stdout, stderr */
    OS_JOB_BYTES = 65536, /* more than most commands need, less than a socket takes at once */
    OS_JOB_WORDS = 4096,  /* arguments and variables */
};

/* Of either kind there is one, since there is one supervisor to tell and one job to be told. */
struct os_job {
    size_t len;
    char bytes[OS_JOB_BYTES];
};

/* False: it does not fit, or is not for a message (a sandbox is not). */
bool os_job_write(const struct os_spawn_opts *opts, struct os_job *ret);
/* opts and its vectors borrow from the job and from `words`, of which there are OS_JOB_WORDS. tty
 * is only said to be there. False: it is no job. */
bool os_job_read(struct os_job *job, const char **words, struct os_spawn_opts *ret);

/* Does not wait. 0, or why it was not sent. */
int os_job_send(int socket_fd, const struct os_job *job, const int fds[OS_JOB_FDS]);
/* Waits. False: nobody is there to send one any more, or it came without its descriptors. */
bool os_job_receive(int socket_fd, struct os_job *ret, int ret_fds[OS_JOB_FDS]);

#endif
