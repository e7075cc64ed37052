#include "lib/files/pass_fds.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* By alignment there can be room for one more than was asked for: none is left open. */
static void take_fds(struct msghdr *m, int *ret_fds, size_t max, struct oc_received *ret) {
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++, ret->count++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            if (ret->count < max) {
                ret_fds[ret->count] = fd;
            } else {
                close(fd);
            }
        }
    }
}

ssize_t oc_receive_with_fds(int socket_fd, void *bytes, size_t size, int *ret_fds, size_t max,
        int flags, struct oc_received *ret) {
    union {
        char bytes[CMSG_SPACE(OC_MAX_PASSED_FDS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = { .iov_base = bytes, .iov_len = size };
    struct msghdr m = { .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = (socklen_t)CMSG_SPACE(max * sizeof(int)) };
    *ret = (struct oc_received){ 0 };
    if (max == 0 || max > OC_MAX_PASSED_FDS) {
        errno = EINVAL;
        return -1;
    }
    ssize_t n = recvmsg(socket_fd, &m, flags);
    if (n >= 0) {
        take_fds(&m, ret_fds, max, ret);
        ret->is_cut = m.msg_flags & (MSG_TRUNC | MSG_CTRUNC);
    }
    return n;
}
