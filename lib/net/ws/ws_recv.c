/* Frames in: what messages and control frames may be, and the ceilings, are checked here. */
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/net/loop/scratch.h"
#include "lib/net/ws/ws_private.h"

#include <string.h>

#define SMALL_READ 4096 /* after less than this a socket is most likely empty */
#define MAX_SLACK 4096  /* what a finished message may waste */

static void drop_message(struct oc_ws *ws) {
    oc_free(ws->message);
    ws->message = NULL;
    ws->message_len = ws->message_cap = ws->message_checked = 0;
}

static void drop_reader(struct oc_ws *ws) {
    oc_frame_reader_destroy(oc_take(&ws->reader));
}

void oc_ws_forget_input(struct oc_ws *ws) {
    drop_message(ws);
    drop_reader(ws);
    oc_buf_finish(&ws->early);
}

/* Frames of data while closing are counted but not kept. */
static bool keeps_data(const struct oc_ws *ws) {
    return !ws->close_wanted;
}

/* Room for a frame that is about to come: exactly as much as will be used if it is the message's
 * last. */
static void make_room(struct oc_ws *ws, size_t payload, bool is_last) {
    size_t need = ws->message_len + payload + 1;
    if (need <= ws->message_cap) {
        return;
    }
    size_t cap = need;
    if (!is_last && ws->message_cap > 0 && cap < 2 * ws->message_cap) {
        cap = 2 * ws->message_cap;
        cap = cap > ws->max_message_bytes + 1 ? ws->max_message_bytes + 1 : cap;
    }
    ws->message = oc_realloc(ws->message, cap);
    ws->message_cap = cap;
}

static bool start_frame(struct oc_ws *ws, const struct oc_frame_piece *p) {
    if (oc_frame_is_control(p->opcode)) {
        ws->control.len = 0;
        return true;
    }
    bool goes_on = p->opcode == OC_FRAME_CONTINUATION;
    if (goes_on != ws->in_message) {
        oc_ws_fail(ws, OC_CLOSE_PROTOCOL,
                goes_on ? "unexpected continuation frame" : "expected a continuation frame");
        return false;
    }
    if (!goes_on) {
        ws->in_message = true;
        ws->is_raw = p->opcode == OC_FRAME_BINARY && ws->events.on_binary;
    }
    if (ws->message_len > ws->max_message_bytes ||
            p->frame_len > ws->max_message_bytes - ws->message_len) {
        oc_ws_fail(ws, OC_CLOSE_TOO_BIG, "message too big");
        return false;
    }
    if (keeps_data(ws)) {
        make_room(ws, (size_t)p->frame_len, p->is_final);
    }
    return true;
}

/* Checks what can be checked: all but a character that may be completed by what follows. */
static bool check_utf8(struct oc_ws *ws, bool is_complete) {
    if (ws->is_raw) {
        return true;
    }
    const char *text = ws->message + ws->message_checked;
    size_t len = ws->message_len - ws->message_checked;
    size_t tail = is_complete ? 0 : oc_utf8_incomplete_tail(text, len);
    ws->message_checked += len - tail;
    return oc_utf8_valid(text, len - tail);
}

static void add_data(struct oc_ws *ws, struct oc_slice data) {
    if (!keeps_data(ws)) {
        return;
    }
    memcpy(ws->message + ws->message_len, data.ptr, data.len);
    ws->message_len += data.len;
    if (!check_utf8(ws, false)) {
        oc_ws_fail(ws, OC_CLOSE_NOT_UTF8, "message is not UTF-8");
    }
}

static void add_control(struct oc_ws *ws, struct oc_slice data) {
    size_t room = sizeof(ws->control.data) - ws->control.len;
    size_t n = data.len < room ? data.len : room; /* the reader refused longer ones */
    memcpy(ws->control.data + ws->control.len, data.ptr, n);
    ws->control.len = (uint8_t)(ws->control.len + n);
}

static void end_message(struct oc_ws *ws) {
    ws->in_message = false;
    if (!keeps_data(ws)) {
        drop_message(ws);
        return;
    }
    if (!check_utf8(ws, true)) {
        oc_ws_fail(ws, OC_CLOSE_NOT_UTF8, "message is not UTF-8");
        return;
    }
    if (ws->message_cap - ws->message_len > MAX_SLACK) {
        ws->message = oc_realloc(ws->message, ws->message_len + 1);
    }
    struct oc_blob *text = oc_blob_take(oc_take(&ws->message), ws->message_len);
    drop_message(ws);
    if (ws->is_raw) {
        ws->events.on_binary(ws->user, text);
    } else if (ws->events.on_message) {
        ws->events.on_message(ws->user, text);
    }
    oc_blob_unref(text);
}

static bool is_close_code(unsigned code) {
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

static void end_close(struct oc_ws *ws) {
    const struct oc_ws_control *c = &ws->control;
    if (c->len == 0) {
        oc_ws_peer_closed(ws, OC_CLOSE_NO_CODE, "");
        return;
    }
    unsigned code = c->len < 2 ? 0 : (unsigned)(uint8_t)c->data[0] << 8 | (uint8_t)c->data[1];
    if (!is_close_code(code)) {
        oc_ws_fail(ws, OC_CLOSE_PROTOCOL, "bad close code");
        return;
    }
    char reason[OC_WS_MAX_REASON + 1];
    size_t len = c->len - 2u;
    memcpy(reason, c->data + 2, len);
    reason[len] = '\0';
    if (!oc_utf8_valid(reason, len)) {
        oc_ws_fail(ws, OC_CLOSE_NOT_UTF8, "close reason is not UTF-8");
        return;
    }
    oc_ws_peer_closed(ws, (uint16_t)code, reason);
}

/* Of more than a few the older ones go without an answer, as RFC 6455 §5.5.3 allows: a peer that
 * sends pings and does not read costs us no more than that. */
static void owe_pong(struct oc_ws *ws) {
    const struct oc_ws_control *c = &ws->control;
    if (ws->pongs.len + 1u + c->len > OC_WS_MAX_PONG_BYTES) {
        ws->pongs.len = 0;
    }
    oc_buf_putc(&ws->pongs, (char)c->len);
    oc_buf_append(&ws->pongs, c->data, c->len);
}

static void end_frame(struct oc_ws *ws, const struct oc_frame_piece *p) {
    switch (p->opcode) {
    case OC_FRAME_CLOSE:
        end_close(ws);
        break;
    case OC_FRAME_PING:
        owe_pong(ws);
        break;
    case OC_FRAME_PONG:
        break;
    default:
        if (p->is_final) {
            end_message(ws);
        }
        break;
    }
}

static bool wants_more(const struct oc_ws *ws) {
    return oc_ws_alive(ws) && !ws->is_discarding;
}

static bool on_piece(void *user, const struct oc_frame_piece *p) {
    struct oc_ws *ws = user;
    if (p->is_first && !start_frame(ws, p)) {
        return false;
    }
    if (oc_frame_is_control(p->opcode)) {
        add_control(ws, p->data);
    } else {
        add_data(ws, p->data);
    }
    if (p->is_last && !ws->is_discarding) {
        if (ws->events.on_received) {
            ws->events.on_received(ws->user, OC_WS_FRAME_COST);
        }
        end_frame(ws, p);
    }
    return wants_more(ws);
}

static void on_malformed(void *user, uint16_t code, const char *why) {
    oc_ws_fail(user, code, why);
}

static bool may_receive(struct oc_ws *ws) {
    ws->is_held = ws->is_held || (ws->events.may_receive && !ws->events.may_receive(ws->user));
    return !ws->is_held;
}

static bool may_take(void *user) {
    return may_receive(user);
}

static const struct oc_frame_sink sink = {
    .may_take = may_take, .on_piece = on_piece, .on_malformed = on_malformed
};

/* What was read and has not had its turn. */
static void keep_input(struct oc_ws *ws, const char *data, size_t len) {
    ws->early = OC_BUF_INIT(len);
    oc_buf_append(&ws->early, data, len);
}

static void ws_recv_feed(struct oc_ws *ws, const char *data, size_t len) {
    if (!ws->reader) {
        ws->reader = oc_frame_reader_create(ws->loop, ws->is_client, &sink, ws);
    }
    if (!ws->reader) {
        oc_ws_abort(ws);
        return;
    }
    ws->is_feeding = true;
    size_t taken = oc_frame_reader_feed(ws->reader, (struct oc_slice){ .ptr = data, .len = len });
    ws->is_feeding = false;
    if (taken < len && wants_more(ws)) {
        keep_input(ws, data + taken, len - taken);
    }
    if (ws->is_discarding) {
        drop_message(ws);
    }
    if (ws->reader && (ws->is_discarding || oc_frame_reader_is_empty(ws->reader))) {
        drop_reader(ws);
    }
    oc_ws_count_held(ws);
}

static void take_input(struct oc_ws *ws, const char *data, size_t len) {
    if (!ws->is_discarding) {
        ws_recv_feed(ws, data, len);
    }
}

static bool may_read(struct oc_ws *ws) {
    return oc_ws_alive(ws) && !ws->input_ended && may_receive(ws);
}

void oc_ws_receive(struct oc_ws *ws) {
    if (!may_receive(ws)) {
        return;
    }
    if (ws->early.len > 0 || ws->must_look) {
        struct oc_buf early = ws->early;
        ws->must_look = false;
        ws->early = (struct oc_buf){ 0 };
        take_input(ws, early.data, early.len);
        oc_buf_finish(&early);
    }
    struct oc_scratch *s = oc_scratch_ready(oc_loop_scratch(ws->loop));
    size_t round = 0;
    while (round < OC_WS_ROUND_BYTES && may_read(ws)) {
        ssize_t n = oc_stream_read(ws->stream, s->in, OC_SCRATCH_IN_BYTES);
        if (n == OC_STREAM_AGAIN) {
            return;
        }
        if (n <= 0) {
            ws->input_ended = true;
            return;
        }
        if (round == 0 && ws->events.on_activity) {
            ws->events.on_activity(ws->user);
            if (!oc_ws_alive(ws)) {
                return;
            }
        }
        round += (size_t)n;
        if (ws->events.on_received) {
            ws->events.on_received(ws->user, (size_t)n);
        }
        take_input(ws, s->in, (size_t)n);
        if (n < SMALL_READ && oc_ws_alive(ws) && !oc_stream_has_buffered(ws->stream)) {
            return;
        }
    }
    if (oc_ws_alive(ws) && !ws->is_held && oc_stream_has_buffered(ws->stream)) {
        oc_defer(ws->loop, &ws->kick); /* the descriptor will not tell */
    }
}
