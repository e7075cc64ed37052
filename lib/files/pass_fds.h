/* Descriptors that go along with a message over a unix socket. */
#ifndef LIB_FILES_PASS_FDS_H
#define LIB_FILES_PASS_FDS_H

#include <stddef.h>
#include <sys/types.h>

#define OC_MAX_PASSED_FDS 4

/* As sendmsg, without its signal: how many bytes went, or -1 and errno. The descriptors stay open
 * here, too; none, if count is 0. */
ssize_t oc_send_with_fds(
        int socket_fd, const void *bytes, size_t len, const int *fds, size_t count, int flags);

#endif
