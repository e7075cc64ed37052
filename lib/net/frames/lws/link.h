/* A connection of libwebsockets whose other end is ours: a pair of sockets inside the process, one
 * of them adopted by the library, with an upgrade that both sides are told. Nothing of it is in the
 * loop, and it never waits: whoever puts bytes in lets the library work on them at once
 * (lws_service_fd, the way in for foreign loops that every packaged version has). */
#ifndef LIB_NET_FRAMES_LWS_LINK_H
#define LIB_NET_FRAMES_LWS_LINK_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What the library is told to hold at most: of the bytes that came, and of a frame that goes. */
#define OC_LWS_STEP_BYTES 4096u

struct oc_loop;

struct oc_lws_link {
    struct lws_context *context;
    struct lws *wsi; /* NULL: the library has closed its end, or the context is gone */
    int near;        /* our end; -1: never opened */
    bool is_open;    /* upgraded */
    /* What the library has to say; may be NULL. Non-zero closes its end. */
    int (*on_event)(struct oc_lws_link *link, enum lws_callback_reasons reason, const void *data,
            size_t len);
};

/* False: no descriptors. on_event may be set before; link must not move until it is closed. */
bool oc_lws_link_open(struct oc_loop *loop, struct oc_lws_link *link, bool is_client);
/* Lets the library read and write what there is. */
void oc_lws_link_work(struct oc_lws_link *link);
bool oc_lws_link_send(const struct oc_lws_link *link, const void *data, size_t len);
/* What the library wrote; 0: nothing (more). */
size_t oc_lws_link_read(const struct oc_lws_link *link, void *ret, size_t max);
/* Not from inside on_event. */
void oc_lws_link_close(struct oc_lws_link *link);

/* The links that make the frames of all connections of a loop: [is_client]. Opened by whoever uses
 * them first. */
struct oc_lws_link *oc_lws_writers(struct oc_loop *loop);

#endif
