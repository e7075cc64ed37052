/* Descriptors that go along with a message over a unix socket. */
#ifndef LIB_FILES_PASS_FDS_H
#define LIB_FILES_PASS_FDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define OC_MAX_PASSED_FDS 4

/* As sendmsg, without its signal: how many bytes went, or -1 and errno. The descriptors stay open
 * here, too; none, if count is 0. */
ssize_t oc_send_with_fds(
        int socket_fd, const void *bytes, size_t len, const int *fds, size_t count, int flags);

struct oc_received {
    size_t count; /* descriptors that came; those for which there was no room are closed */
    bool is_cut;  /* there were more bytes or descriptors, and they are gone */
};
/* As recvmsg: how many bytes came, 0 at the end, or -1 and errno. ret_fds has room for max, which
 * are the caller's; max is 1 to OC_MAX_PASSED_FDS. */
ssize_t oc_receive_with_fds(int socket_fd, void *bytes, size_t size, int *ret_fds, size_t max,
        int flags, struct oc_received *ret);

#endif
