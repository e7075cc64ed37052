#include "lib/files/pass_fds.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

ssize_t oc_send_with_fds(
        int socket_fd, const void *bytes, size_t len, const int *fds, size_t count, int flags) {
    union {
        char bytes[CMSG_SPACE(OC_MAX_PASSED_FDS * sizeof(int))];
        struct cmsghdr align;
    } control = { { 0 } };
    struct iovec iov = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = len };
    struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
    if (count > OC_MAX_PASSED_FDS) {
        errno = EINVAL;
        return -1;
    }
    if (count > 0) {
        m.msg_control = control.bytes;
        m.msg_controllen = (socklen_t)CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = (socklen_t)CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(c), fds, count * sizeof(int));
    }
    return sendmsg(socket_fd, &m, MSG_NOSIGNAL | flags);
}
