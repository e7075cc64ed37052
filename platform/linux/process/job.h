/* What a supervisor that waits (spare.h) is told to run: one message with the program's descriptors. */
#ifndef PLATFORM_LINUX_PROCESS_JOB_H
#define PLATFORM_LINUX_PROCESS_JOB_H

#include "platform/platform.h"

enum {
    OC_JOB_FDS = 3,       /* stdin, stdout, stderr */
    OC_JOB_BYTES = 65536, /* more than most commands need, less than a socket takes at once */
    OC_JOB_WORDS = 4096,  /* arguments and variables */
};

/* Of either kind there is one, since there is one supervisor to tell and one job to be told. */
struct oc_job {
    size_t len;
    char bytes[OC_JOB_BYTES];
};

/* False: it does not fit, or is not for a message (a sandbox is not). */
bool oc_job_write(const struct oc_spawn_opts *opts, struct oc_job *ret);
/* opts and its vectors borrow from the job and from `words`, of which there are OC_JOB_WORDS. tty is only said to be there.
 * False: it is no job. */
bool oc_job_read(struct oc_job *job, const char **words, struct oc_spawn_opts *ret);

/* Does not wait. 0, or why it was not sent. */
int oc_job_send(int socket_fd, const struct oc_job *job, const int fds[OC_JOB_FDS]);
/* Waits. False: nobody is there to send one any more, or it came without its descriptors. */
bool oc_job_receive(int socket_fd, struct oc_job *ret, int ret_fds[OC_JOB_FDS]);

#endif
