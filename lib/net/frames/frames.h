/* The frame layer of a WebSocket (RFC 6455 §5): takes the peer's bytes apart into frames and makes
 * frames of ours. It is what OC_WEBSOCKETS chooses when building: wslay/frames.c or lws/frames.c.
 * Heads, TLS, sockets, queues, budgets and closing are the same with both, in the files around it.
 *
 * What a reader gives out is well-formed: known opcodes, no reserved bits, control frames whole and
 * at most 125 bytes long. What a library cannot refuse is listed in tests/laxity.txt. */
#ifndef LIB_NET_FRAMES_FRAMES_H
#define LIB_NET_FRAMES_FRAMES_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum oc_frame_opcode {
    OC_FRAME_CONTINUATION = 0,
    OC_FRAME_TEXT = 1,
    OC_FRAME_BINARY = 2,
    OC_FRAME_CLOSE = 8,
    OC_FRAME_PING = 9,
    OC_FRAME_PONG = 10,
};

static inline bool oc_frame_is_control(enum oc_frame_opcode opcode) {
    return opcode >= OC_FRAME_CLOSE;
}

struct oc_loop;
struct oc_scratch;

/* Some of a frame, in the order of the wire. */
struct oc_frame_piece {
    enum oc_frame_opcode opcode;
    bool is_final; /* the frame ends its message */
    bool is_first; /* of the frame's pieces */
    bool is_last;
    uint64_t frame_len; /* of the payload of the whole frame */
    struct oc_slice data;
};

struct oc_frame_sink {
    /* Asked before each frame, or at least before each message: false keeps what follows for the
     * next feed. */
    bool (*may_take)(void *user);
    /* False: nothing more is wanted of this reader. */
    bool (*on_piece)(void *user, const struct oc_frame_piece *piece);
    /* The peer broke the rules of frames: a close code and a text for it. Nothing follows. */
    void (*on_malformed)(void *user, uint16_t code, const char *why);
};

struct oc_frame_reader;

/* NULL: there is no descriptor for it (a library may need some). */
struct oc_frame_reader *oc_frame_reader_create(
        struct oc_loop *loop, bool is_client, const struct oc_frame_sink *sink, void *user);
/* Returns how many of the bytes were taken: all, unless the sink wants no more now or ever. With
 * none it looks at what it has kept. Destroying the reader from inside the sink is fine. */
size_t oc_frame_reader_feed(struct oc_frame_reader *r, struct oc_slice bytes);
/* It has nothing: another one can go on from here. */
bool oc_frame_reader_is_empty(const struct oc_frame_reader *r);
void oc_frame_reader_destroy(struct oc_frame_reader *r);
/* What a reader keeps in memory, for budgets, and in descriptors. */
extern const size_t oc_frame_reader_memory;
extern const unsigned oc_frame_reader_descriptors;

/* Adds one whole frame to out of the loop's scratch, masked for a client. There must be room
 * (OC_SCRATCH_OUT_BYTES). False: there is no descriptor for it. */
bool oc_frame_put(struct oc_loop *loop, bool is_client, enum oc_frame_opcode opcode, bool is_final,
        const void *payload, size_t len);

#endif
