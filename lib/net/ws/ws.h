/* One WebSocket connection, either side, over a plain or TLS stream. Frames are made and read by
 * lib/net/frames; no extension is ever negotiated. Messages arrive whole; outgoing messages leave
 * as 64 KiB fragments.
 *
 * Life: open → (close sent or received) → on_closed, exactly once → the owner calls oc_ws_destroy.
 * Destroying from inside a callback is fine; destroying earlier drops the connection without
 * on_closed. */
#ifndef LIB_NET_WS_WS_H
#define LIB_NET_WS_WS_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/net/loop/loop.h"
#include "lib/net/ws/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define OC_WS_FRAME_COST 1024u

struct oc_ws;
struct oc_stream; /* lib/net/loop/stream.h */

struct oc_ws_events {
    /* A whole text message. The blob is borrowed: take a reference to keep it. */
    void (*on_message)(void *user, struct oc_blob *text);
    /* A whole binary message. NULL: binary messages must be UTF-8 too and come as on_message, which
     * is what some clients of the protocol send. */
    void (*on_binary)(void *user, struct oc_blob *data);
    /* code is the peer's close code, ours, or 1006 when the connection just broke. */
    void (*on_closed)(void *user, uint16_t code, const char *reason);
    /* Anything was received (also pings and pongs); may be NULL. For watchdogs. */
    void (*on_activity)(void *user);
    /* Asked before anything is received, and before each message: false keeps what has come for
     * later and reads no more until oc_ws_go_on. May be NULL: always. */
    bool (*may_receive)(void *user);
    /* So many bytes were received; may be NULL. Each frame counts as OC_WS_FRAME_COST more: an
     * empty one is work, too. */
    void (*on_received)(void *user, size_t bytes);
    /* A message that was queued is on its way as a whole; may be NULL. */
    void (*on_sent)(void *user);
    /* Nothing is queued (any more); may be NULL, and may come more than once. */
    void (*on_drained)(void *user);
    /* What it keeps in memory for the peer, both ways, has become this much (without charged
     * messages); may be NULL. Whoever adds these up may call oc_ws_cut from here, on this
     * connection or on others, and nothing else. */
    void (*on_held)(void *user, size_t bytes);
};

struct oc_ws_opts {
    bool is_client;
    size_t max_message_bytes;
    size_t max_queued_bytes; /* of unsent messages; a send beyond it fails */
};

/* Takes the stream. `early` are bytes that were read behind the HTTP head. */
struct oc_ws *oc_ws_create(struct oc_loop *loop, struct oc_stream *take_stream,
        const struct oc_ws_opts *opts, const struct oc_ws_events *events, void *user,
        struct oc_slice early);
void oc_ws_set_events(struct oc_ws *ws, const struct oc_ws_events *events, void *user);
void oc_ws_set_max_message(struct oc_ws *ws, size_t max_bytes);
/* OC_E_TOO_LARGE: the queue is full (nothing was queued); OC_E_CLOSED: closing. The message is
 * consumed either way. */
enum oc_code oc_ws_send(struct oc_ws *ws, struct oc_msg *take_msg);
enum oc_code oc_ws_send_blob(struct oc_ws *ws, struct oc_blob *blob);
enum oc_code oc_ws_send_binary(struct oc_ws *ws, struct oc_blob *blob);
enum oc_code oc_ws_send_text(struct oc_ws *ws, const char *text, size_t len);
/* After may_receive has said no: it may. From the loop. */
void oc_ws_go_on(struct oc_ws *ws);
size_t oc_ws_queued_bytes(const struct oc_ws *ws);
/* … of them behind the message that is being sent. */
size_t oc_ws_waiting_bytes(const struct oc_ws *ws);
/* True: the peer has not taken all that there is for it, and has taken some since the last look,
 * whose mark it is. */
bool oc_ws_is_taking(const struct oc_ws *ws, uint64_t *mark);
void oc_ws_ping(struct oc_ws *ws);
/* Sends what is queued (as long as the peer keeps taking it, and for a minute at most), then a
 * close frame (reason cut to 123 bytes at a character), waits up to 2 s for the peer's. code 0
 * sends a close frame without a body. Further messages from the peer are dropped. */
void oc_ws_close(struct oc_ws *ws, uint16_t code, const char *reason);
/* Gives back what it holds, now, and closes: nothing that was queued is sent but the close frame,
 * nothing that comes is looked at. */
void oc_ws_cut(struct oc_ws *ws, uint16_t code, const char *reason);
/* Cuts the connection; on_closed(1006) follows from the loop. */
void oc_ws_abort(struct oc_ws *ws);
bool oc_ws_is_open(const struct oc_ws *ws);
/* What it runs over; NULL when the connection is gone. Only for looking at. */
const struct oc_stream *oc_ws_stream(const struct oc_ws *ws);
void oc_ws_destroy(struct oc_ws *ws);
/* How many descriptors one connection takes, with its stream. */
unsigned oc_ws_descriptors(void);
/* -1: the connection is gone. Borrowed. */
int oc_ws_fd(const struct oc_ws *ws);

#endif
