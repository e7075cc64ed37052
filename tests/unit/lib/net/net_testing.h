/* What the tests of lib/net share: a loop that is stepped until something is true, and raw sockets
 * on the far side. */
#ifndef TESTS_UNIT_LIB_NET_NET_TESTING_H
#define TESTS_UNIT_LIB_NET_NET_TESTING_H

#include "tests/unit/unit.h"

#include "lib/base/clock.h"
#include "lib/base/str.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/loop.h"
#include "lib/net/loop/stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif

#define TEST_PATIENCE_MS 30000 /* only a stuck test ever waits this long */

/* Steps the loop until the condition holds. The watchdog runs on real time, whatever clock the loop
 * has. */
#define STEP_UNTIL(loop, condition)                                           \
    do {                                                                      \
        int64_t give_up_ms = oc_mono_ms(&oc_clock_system) + TEST_PATIENCE_MS; \
        while (!(condition)) {                                                \
            if (oc_mono_ms(&oc_clock_system) > give_up_ms) {                  \
                fail_msg("still not true: %s", #condition);                   \
            }                                                                 \
            oc_loop_step((loop), 20);                                         \
        }                                                                     \
    } while (0)

/* Enough rounds for everything that can happen without time passing. */
static inline void step_some(struct oc_loop *loop) {
    for (int i = 0; i < 20; i++) {
        oc_loop_step(loop, 0);
    }
}

static inline struct oc_loop *make_loop(const struct oc_clock *clock) {
    struct oc_loop *loop = NULL;
    assert_int_equal(oc_loop_create(clock, &loop, NULL), OC_OK);
    return loop;
}

static inline void make_pair(int fds[2]) {
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(oc_fd_prepare(fds[0]), 0);
    assert_int_equal(oc_fd_prepare(fds[1]), 0);
}

/* A connected, non-blocking socket to a port of this machine. */
static inline int connect_to(uint16_t port) {
    int fd = oc_socket(AF_INET);
    assert_true(fd >= 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
    };
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
        assert_int_equal(errno, EINPROGRESS);
    }
    return fd;
}

/* Reads what is there; true when the other side has closed or reset. */
static inline bool drain_fd(int fd, struct oc_buf *ret) {
    char piece[16384];
    for (;;) {
        ssize_t n = recv(fd, piece, sizeof(piece), 0);
        if (n > 0) {
            assert_int_equal(oc_buf_append(ret, piece, (size_t)n), OC_OK);
        } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return false;
        } else {
            return true;
        }
    }
}

static inline void write_all(struct oc_loop *loop, int fd, const void *data, size_t len) {
    const char *p = data;
    while (len > 0) {
        ssize_t n = send(fd, p, len, MSG_NOSIGNAL);
        if (n > 0) {
            p += n;
            len -= (size_t)n;
        } else if (n < 0 && errno != EAGAIN && errno != ENOTCONN) {
            return; /* the other side has had enough */
        } else {
            oc_loop_step(loop, 5);
        }
    }
}

#endif
