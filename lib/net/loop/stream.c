#include "lib/net/loop/stream.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* the socket has SO_NOSIGPIPE there */
#endif

static enum oc_code plain_handshake(struct oc_stream *s, bool *ret_done, struct oc_error *err) {
    (void)s;
    (void)err;
    *ret_done = true;
    return OC_OK;
}

static ssize_t stream_result(ssize_t n) {
    if (n >= 0) {
        return n;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK ? OC_STREAM_AGAIN : OC_STREAM_BROKEN;
}

static ssize_t plain_read(struct oc_stream *s, void *ret, size_t max) {
    ssize_t n;
    do {
        n = recv(s->fd, ret, max, 0);
    } while (n < 0 && errno == EINTR);
    return stream_result(n);
}

static ssize_t plain_write(struct oc_stream *s, const void *data, size_t len) {
    ssize_t n;
    do {
        n = send(s->fd, data, len, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return stream_result(n);
}

static unsigned plain_events(const struct oc_stream *s, unsigned wanted) {
    (void)s;
    return wanted;
}

static bool plain_has_buffered(const struct oc_stream *s) {
    (void)s;
    return false;
}

static void plain_end(struct oc_stream *s) {
    (void)shutdown(s->fd, SHUT_WR);
}

static void plain_destroy(struct oc_stream *s) {
    close(s->fd);
    oc_free(s);
}

static const struct oc_stream_ops plain_ops = {
    .handshake = plain_handshake,
    .read = plain_read,
    .write = plain_write,
    .events = plain_events,
    .has_buffered = plain_has_buffered,
    .end = plain_end,
    .destroy = plain_destroy,
};

struct oc_stream *oc_stream_plain(int take_fd) {
    struct oc_stream *s = oc_new(struct oc_stream);
    s->ops = &plain_ops;
    s->fd = take_fd;
    return s;
}

void oc_stream_destroy(struct oc_stream *s) {
    if (!s) {
        return;
    }
    if (s->on_gone) {
        s->on_gone(s->gone_user);
    }
    s->ops->destroy(s);
}
