/* Frames out: control frames first, then messages in fragments, the close frame last. */
#include "lib/base/mem.h"
#include "lib/net/loop/scratch.h"
#include "lib/net/ws/ws_private.h"

#include <string.h>
#include <sys/ioctl.h>

#define BEHIND_BYTES 16384 /* less may be on its way to a peer that is dead and does not read */

struct queued {
    struct oc_list link;
    struct oc_msg *msg;
    size_t weight;
    enum oc_frame_opcode opcode;
};

static void drop_first(struct oc_ws *ws) {
    struct queued *q = oc_list_first(&ws->queue, struct queued, link);
    oc_list_remove(&q->link);
    ws->queued_bytes -= q->weight;
    ws->charged_bytes -= oc_msg_is_charged(q->msg) ? q->weight : 0;
    ws->in_fragments = false;
    oc_msg_destroy(q->msg);
    oc_free(q);
}

void oc_ws_forget_queue(struct oc_ws *ws) {
    while (!oc_list_empty(&ws->queue)) {
        drop_first(ws);
    }
}

void oc_ws_forget_output(struct oc_ws *ws) {
    oc_ws_forget_queue(ws);
    oc_buf_finish(&ws->unsent);
    oc_buf_finish(&ws->pongs);
    ws->want_ping = false;
}

static enum oc_code ws_send_enqueue(
        struct oc_ws *ws, struct oc_msg *take_msg, enum oc_frame_opcode opcode) {
    size_t weight = oc_msg_weight(take_msg) + sizeof(struct queued);
    enum oc_code rc = OC_OK;
    if (!oc_ws_is_open(ws)) {
        rc = OC_E_CLOSED;
    } else if (weight > ws->max_queued_bytes || ws->queued_bytes > ws->max_queued_bytes - weight) {
        rc = OC_E_TOO_LARGE;
    }
    if (rc != OC_OK) {
        oc_msg_destroy(take_msg);
        return rc;
    }
    struct queued *q = oc_new(struct queued);
    q->msg = take_msg;
    q->weight = weight;
    q->opcode = opcode;
    oc_list_append(&ws->queue, &q->link);
    ws->queued_bytes += weight;
    ws->charged_bytes += oc_msg_is_charged(take_msg) ? weight : 0;
    oc_defer(ws->loop, &ws->kick); /* several sends of one round leave in one write */
    oc_ws_count_held(ws);
    return oc_ws_is_open(ws) ? OC_OK : OC_E_CLOSED; /* it may have been cut for holding too much */
}

enum oc_code oc_ws_send(struct oc_ws *ws, struct oc_msg *take_msg) {
    return ws_send_enqueue(ws, take_msg, OC_FRAME_TEXT);
}

enum oc_code oc_ws_send_binary(struct oc_ws *ws, struct oc_blob *blob) {
    return ws_send_enqueue(ws, oc_msg_from_blob(blob), OC_FRAME_BINARY);
}

enum oc_code oc_ws_send_blob(struct oc_ws *ws, struct oc_blob *blob) {
    return oc_ws_send(ws, oc_msg_from_blob(blob));
}

enum oc_code oc_ws_send_text(struct oc_ws *ws, const char *text, size_t len) {
    struct oc_msg *m = oc_msg_create();
    oc_msg_add_text(m, text, len);
    return oc_ws_send(ws, m);
}

size_t oc_ws_queued_bytes(const struct oc_ws *ws) {
    return ws->queued_bytes;
}

size_t oc_ws_waiting_bytes(const struct oc_ws *ws) {
    if (oc_list_empty(&ws->queue)) {
        return 0;
    }
    return ws->queued_bytes - oc_list_first(&ws->queue, struct queued, link)->weight;
}

/* What the kernel keeps for the peer is not taken yet. It may keep megabytes: bytes written alone
 * can stand still for minutes. */
bool oc_ws_is_taking(const struct oc_ws *ws, uint64_t *mark) {
    int kept = 0;
    if (!ws->stream || ioctl(ws->stream->fd, TIOCOUTQ, &kept) != 0) {
        kept = 0;
    }
    uint64_t taken = ws->written_bytes - (uint64_t)kept, before = *mark;
    *mark = taken;
    bool is_behind = kept >= BEHIND_BYTES || ws->unsent.len > 0;
    return is_behind && taken != before;
}

void oc_ws_ping(struct oc_ws *ws) {
    if (oc_ws_is_open(ws)) {
        ws->want_ping = true;
        oc_defer(ws->loop, &ws->kick);
    }
}

static void put_frame(struct oc_ws *ws, enum oc_frame_opcode opcode, bool is_final,
        const void *payload, size_t len) {
    if (!oc_frame_put(ws->loop, ws->is_client, opcode, is_final, payload, len)) {
        ws->is_write_broken = true;
    }
}

static void put_fragment(struct oc_ws *ws, struct oc_scratch *s) {
    struct queued *q = oc_list_first(&ws->queue, struct queued, link);
    size_t n = oc_msg_read(q->msg, s->fragment, OC_FRAGMENT_BYTES);
    bool is_last = oc_msg_at_end(q->msg);
    put_frame(ws, ws->in_fragments ? OC_FRAME_CONTINUATION : q->opcode, is_last, s->fragment, n);
    ws->in_fragments = true;
    if (is_last) {
        drop_first(ws);
    }
}

static bool has_output(const struct oc_ws *ws) {
    return !ws->close_sent && !ws->is_write_broken &&
           (ws->close_wanted || ws->pongs.len > 0 || ws->want_ping || !oc_list_empty(&ws->queue));
}

static void put_control(
        struct oc_ws *ws, enum oc_frame_opcode opcode, const struct oc_ws_control *body) {
    put_frame(ws, opcode, true, body->data, body->len);
}

static void put_pong(struct oc_ws *ws) {
    struct oc_ws_control body = { .len = (uint8_t)ws->pongs.data[0] };
    memcpy(body.data, ws->pongs.data + 1, body.len);
    put_control(ws, OC_FRAME_PONG, &body);
    oc_buf_consume(&ws->pongs, 1u + body.len);
    if (ws->pongs.len == 0) {
        oc_buf_finish(&ws->pongs);
    }
}

/* Adds the frame whose turn it is. */
static void put_next(struct oc_ws *ws, struct oc_scratch *s) {
    if (ws->close_wanted && (ws->close_now || (oc_list_empty(&ws->queue) && ws->pongs.len == 0))) {
        put_control(ws, OC_FRAME_CLOSE, &ws->close_body);
        ws->close_sent = true;
    } else if (ws->pongs.len > 0) {
        put_pong(ws);
    } else if (ws->want_ping) {
        put_control(ws, OC_FRAME_PING, &(struct oc_ws_control){ 0 });
        ws->want_ping = false;
    } else {
        put_fragment(ws, s);
    }
}

/* Returns how many of the bytes the stream took. */
static size_t write_some(struct oc_ws *ws, const char *data, size_t len) {
    size_t done = 0;
    while (done < len) {
        ssize_t n = oc_stream_write(ws->stream, data + done, len - done);
        if (n == OC_STREAM_AGAIN) {
            ws->is_blocked = true;
            break;
        }
        if (n <= 0) {
            ws->is_write_broken = true;
            break;
        }
        done += (size_t)n;
    }
    ws->written_bytes += done;
    return done;
}

void oc_ws_transmit(struct oc_ws *ws) {
    ws->is_blocked = false;
    if (ws->unsent.len > 0) {
        oc_buf_consume(&ws->unsent, write_some(ws, ws->unsent.data, ws->unsent.len));
        if (ws->is_write_broken || ws->is_blocked) {
            return;
        }
        oc_buf_finish(&ws->unsent);
    }
    struct oc_scratch *s = oc_scratch_ready(oc_loop_scratch(ws->loop));
    size_t round = 0;
    while (has_output(ws) && !ws->is_blocked) {
        if (round >= OC_WS_ROUND_BYTES) {
            ws->is_blocked = true; /* the others' turn; the descriptor says at once when to go on */
            return;
        }
        s->out_len = 0;
        while (has_output(ws) && s->out_len < OC_FRAGMENT_BYTES) {
            put_next(ws, s);
        }
        size_t done = write_some(ws, s->out, s->out_len);
        if (done < s->out_len && !ws->is_write_broken) {
            oc_buf_append(&ws->unsent, s->out + done, s->out_len - done);
        }
        round += done;
    }
}
