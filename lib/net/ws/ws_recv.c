/* Frames in: wslay takes the framing apart, the rules of RFC 6455 §5 and the ceilings are checked
 * here. */
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/net/loop/scratch.h"
#include "lib/net/ws/ws_private.h"

#include <stdlib.h>
#include <string.h>
#include <wslay/wslay.h>

#define SMALL_READ 4096 /* after less than this a socket is most likely empty */
#define MAX_SLACK 4096  /* what a finished message may waste */

static ssize_t on_more(uint8_t *ret, size_t max, int flags, void *user) {
    (void)flags;
    struct oc_ws *ws = user;
    size_t n = ws->input.len < max ? ws->input.len : max;
    if (n == 0) {
        return -1;
    }
    memcpy(ret, ws->input.ptr, n);
    ws->input.ptr += n;
    ws->input.len -= n;
    ws->reader_bytes += n;
    return (ssize_t)n;
}

static void drop_message(struct oc_ws *ws) {
    oc_free(ws->message);
    ws->message = NULL;
    ws->message_len = ws->message_cap = ws->message_checked = 0;
}

static void drop_reader(struct oc_ws *ws) {
    wslay_frame_context_free(ws->reader);
    ws->reader = NULL;
    ws->reader_bytes = 0;
}

void oc_ws_forget_input(struct oc_ws *ws) {
    drop_message(ws);
    drop_reader(ws);
    oc_buf_finish(&ws->early);
    ws->input = (struct oc_slice){ 0 };
}

/* Size of the frame's header on the wire; wslay refuses lengths that are not in their shortest
 * form. */
static size_t header_size(const struct wslay_frame_iocb *f) {
    size_t length = f->payload_length < 126 ? 0 : f->payload_length < 65536 ? 2 : 8;
    return 2 + length + (f->mask ? 4u : 0u);
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

static bool start_frame(struct oc_ws *ws, const struct wslay_frame_iocb *f) {
    if (f->rsv != 0) {
        oc_ws_fail(ws, OC_CLOSE_PROTOCOL, "reserved bits are set");
        return false;
    }
    if (f->mask == ws->is_client) {
        oc_ws_fail(ws, OC_CLOSE_PROTOCOL,
                ws->is_client ? "server frames must not be masked"
                              : "client frames must be masked");
        return false;
    }
    switch (f->opcode) {
    case WSLAY_CONNECTION_CLOSE:
    case WSLAY_PING:
    case WSLAY_PONG:
        ws->control.len = 0;
        return true;
    case WSLAY_TEXT_FRAME:
    case WSLAY_BINARY_FRAME:
        if (ws->in_message) {
            oc_ws_fail(ws, OC_CLOSE_PROTOCOL, "expected a continuation frame");
            return false;
        }
        ws->in_message = true;
        ws->is_raw = f->opcode == WSLAY_BINARY_FRAME && ws->events.on_binary;
        break;
    case WSLAY_CONTINUATION_FRAME:
        if (!ws->in_message) {
            oc_ws_fail(ws, OC_CLOSE_PROTOCOL, "unexpected continuation frame");
            return false;
        }
        break;
    default:
        oc_ws_fail(ws, OC_CLOSE_PROTOCOL, "unknown opcode");
        return false;
    }
    if (ws->message_len > ws->max_message_bytes ||
            f->payload_length > ws->max_message_bytes - ws->message_len) {
        oc_ws_fail(ws, OC_CLOSE_TOO_BIG, "message too big");
        return false;
    }
    if (keeps_data(ws)) {
        make_room(ws, (size_t)f->payload_length, f->fin);
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

static void add_data(struct oc_ws *ws, const struct wslay_frame_iocb *f) {
    if (!keeps_data(ws)) {
        return;
    }
    memcpy(ws->message + ws->message_len, f->data, f->data_length);
    ws->message_len += f->data_length;
    if (!check_utf8(ws, false)) {
        oc_ws_fail(ws, OC_CLOSE_NOT_UTF8, "message is not UTF-8");
    }
}

static void add_control(struct oc_ws *ws, const struct wslay_frame_iocb *f) {
    size_t room = sizeof(ws->control.data) - ws->control.len;
    size_t n = f->data_length < room ? f->data_length : room; /* wslay refused longer ones */
    memcpy(ws->control.data + ws->control.len, f->data, n);
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

static void end_frame(struct oc_ws *ws, const struct wslay_frame_iocb *f) {
    ws->reader_bytes -= header_size(f) + (size_t)f->payload_length;
    switch (f->opcode) {
    case WSLAY_CONNECTION_CLOSE:
        end_close(ws);
        break;
    case WSLAY_PING:
        owe_pong(ws);
        break;
    case WSLAY_PONG:
        break;
    default:
        if (f->fin) {
            end_message(ws);
        }
        break;
    }
}

/* One call of the reader gives a frame, or the next piece of a long one. */
static void on_piece(struct oc_ws *ws, const struct wslay_frame_iocb *f) {
    if (ws->frame_done == 0 && !start_frame(ws, f)) {
        return;
    }
    if (wslay_is_ctrl_frame(f->opcode)) {
        add_control(ws, f);
    } else {
        add_data(ws, f);
    }
    ws->frame_done += f->data_length;
    if (ws->frame_done == f->payload_length && !ws->is_discarding) {
        ws->frame_done = 0;
        if (ws->events.on_received) {
            ws->events.on_received(ws->user, OC_WS_FRAME_COST);
        }
        end_frame(ws, f);
    }
}

static bool may_receive(struct oc_ws *ws) {
    ws->is_held = ws->is_held || (ws->events.may_receive && !ws->events.may_receive(ws->user));
    return !ws->is_held;
}

/* What was read and has not had its turn. */
static void keep_input(struct oc_ws *ws) {
    if (ws->input.len > 0) {
        ws->early = OC_BUF_INIT(ws->input.len);
        oc_buf_append(&ws->early, ws->input.ptr, ws->input.len);
    }
}

static void feed(struct oc_ws *ws, const char *data, size_t len) {
    if (!ws->reader) {
        const struct wslay_frame_callbacks callbacks = { .recv_callback = on_more };
        if (wslay_frame_context_init(&ws->reader, &callbacks, ws) != 0) {
            abort(); /* out of memory */
        }
    }
    ws->input = (struct oc_slice){ .ptr = data, .len = len };
    ws->is_feeding = true;
    while (oc_ws_alive(ws) && !ws->is_discarding) {
        if (ws->frame_done == 0 && !may_receive(ws)) {
            keep_input(ws);
            break;
        }
        struct wslay_frame_iocb f = { 0 };
        ssize_t r = wslay_frame_recv(ws->reader, &f);
        if (r >= 0) {
            on_piece(ws, &f);
        } else if (r != WSLAY_ERR_WANT_READ) {
            oc_ws_fail(ws, OC_CLOSE_PROTOCOL, "malformed frame");
        } else if (ws->input.len == 0) {
            break;
        }
    }
    ws->is_feeding = false;
    ws->input = (struct oc_slice){ 0 };
    if (ws->is_discarding) {
        drop_message(ws);
    }
    if (ws->is_discarding || ws->reader_bytes == 0) {
        drop_reader(ws);
    }
    oc_ws_count_held(ws);
}

static void take_input(struct oc_ws *ws, const char *data, size_t len) {
    if (!ws->is_discarding) {
        feed(ws, data, len);
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
