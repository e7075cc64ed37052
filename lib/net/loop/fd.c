#include "lib/net/loop/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int oc_fd_prepare(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
            fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
        return -1;
    }
#ifdef SO_NOSIGPIPE
    int on = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
    return 0;
}

enum oc_code oc_pipe(int ret_fds[2], struct oc_error *err) {
    int fds[2];
#ifdef __linux__
    int rc = pipe2(fds, O_CLOEXEC | O_NONBLOCK);
#else
    int rc = pipe(fds);
    if (rc == 0 && (oc_fd_prepare(fds[0]) < 0 || oc_fd_prepare(fds[1]) < 0)) {
        close(fds[0]);
        close(fds[1]);
        rc = -1;
    }
#endif
    if (rc < 0) {
        return oc_fail(err, OC_E_IO, "pipe: %s", strerror(errno));
    }
    ret_fds[0] = fds[0];
    ret_fds[1] = fds[1];
    return OC_OK;
}

#ifndef __linux__
/* Closes fd when it cannot be prepared, and keeps errno. */
static int fd_prepared(int fd) {
    if (fd >= 0 && oc_fd_prepare(fd) < 0) {
        int e = errno;
        close(fd);
        errno = e;
        return -1;
    }
    return fd;
}
#endif

int oc_socket(int family) {
#ifdef __linux__
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    return fd_prepared(socket(family, SOCK_STREAM, 0));
#endif
}

int oc_accept(int listen_fd, void *ret_addr, unsigned *addr_len) {
    socklen_t len = *addr_len;
#ifdef __linux__
    int fd = accept4(listen_fd, ret_addr, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
    int fd = fd_prepared(accept(listen_fd, ret_addr, &len));
#endif
    *addr_len = len;
    return fd;
}

static void set_int(int fd, int level, int name, int value) {
    (void)setsockopt(fd, level, name, &value, sizeof(value)); /* it works without */
}

void oc_tcp_tune(int fd) {
    set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60);
#elif defined(TCP_KEEPALIVE)
    set_int(fd, IPPROTO_TCP, TCP_KEEPALIVE, 60);
#endif
#ifdef TCP_KEEPINTVL
    set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 15);
#endif
#ifdef TCP_KEEPCNT
    set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
#endif
}

void oc_tcp_acknowledge(int fd) {
#ifdef TCP_QUICKACK
    set_int(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
#else
    (void)fd;
#endif
}
