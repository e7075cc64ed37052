/* Frames by libwebsockets. A reader is a link (link.h) for each connection, as the library keeps
 * the state of frames and messages in one; it lives as long as its connection. Frames of ours are
 * made by one link per role for all connections of a loop. */
#include "lib/net/frames/frames.h"

#include "lib/base/mem.h"
#include "lib/net/frames/lws/link.h"
#include "lib/net/loop/scratch.h"

#include <assert.h>
#include <string.h>

#define CLOSE_PROTOCOL 1002
#define MAX_CONTROL 125
#define CONTROL_FRAME_BYTES (2 + 4 + MAX_CONTROL)

const size_t oc_frame_reader_memory =
        2 * (size_t)OC_LWS_STEP_BYTES; /* its buffer, and what it keeps for later */
const unsigned oc_frame_reader_descriptors = 2;

struct oc_frame_reader {
    struct oc_lws_link link;
    const struct oc_frame_sink *sink;
    void *user;
    uint64_t frame_left; /* bytes of the current frame's payload that are still to come */
    uint8_t tail[CONTROL_FRAME_BYTES]; /* what came last: see restore_code */
    size_t tail_len;
    size_t ping_left; /* of what may be a ping: see next_step */
    bool is_waiting;  /* the library keeps what follows */
    bool is_over;     /* nothing more is wanted, or wrong is known already */
    bool is_feeding, is_doomed, is_ping_begun;
};

static bool give_piece(struct oc_frame_reader *r, const struct oc_frame_piece *piece) {
    r->is_over = !r->sink->on_piece(r->user, piece) || r->is_doomed;
    return !r->is_over;
}

static bool give_control(
        struct oc_frame_reader *r, enum oc_frame_opcode opcode, struct oc_slice data) {
    return give_piece(r, &(struct oc_frame_piece){ .opcode = opcode,
                                 .is_final = true,
                                 .is_first = true,
                                 .is_last = true,
                                 .frame_len = data.len,
                                 .data = data });
}

static bool report_malformed(struct oc_frame_reader *r, uint16_t code) {
    r->is_over = true;
    r->sink->on_malformed(r->user, code, "malformed frame");
    return false;
}

static bool give_data(struct oc_frame_reader *r, struct oc_slice data) {
    struct lws *wsi = r->link.wsi;
    enum oc_frame_opcode first = lws_frame_is_binary(wsi) ? OC_FRAME_BINARY : OC_FRAME_TEXT;
    uint64_t left = lws_remaining_packet_payload(wsi);
    bool is_first = r->frame_left == 0;
    if (is_first ? left > UINT64_MAX - data.len : left + data.len != r->frame_left) {
        return report_malformed(r, CLOSE_PROTOCOL);
    }
    struct oc_frame_piece piece = {
        .opcode = lws_is_first_fragment(wsi) ? first : OC_FRAME_CONTINUATION,
        .is_first = is_first,
        .is_last = left == 0,
        .is_final = lws_is_final_fragment(wsi),
        .frame_len = data.len + left,
        .data = data,
    };
    r->frame_left = left;
    if (!give_piece(r, &piece)) {
        return false;
    }
    if (piece.is_last && !r->sink->may_take(r->user)) {
        r->is_waiting = true;
        lws_rx_flow_control(wsi, 0);
    }
    return true;
}

static void remember_bytes(struct oc_frame_reader *r, const char *data, size_t len) {
    size_t fresh = len < sizeof(r->tail) ? len : sizeof(r->tail);
    size_t room = sizeof(r->tail) - fresh;
    size_t old = r->tail_len < room ? r->tail_len : room;
    memmove(r->tail, r->tail + (r->tail_len - old), old);
    memcpy(r->tail + old, data + (len - fresh), fresh);
    r->tail_len = old + fresh;
}

/* The library shows every code that it does not know as 1002, also "service restart" and "try again
 * later". What the peer said is in the bytes that came last, unless it went on sending. */
static void restore_code(const struct oc_frame_reader *r, uint8_t *body, size_t len) {
    for (size_t head = 2; head <= 6; head += 4) { /* without and with a mask */
        if (r->tail_len < head + len) {
            return;
        }
        const uint8_t *frame = r->tail + (r->tail_len - head - len);
        const uint8_t no_mask[4] = { 0 }, *mask = head == 2 ? no_mask : frame + 2;
        bool is_it =
                frame[0] == (0x80 | OC_FRAME_CLOSE) && frame[1] == ((head == 2 ? 0 : 0x80) | len);
        for (size_t i = 2; i < len; i++) {
            is_it = is_it && (frame[head + i] ^ mask[i % 4]) == body[i];
        }
        if (is_it) {
            body[0] = frame[head] ^ mask[0];
            body[1] = frame[head + 1] ^ mask[1];
            return;
        }
    }
}

static void give_close(struct oc_frame_reader *r, struct oc_slice data) {
    uint8_t body[MAX_CONTROL];
    size_t len = data.len < sizeof(body) ? data.len : sizeof(body);
    memcpy(body, data.ptr, len);
    if (len >= 2 && (body[0] << 8 | body[1]) == CLOSE_PROTOCOL) {
        restore_code(r, body, len);
    }
    (void)give_control(
            r, OC_FRAME_CLOSE, (struct oc_slice){ .ptr = (const char *)body, .len = len });
    r->is_over = true;
}

/* The library's callback. */
static int on_event(
        struct oc_lws_link *link, enum lws_callback_reasons reason, const void *data, size_t len) {
    struct oc_frame_reader *r = OC_CONTAINER(link, struct oc_frame_reader, link);
    struct oc_slice bytes = { .ptr = data, .len = len };
    if (r->is_over) {
        return -1;
    }
    if (reason == LWS_CALLBACK_WS_PEER_INITIATED_CLOSE) {
        give_close(r, bytes);
        return -1;
    }
    return give_data(r, bytes) ? 0 : -1;
}

struct oc_frame_reader *oc_frame_reader_create(
        struct oc_loop *loop, bool is_client, const struct oc_frame_sink *sink, void *user) {
    struct oc_frame_reader *r = oc_new(struct oc_frame_reader);
    r->sink = sink;
    r->user = user;
    if (!oc_lws_link_open(loop, &r->link, is_client)) {
        oc_free(r);
        return NULL;
    }
    r->link.on_event = on_event;
    return r;
}

/* What the library wants to tell the peer by itself: a pong shows a ping, a close frame what it
 * found wrong. It writes each at once. */
static void take_answer(struct oc_frame_reader *r, uint8_t *frame, size_t len) {
    bool is_masked = len >= 2 && frame[1] >> 7;
    size_t head = is_masked ? 6 : 2;
    if (len < head || (size_t)(frame[1] & 0x7f) != len - head) {
        (void)report_malformed(r, CLOSE_PROTOCOL);
        return;
    }
    uint8_t *body = frame + head;
    size_t body_len = len - head;
    for (size_t i = 0; is_masked && i < body_len; i++) {
        body[i] ^= frame[2 + i % 4];
    }
    if ((frame[0] & 0xf) == OC_FRAME_PONG) {
        (void)give_control(
                r, OC_FRAME_PING, (struct oc_slice){ .ptr = (const char *)body, .len = body_len });
        return;
    }
    (void)report_malformed(r, body_len >= 2 ? (uint16_t)(body[0] << 8 | body[1]) : CLOSE_PROTOCOL);
}

static void let_library_work(struct oc_frame_reader *r) {
    uint8_t answer[CONTROL_FRAME_BYTES];
    oc_lws_link_work(&r->link);
    size_t n = r->is_over ? 0 : oc_lws_link_read(&r->link, answer, sizeof(answer));
    if (n > 0) {
        take_answer(r, answer, n);
    }
    if (!r->link.wsi && !r->is_over) {
        (void)report_malformed(r, CLOSE_PROTOCOL);
    }
}

static bool may_go_on(struct oc_frame_reader *r) {
    if (r->is_over || r->is_doomed) {
        return false;
    }
    if (r->is_waiting) {
        if (!r->sink->may_take(r->user)) {
            return false;
        }
        r->is_waiting = false;
        lws_rx_flow_control(r->link.wsi, 1);
        let_library_work(r); /* on what it has kept */
        return !r->is_over && !r->is_waiting;
    }
    return r->frame_left > 0 || r->sink->may_take(r->user);
}

/* How much to put in next. Of several pings in one go the library answers the first, and none if a
 * close or something forbidden follows: whatever may be a ping gets a step of its own. */
static size_t next_step(struct oc_frame_reader *r, const char *data, size_t len) {
    const uint8_t ping = 0x80 | OC_FRAME_PING;
    size_t n = len < OC_LWS_STEP_BYTES ? len : OC_LWS_STEP_BYTES;
    if (r->frame_left > 0) {
        return n < r->frame_left ? n : (size_t)r->frame_left;
    }
    if (r->ping_left == 0 && r->is_ping_begun) {
        uint8_t length = (uint8_t)data[0];
        r->ping_left = 1u + (length & 0x80 ? 4u : 0u) + (length & 0x7fu);
        r->is_ping_begun = false;
    }
    if (r->ping_left > 0) {
        n = n < r->ping_left ? n : r->ping_left;
        r->ping_left -= n;
        return n;
    }
    if ((uint8_t)data[0] == ping) {
        r->is_ping_begun = true;
        return 1;
    }
    const char *next = memchr(data, ping, n);
    return next ? (size_t)(next - data) : n;
}

size_t oc_frame_reader_feed(struct oc_frame_reader *r, struct oc_slice bytes) {
    size_t taken = 0;
    r->is_feeding = true;
    while (may_go_on(r) && taken < bytes.len) {
        const char *data = bytes.ptr + taken;
        size_t n = next_step(r, data, bytes.len - taken);
        remember_bytes(r, data, n);
        taken += n;
        if (oc_lws_link_send(&r->link, data, n)) {
            let_library_work(r);
        } else {
            (void)report_malformed(r, CLOSE_PROTOCOL);
        }
    }
    r->is_feeding = false;
    if (r->is_doomed) {
        oc_frame_reader_destroy(r);
    }
    return taken;
}

bool oc_frame_reader_is_empty(const struct oc_frame_reader *r) {
    (void)r;
    return false; /* the library does not tell */
}

void oc_frame_reader_destroy(struct oc_frame_reader *r) {
    if (!r) {
        return;
    }
    if (r->is_feeding) {
        r->is_doomed = true;
        return;
    }
    oc_lws_link_close(&r->link);
    oc_free(r);
}

static enum lws_write_protocol how_to_write(enum oc_frame_opcode opcode, bool is_final) {
    static const enum lws_write_protocol kinds[] = {
        [OC_FRAME_CONTINUATION] = LWS_WRITE_CONTINUATION,
        [OC_FRAME_TEXT] = LWS_WRITE_TEXT,
        [OC_FRAME_BINARY] = LWS_WRITE_BINARY,
        [OC_FRAME_PING] = LWS_WRITE_PING,
        [OC_FRAME_PONG] = LWS_WRITE_PONG,
    };
    return kinds[opcode] | (is_final ? 0 : LWS_WRITE_NO_FIN);
}

/* By hand: the library has no call for it. It sends one when it closes a connection of its own, and
 * never without a code. */
static void put_close(struct oc_scratch *s, bool is_client, const uint8_t *body, size_t len) {
    uint8_t mask[4] = { 0 };
    uint8_t frame[CONTROL_FRAME_BYTES] = { 0x80 | OC_FRAME_CLOSE,
        (uint8_t)((is_client ? 0x80 : 0) | len) };
    size_t used = 2;
    if (is_client) {
        oc_scratch_random(s, mask, sizeof(mask));
        memcpy(frame + used, mask, sizeof(mask));
        used += sizeof(mask);
    }
    for (size_t i = 0; i < len; i++) {
        frame[used++] = body[i] ^ mask[i % 4];
    }
    assert(used <= OC_SCRATCH_OUT_BYTES - s->out_len);
    memcpy(s->out + s->out_len, frame, used);
    s->out_len += used;
}

static size_t frame_size(bool is_client, size_t len) {
    return 2 + (len < 126 ? 0u : len < 65536 ? 2u : 8u) + (is_client ? 4u : 0u) + len;
}

/* Takes exactly one frame of this size out of the link. */
static bool take_frame(struct oc_lws_link *writer, struct oc_scratch *s, size_t size) {
    size_t start = s->out_len, end = start + size;
    assert(end <= OC_SCRATCH_OUT_BYTES);
    while (s->out_len < end) {
        size_t n = oc_lws_link_read(writer, s->out + s->out_len, end - s->out_len);
        if (n == 0) {
            oc_lws_link_work(writer); /* the socket may have been too small for all of it */
            n = oc_lws_link_read(writer, s->out + s->out_len, end - s->out_len);
        }
        if (n == 0) {
            s->out_len = start;
            return false;
        }
        s->out_len += n;
    }
    return true;
}

bool oc_frame_put(struct oc_loop *loop, bool is_client, enum oc_frame_opcode opcode, bool is_final,
        const void *payload, size_t len) {
    struct oc_scratch *s = oc_scratch_ready(oc_loop_scratch(loop));
    if (opcode == OC_FRAME_CLOSE) {
        put_close(s, is_client, payload, len);
        return true;
    }
    struct oc_lws_link *writer = &oc_lws_writers(loop)[is_client];
    if (!writer->wsi && !oc_lws_link_open(loop, writer, is_client)) {
        return false;
    }
    /* It writes the head before the payload, and masks in place. */
    unsigned char *room = oc_alloc(LWS_PRE + len);
    memcpy(room + LWS_PRE, payload, len);
    int written = lws_write(writer->wsi, room + LWS_PRE, len, how_to_write(opcode, is_final));
    oc_free(room);
    if (written >= 0 && take_frame(writer, s, frame_size(is_client, len))) {
        return true;
    }
    oc_lws_link_close(
            writer); /* what is left in it must not come before another connection's frame */
    return false;
}
