#include "lib/net/ws/ws.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/net/loop/scratch.h"
#include "lib/net/ws/ws_private.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define CLOSE_WAIT_MS 2000
#define FLUSH_CHECK_MS 5000 /* a queue that has not moved in this time is given up */
#define FLUSH_MAX_MS 60000
#define SENT_BEFORE_CLOSE_BYTES 262144u

static void update_events(struct oc_ws *ws) {
    unsigned wanted =
            (ws->is_held ? 0 : (unsigned)OC_IO_READ) | (ws->is_blocked ? (unsigned)OC_IO_WRITE : 0);
    oc_io_set_events(&ws->io, oc_stream_events(ws->stream, wanted));
}

void oc_ws_count_held(struct oc_ws *ws) {
    size_t held = ws->message_len + (ws->reader ? oc_frame_reader_memory : 0) + ws->early.len +
                  ws->queued_bytes - ws->charged_bytes + ws->unsent.len + ws->pongs.len;
    if (held == ws->held_bytes) {
        return;
    }
    ws->held_bytes = held;
    if (ws->events.on_held && !ws->is_destroyed) {
        ws->events.on_held(ws->user, held);
    }
}

/* Releases the connection; on_closed may still be due. */
static void tear_down(struct oc_ws *ws) {
    oc_io_remove(&ws->io);
    oc_timer_cancel(&ws->close_timer);
    oc_stream_destroy(oc_take(&ws->stream));
    oc_ws_forget_input(ws);
    oc_ws_forget_output(ws);
    oc_ws_count_held(ws);
}

static void ws_report(struct oc_ws *ws) {
    if (!ws->is_reported) {
        ws->is_reported = true;
        if (ws->events.on_closed) {
            ws->events.on_closed(ws->user, ws->report_code, ws->report_reason);
        }
    }
}

static void ws_finish(struct oc_ws *ws) {
    tear_down(ws);
    ws_report(ws);
}

/* Draws the conclusions from what reading and writing have found. */
static void ws_settle(struct oc_ws *ws) {
    bool is_flushed = ws->unsent.len == 0;
    if (ws->input_ended || ws->is_write_broken ||
            (ws->close_sent && is_flushed && ws->close_received)) {
        ws_finish(ws);
        return;
    }
    if (ws->close_sent && is_flushed && !ws->is_ending) {
        ws->is_ending = true;
        oc_timer_set(ws->loop, &ws->close_timer, CLOSE_WAIT_MS);
        if (ws->is_discarding) {
            /* Closing outright would reset the connection while the peer still sends, and it would
             * never see why. */
            oc_stream_end(ws->stream);
        }
    }
    update_events(ws);
}

static void ws_release(struct oc_ws *ws) {
    if (--ws->depth == 0 && ws->is_destroyed) {
        oc_free(ws);
    }
}

static void ws_pump(struct oc_ws *ws, bool can_read, bool can_write) {
    bool has_sent = false;
    ws->depth++;
    if (can_read && oc_ws_alive(ws)) {
        oc_ws_receive(ws);
    }
    if (oc_ws_alive(ws) && (can_write || !ws->is_blocked)) {
        size_t queued = ws->queued_bytes;
        oc_ws_transmit(ws);
        has_sent = ws->queued_bytes < queued;
        oc_ws_count_held(ws);
        if (ws->is_write_broken && !ws->input_ended) {
            oc_ws_receive(ws); /* what the peer sent before may be there to read */
        }
    }
    if (oc_ws_alive(ws) && has_sent && ws->events.on_sent) {
        ws->events.on_sent(ws->user);
    }
    if (oc_ws_alive(ws) && ws->queued_bytes == 0 && ws->events.on_drained) {
        ws->events.on_drained(ws->user);
    }
    if (oc_ws_alive(ws)) {
        ws_settle(ws);
    }
    ws_release(ws);
}

static void on_ready(struct oc_io *io, unsigned events) {
    struct oc_ws *ws = io->user;
    ws_pump(ws, events & oc_stream_events(ws->stream, OC_IO_READ),
            events & oc_stream_events(ws->stream, OC_IO_WRITE));
}

static void on_kick(struct oc_deferred *d) {
    struct oc_ws *ws = d->user;
    if (ws->stream) {
        ws_pump(ws, ws->must_look || ws->early.len > 0 || oc_stream_has_buffered(ws->stream),
                false);
        return;
    }
    ws->depth++;
    ws_report(ws); /* aborted */
    ws_release(ws);
}

static void on_close_timer(struct oc_timer *t) {
    struct oc_ws *ws = t->user;
    if (!ws->close_sent || ws->unsent.len > 0) {
        bool has_moved = ws->written_bytes != ws->flush_mark;
        if (has_moved && oc_loop_now_ms(ws->loop) < ws->flush_until_ms) {
            ws->flush_mark = ws->written_bytes;
            oc_timer_set(ws->loop, t, FLUSH_CHECK_MS);
            return;
        }
    }
    ws->depth++;
    ws_finish(ws);
    ws_release(ws);
}

struct oc_ws *oc_ws_create(struct oc_loop *loop, struct oc_stream *take_stream,
        const struct oc_ws_opts *opts, const struct oc_ws_events *events, void *user,
        struct oc_slice early) {
    struct oc_ws *ws = oc_new(struct oc_ws);
    ws->loop = loop;
    ws->stream = take_stream;
    ws->is_client = opts->is_client;
    ws->max_message_bytes =
            opts->max_message_bytes ? opts->max_message_bytes : OC_MAX_MESSAGE_BYTES;
    ws->max_queued_bytes = opts->max_queued_bytes ? opts->max_queued_bytes : OC_MAX_QUEUED_BYTES;
    ws->report_code = OC_CLOSE_BROKEN;
    oc_list_init(&ws->queue);
    ws->pongs = OC_BUF_INIT(OC_WS_MAX_PONG_BYTES);
    ws->unsent = OC_BUF_INIT(OC_SCRATCH_OUT_BYTES);
    ws->close_timer = (struct oc_timer){ .on_expire = on_close_timer, .user = ws };
    ws->kick = (struct oc_deferred){ .run = on_kick, .user = ws };
    if (events) {
        oc_ws_set_events(ws, events, user);
    }
    if (early.len > 0) {
        ws->early = OC_BUF_INIT(early.len);
        oc_buf_append(&ws->early, early.ptr, early.len);
    }
    ws->io = (struct oc_io){ .fd = take_stream->fd,
        .events = oc_stream_events(take_stream, OC_IO_READ),
        .on_ready = on_ready,
        .user = ws };
    if (oc_io_add(loop, &ws->io, NULL) != OC_OK) {
        oc_ws_abort(ws); /* on_closed tells */
    } else if (early.len > 0 || oc_stream_has_buffered(take_stream)) {
        oc_defer(loop, &ws->kick);
    }
    return ws;
}

void oc_ws_set_events(struct oc_ws *ws, const struct oc_ws_events *events, void *user) {
    ws->events = *events;
    ws->user = user;
}

void oc_ws_set_max_message(struct oc_ws *ws, size_t max_bytes) {
    ws->max_message_bytes = max_bytes;
}

const struct oc_stream *oc_ws_stream(const struct oc_ws *ws) {
    return ws->stream;
}

void oc_ws_go_on(struct oc_ws *ws) {
    if (ws->is_held) {
        ws->is_held = false;
        ws->must_look = true;
        oc_defer(ws->loop, &ws->kick);
    }
}

bool oc_ws_is_open(const struct oc_ws *ws) {
    return oc_ws_alive(ws) && !ws->close_wanted && !ws->input_ended && !ws->is_write_broken;
}

/* What the close frame will say, and by when it must be gone. */
static void want_close(struct oc_ws *ws, uint16_t code, const char *reason, bool now) {
    struct oc_ws_control *body = &ws->close_body;
    size_t len = strlen(reason);
    body->len = 0;
    if (code != 0 && code != OC_CLOSE_NO_CODE) {
        len = oc_utf8_cut(reason, len, OC_WS_MAX_REASON);
        body->data[0] = (char)(code >> 8);
        body->data[1] = (char)(code & 0xff);
        memcpy(body->data + 2, reason, len);
        body->len = (uint8_t)(2 + len);
    }
    ws->close_wanted = true;
    ws->close_now = now;
    ws->flush_mark = ws->written_bytes;
    ws->flush_until_ms = oc_loop_now_ms(ws->loop) + FLUSH_MAX_MS;
    oc_timer_set(ws->loop, &ws->close_timer, FLUSH_CHECK_MS);
    oc_defer(ws->loop, &ws->kick);
}

static void set_report(struct oc_ws *ws, uint16_t code, const char *reason) {
    size_t len = oc_utf8_cut(reason, strlen(reason), OC_WS_MAX_REASON);
    ws->report_code = code ? code : OC_CLOSE_NO_CODE;
    memcpy(ws->report_reason, reason, len);
    ws->report_reason[len] = '\0';
}

void oc_ws_close(struct oc_ws *ws, uint16_t code, const char *reason) {
    if (!oc_ws_is_open(ws)) {
        return;
    }
    reason = reason ? reason : "";
    set_report(ws, code, reason);
    want_close(ws, code, reason, false);
}

/* What is queued already goes out before the close frame when it is little, so that a peer which
 * sends a request and closes at once gets its answer. A long queue would only delay the close. */
static bool must_hurry(const struct oc_ws *ws) {
    return ws->queued_bytes > SENT_BEFORE_CLOSE_BYTES;
}

void oc_ws_fail(struct oc_ws *ws, uint16_t code, const char *reason) {
    ws->is_discarding = true;
    if (!ws->close_wanted) {
        set_report(ws, code, reason);
        want_close(ws, code, reason, must_hurry(ws));
    }
}

void oc_ws_cut(struct oc_ws *ws, uint16_t code, const char *reason) {
    if (!oc_ws_alive(ws)) {
        return;
    }
    ws->is_discarding = true;
    oc_ws_forget_queue(ws);
    if (!ws->is_feeding) {
        oc_ws_forget_input(ws);
    }
    if (!ws->close_wanted) {
        set_report(ws, code, reason);
        want_close(ws, code, reason, true);
    }
    ws->close_now = true;
    oc_ws_count_held(ws);
}

void oc_ws_peer_closed(struct oc_ws *ws, uint16_t code, const char *reason) {
    ws->close_received = true;
    ws->is_discarding = true;
    if (!ws->close_wanted) {
        set_report(ws, code, reason);
        want_close(ws, code, "", must_hurry(ws));
    } else {
        ws->close_now = true; /* it listens no more: what is queued would be wasted */
    }
}

void oc_ws_abort(struct oc_ws *ws) {
    if (!oc_ws_alive(ws)) {
        return;
    }
    set_report(ws, OC_CLOSE_BROKEN, "");
    tear_down(ws);
    oc_defer(ws->loop, &ws->kick);
}

unsigned oc_ws_descriptors(void) {
    return 1 + oc_frame_reader_descriptors;
}

int oc_ws_fd(const struct oc_ws *ws) {
    return ws->stream ? ws->stream->fd : -1;
}

void oc_ws_destroy(struct oc_ws *ws) {
    if (!ws || ws->is_destroyed) {
        return;
    }
    ws->is_destroyed = true;
    oc_defer_cancel(&ws->kick);
    if (ws->stream) {
        tear_down(ws);
    }
    if (ws->depth == 0) {
        oc_free(ws);
    }
}
