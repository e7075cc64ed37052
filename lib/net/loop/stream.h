/* A non-blocking run of bytes both ways: a socket, or TLS on one.
 *
 * Whoever holds a stream puts stream->fd into the loop and asks oc_stream_events what to wait for,
 * because TLS may have to write before it can read and the reverse. */
#ifndef LIB_NET_LOOP_STREAM_H
#define LIB_NET_LOOP_STREAM_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define OC_STREAM_AGAIN (-1)  /* wait for oc_stream_events, then call again with the same bytes */
#define OC_STREAM_BROKEN (-2) /* the connection is of no more use in this direction */

struct oc_stream;

struct oc_stream_ops {
    /* OC_OK with *ret_done false: wait and call again. Errors are final and say what failed. */
    enum oc_code (*handshake)(struct oc_stream *s, bool *ret_done, struct oc_error *err);
    ssize_t (*read)(struct oc_stream *s, void *ret, size_t max);         /* 0: end of stream */
    ssize_t (*write)(struct oc_stream *s, const void *data, size_t len); /* may take less */
    unsigned (*events)(const struct oc_stream *s, unsigned wanted);
    bool (*has_buffered)(const struct oc_stream *s);
    void (*end)(struct oc_stream *s);
    void (*destroy)(struct oc_stream *s);
};

struct oc_stream {
    const struct oc_stream_ops *ops;
    int fd;
    char peer_pin[65]; /* of a client: the certificate that was shown, as in lib/net/tls.h; "":
                          without TLS */
    /* Called when the stream is destroyed, whoever owns it then. For counting open connections. */
    void (*on_gone)(void *user);
    void *gone_user;
};

/* Takes fd, which must be non-blocking. */
struct oc_stream *oc_stream_plain(int take_fd);

static inline enum oc_code oc_stream_handshake(
        struct oc_stream *s, bool *ret_done, struct oc_error *err) {
    return s->ops->handshake(s, ret_done, err);
}
static inline ssize_t oc_stream_read(struct oc_stream *s, void *ret, size_t max) {
    return s->ops->read(s, ret, max);
}
static inline ssize_t oc_stream_write(struct oc_stream *s, const void *data, size_t len) {
    return s->ops->write(s, data, len);
}
/* Descriptor events (OC_IO_*) that let the wanted directions (OC_IO_*) go on. */
static inline unsigned oc_stream_events(const struct oc_stream *s, unsigned wanted) {
    return s->ops->events(s, wanted);
}
/* Bytes can be read although the descriptor may never become ready for them. */
static inline bool oc_stream_has_buffered(const struct oc_stream *s) {
    return s->ops->has_buffered(s);
}
/* Tells the peer that nothing more will be written. */
static inline void oc_stream_end(struct oc_stream *s) {
    s->ops->end(s);
}
void oc_stream_destroy(struct oc_stream *s); /* closes the descriptor */

#endif
