/* What the three files of a WebSocket share: ws.c (life and closing), ws_recv.c, ws_send.c. */
#ifndef LIB_NET_WS_WS_PRIVATE_H
#define LIB_NET_WS_WS_PRIVATE_H

#include "lib/net/frames/frames.h"
#include "lib/net/loop/stream.h"
#include "lib/net/ws/ws.h"

#define OC_WS_MAX_CONTROL 125
#define OC_WS_MAX_REASON 123
#define OC_WS_ROUND_BYTES 65536u /* one peer's share of a round, each way */

enum {
    OC_CLOSE_PROTOCOL = 1002,
    OC_CLOSE_NO_CODE = 1005,
    OC_CLOSE_BROKEN = 1006,
    OC_CLOSE_NOT_UTF8 = 1007,
    OC_CLOSE_TOO_BIG = 1009,
};

#define OC_WS_MAX_PONG_BYTES 2048u

struct oc_ws_control {
    uint8_t len;
    char data[OC_WS_MAX_CONTROL];
};

struct oc_ws {
    struct oc_loop *loop;
    struct oc_stream *stream; /* NULL when the connection is gone */
    struct oc_io io;
    struct oc_timer close_timer;
    struct oc_deferred kick;
    struct oc_ws_events events;
    void *user;
    size_t max_message_bytes, max_queued_bytes;

    /* Receiving. The frame reader exists only while it has something: it takes memory. */
    struct oc_frame_reader *reader;
    struct oc_buf early; /* came behind the HTTP head, or waits until it may be received */
    char *message;
    size_t message_len, message_cap, message_checked; /* checked: known to be UTF-8 */

    /* Sending. */
    struct oc_list queue;               /* queued message.link */
    size_t queued_bytes, charged_bytes; /* charged: of them, those that others answer for */
    struct oc_buf unsent;               /* whole frames that the stream has not taken */
    uint64_t written_bytes;

    size_t held_bytes; /* as on_held was told last */

    /* Closing. */
    uint64_t flush_mark; /* written_bytes at the last look */
    int64_t flush_until_ms;
    unsigned depth; /* > 0: this ws is on the call stack and may not be freed */
    uint16_t report_code;
    char report_reason[OC_WS_MAX_REASON + 1];
    struct oc_ws_control control; /* the control frame that is coming in */
    struct oc_buf pongs;          /* owed answers to pings, each a length and its bytes */
    struct oc_ws_control close_body;

    bool is_client;
    bool is_destroyed; /* freed when depth is back at 0 */
    bool is_reported;  /* on_closed was called */
    bool in_message, input_ended;
    bool is_held;       /* may not receive now */
    bool must_look;     /* it was held: a whole message may be here already */
    bool is_raw;        /* the message that is coming in is binary, for on_binary */
    bool is_discarding; /* what comes is no longer looked at */
    bool is_feeding;    /* the reader is on the call stack */
    bool in_fragments;  /* the first message of the queue has begun */
    bool is_blocked;    /* wait until the stream takes more */
    bool is_write_broken, want_ping;
    bool close_wanted, close_now; /* now: in front of queued messages */
    bool close_sent, close_received;
    bool is_ending; /* only the peer's close frame is missing */
};

static inline bool oc_ws_alive(const struct oc_ws *ws) {
    return ws->stream && !ws->is_destroyed;
}

/* Reads for at most one round and gives out messages. */
void oc_ws_receive(struct oc_ws *ws);
void oc_ws_forget_input(struct oc_ws *ws); /* frees what receiving holds */

/* Tells on_held when it has changed. */
void oc_ws_count_held(struct oc_ws *ws);

/* Writes for at most one round. */
void oc_ws_transmit(struct oc_ws *ws);
void oc_ws_forget_queue(struct oc_ws *ws); /* messages; bytes of a frame that has begun stay */
void oc_ws_forget_output(struct oc_ws *ws);

/* The peer broke the rules: tell it and listen no more. */
void oc_ws_fail(struct oc_ws *ws, uint16_t code, const char *reason);
/* The peer sent a close frame; body is the close frame's payload, already checked. */
void oc_ws_peer_closed(struct oc_ws *ws, uint16_t code, const char *reason);

#endif
