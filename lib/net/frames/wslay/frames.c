/* Frames by wslay's frame layer: five of its functions. It refuses lengths that are not in their
 * shortest form and control frames that are long or in fragments; the rest of the rules is here. */
#include "lib/net/frames/frames.h"

#include "lib/base/mem.h"
#include "lib/net/loop/loop.h"
#include "lib/net/loop/scratch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <wslay/wslay.h>

#define CLOSE_PROTOCOL 1002

const size_t oc_frame_reader_memory = 4096;
const unsigned oc_frame_reader_descriptors = 0;

struct oc_frame_reader {
    struct wslay_frame_context *context;
    const struct oc_frame_sink *sink;
    void *user;
    struct oc_slice input; /* not yet taken by wslay */
    size_t kept_bytes;     /* taken by wslay, minus whole frames it gave */
    uint64_t frame_done;   /* bytes of the current frame's payload so far */
    bool is_client, is_feeding, is_doomed;
};

static ssize_t on_more(uint8_t *ret, size_t max, int flags, void *user) {
    (void)flags;
    struct oc_frame_reader *r = user;
    size_t n = r->input.len < max ? r->input.len : max;
    if (n == 0) {
        return -1;
    }
    memcpy(ret, r->input.ptr, n);
    r->input.ptr += n;
    r->input.len -= n;
    r->kept_bytes += n;
    return (ssize_t)n;
}

struct oc_frame_reader *oc_frame_reader_create(
        struct oc_loop *loop, bool is_client, const struct oc_frame_sink *sink, void *user) {
    (void)loop;
    const struct wslay_frame_callbacks callbacks = { .recv_callback = on_more };
    struct oc_frame_reader *r = oc_new(struct oc_frame_reader);
    r->sink = sink;
    r->user = user;
    r->is_client = is_client;
    if (wslay_frame_context_init(&r->context, &callbacks, r) != 0) {
        abort(); /* out of memory */
    }
    return r;
}

/* Size of the frame's header on the wire. */
static size_t header_size(const struct wslay_frame_iocb *f) {
    size_t length = f->payload_length < 126 ? 0 : f->payload_length < 65536 ? 2 : 8;
    return 2 + length + (f->mask ? 4u : 0u);
}

/* What is wrong with the frame that begins; NULL: nothing. */
static const char *frames_fault(const struct oc_frame_reader *r, const struct wslay_frame_iocb *f) {
    if (f->rsv != 0) {
        return "reserved bits are set";
    }
    if (f->mask == r->is_client) {
        return r->is_client ? "server frames must not be masked" : "client frames must be masked";
    }
    switch (f->opcode) {
    case WSLAY_CONTINUATION_FRAME:
    case WSLAY_TEXT_FRAME:
    case WSLAY_BINARY_FRAME:
    case WSLAY_CONNECTION_CLOSE:
    case WSLAY_PING:
    case WSLAY_PONG:
        return NULL;
    default:
        return "unknown opcode";
    }
}

/* One call of wslay gives a frame, or the next piece of a long one. False: that was the last. */
static bool give_piece(struct oc_frame_reader *r, const struct wslay_frame_iocb *f) {
    struct oc_frame_piece piece = { .opcode = (enum oc_frame_opcode)f->opcode,
        .is_final = f->fin,
        .is_first = r->frame_done == 0,
        .is_last = r->frame_done + f->data_length == f->payload_length,
        .frame_len = f->payload_length,
        .data = { .ptr = (const char *)f->data, .len = f->data_length } };
    const char *why = piece.is_first ? frames_fault(r, f) : NULL;
    if (why) {
        r->sink->on_malformed(r->user, CLOSE_PROTOCOL, why);
        return false;
    }
    r->frame_done = piece.is_last ? 0 : r->frame_done + f->data_length;
    r->kept_bytes -= piece.is_last ? header_size(f) + (size_t)f->payload_length : 0;
    return r->sink->on_piece(r->user, &piece) && !r->is_doomed;
}

static void read_frames(struct oc_frame_reader *r) {
    for (;;) {
        if (r->frame_done == 0 && !r->sink->may_take(r->user)) {
            return;
        }
        struct wslay_frame_iocb f = { 0 };
        ssize_t n = wslay_frame_recv(r->context, &f);
        if (n >= 0) {
            if (!give_piece(r, &f)) {
                return;
            }
        } else if (n != WSLAY_ERR_WANT_READ) {
            r->sink->on_malformed(r->user, CLOSE_PROTOCOL, "malformed frame");
            return;
        } else if (r->input.len == 0) {
            return;
        }
    }
}

size_t oc_frame_reader_feed(struct oc_frame_reader *r, struct oc_slice bytes) {
    r->input = bytes;
    r->is_feeding = true;
    read_frames(r);
    r->is_feeding = false;
    size_t taken = bytes.len - r->input.len;
    r->input = (struct oc_slice){ 0 };
    if (r->is_doomed) {
        oc_frame_reader_destroy(r);
    }
    return taken;
}

bool oc_frame_reader_is_empty(const struct oc_frame_reader *r) {
    return r->kept_bytes == 0;
}

void oc_frame_reader_destroy(struct oc_frame_reader *r) {
    if (!r) {
        return;
    }
    if (r->is_feeding) {
        r->is_doomed = true;
        return;
    }
    wslay_frame_context_free(r->context);
    oc_free(r);
}

/* One writer per role: wslay's does not forget that it once had to mask. */
struct writers {
    struct wslay_frame_context *of[2]; /* [is_client] */
};

static ssize_t on_send(const uint8_t *data, size_t len, int flags, void *user) {
    (void)flags;
    struct oc_scratch *s = user;
    assert(len <= OC_SCRATCH_OUT_BYTES - s->out_len);
    memcpy(s->out + s->out_len, data, len);
    s->out_len += len;
    return (ssize_t)len;
}

static int on_mask(uint8_t *ret, size_t len, void *user) {
    oc_scratch_random(user, ret, len);
    return 0;
}

static void free_writers(void *user) {
    struct writers *w = user;
    wslay_frame_context_free(w->of[0]);
    wslay_frame_context_free(w->of[1]);
    oc_free(w);
}

static struct wslay_frame_context *frames_writer(struct oc_scratch *s, bool is_client) {
    if (!s->frames) {
        s->frames = oc_new(struct writers);
        s->free_frames = free_writers;
    }
    struct wslay_frame_context **w = &((struct writers *)s->frames)->of[is_client];
    const struct wslay_frame_callbacks callbacks = { .send_callback = on_send,
        .genmask_callback = on_mask };
    if (!*w && wslay_frame_context_init(w, &callbacks, s) != 0) {
        abort(); /* out of memory */
    }
    return *w;
}

bool oc_frame_put(struct oc_loop *loop, bool is_client, enum oc_frame_opcode opcode, bool is_final,
        const void *payload, size_t len) {
    struct wslay_frame_iocb frame = { .fin = is_final,
        .opcode = (uint8_t)opcode,
        .mask = is_client,
        .payload_length = len,
        .data = payload,
        .data_length = len };
    ssize_t n = wslay_frame_send(
            frames_writer(oc_scratch_ready(oc_loop_scratch(loop)), is_client), &frame);
    assert(n == (ssize_t)len); /* on_send takes everything */
    (void)n;
    return true;
}
