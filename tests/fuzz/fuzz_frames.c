/* A peer's bytes into the frame layer. The first byte picks the role, the second how the rest is
 * cut. What comes out must not depend on the cuts, nor on when the reader may go on, and must be
 * what a plain reading of RFC 6455 §5 gives. */
#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/net/frames/frames.h"
#include "lib/net/loop/loop.h"
#include "lib/net/loop/scratch.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define MAX_INPUT 6000 /* more than a library reads in one go */

/* What a reader gave: each whole frame as its first byte, its length and its payload. */
struct seen {
    struct oc_buf frames;
    size_t whole_len; /* of frames, without the one that is not over */
    uint64_t left;    /* of that one */
    unsigned refuses; /* every so many questions: not now */
    unsigned asked;
    bool is_malformed;
    bool renews; /* takes another reader whenever it can */
};

static void put_head(struct oc_buf *out, uint8_t first, uint64_t len) {
    oc_buf_putc(out, (char)first);
    oc_buf_append(out, &len, sizeof(len));
}

static bool may_take(void *user) {
    struct seen *s = user;
    CHECK(!s->is_malformed);
    return s->refuses == 0 || s->asked++ % s->refuses != 0;
}

static bool on_piece(void *user, const struct oc_frame_piece *p) {
    struct seen *s = user;
    CHECK(!s->is_malformed && p->is_first == (s->left == 0));
    if (p->is_first) {
        CHECK(p->opcode <= OC_FRAME_BINARY ||
                (p->opcode >= OC_FRAME_CLOSE && p->opcode <= OC_FRAME_PONG));
        CHECK(!oc_frame_is_control(p->opcode) || (p->is_final && p->frame_len <= 125));
        put_head(&s->frames, (uint8_t)((p->is_final ? 0x80 : 0) | p->opcode), p->frame_len);
        s->left = p->frame_len;
    }
    CHECK(p->data.len <= s->left && p->is_last == (p->data.len == s->left));
    s->left -= p->data.len;
    oc_buf_append(&s->frames, p->data.ptr, p->data.len);
    if (p->is_last) {
        s->whole_len = s->frames.len;
    }
    return true;
}

static void on_malformed(void *user, uint16_t code, const char *why) {
    struct seen *s = user;
    CHECK(!s->is_malformed && code == 1002 && why && *why);
    s->is_malformed = true;
}

static const struct oc_frame_sink sink = {
    .may_take = may_take, .on_piece = on_piece, .on_malformed = on_malformed
};

static void read_all(struct oc_loop *loop, bool is_client, const char *data, size_t len,
        size_t piece, struct seen *s) {
    struct oc_frame_reader *r = oc_frame_reader_create(loop, is_client, &sink, s);
    CHECK(r);
    s->frames = OC_BUF_INIT(64 * MAX_INPUT);
    for (size_t at = 0; at < len && !s->is_malformed;) {
        size_t n = len - at < piece ? len - at : piece;
        size_t taken = oc_frame_reader_feed(r, (struct oc_slice){ .ptr = data + at, .len = n });
        CHECK(taken <= n);
        at += taken;
        if (s->renews && !s->is_malformed && oc_frame_reader_is_empty(r)) {
            oc_frame_reader_destroy(r); /* another one can go on */
            r = oc_frame_reader_create(loop, is_client, &sink, s);
            CHECK(r);
        }
    }
    for (unsigned i = 0; i < 2 * MAX_INPUT && s->refuses > 0 && !s->is_malformed; i++) {
        size_t had = s->frames.len;
        unsigned asked = s->asked;
        CHECK(oc_frame_reader_feed(r, (struct oc_slice){ 0 }) == 0);
        if (s->frames.len == had && (asked % s->refuses != 0 || s->left > 0)) {
            break; /* it was allowed to, and has nothing */
        }
    }
    oc_frame_reader_destroy(r);
}

/* The whole frames up to the first that is wrong or not over. True: one is wrong, and so much of it
 * is here that it must be seen. */
static bool read_plainly(bool is_client, const uint8_t *p, size_t left, struct oc_buf *out) {
    while (left >= 2) {
        unsigned opcode = p[0] & 0xf, more = (p[1] & 0x7f) == 126   ? 2
                                             : (p[1] & 0x7f) == 127 ? 8
                                                                    : 0;
        bool is_masked = p[1] >> 7, is_control = opcode >= 8;
        size_t head = 2 + more + (is_masked ? 4 : 0);
        if (left < head) {
            return false;
        }
        uint64_t len = more ? 0 : p[1] & 0x7f;
        for (unsigned i = 0; i < more; i++) {
            len = len << 8 | p[2 + i];
        }
        bool is_shortest = more == 0 || (more == 2 ? len >= 126 : len >= 65536 && len >> 63 == 0);
        bool is_known = opcode <= 2 || (opcode >= 8 && opcode <= 10);
        if ((p[0] & 0x70) || is_masked == is_client || !is_shortest || !is_known ||
                (is_control && (!(p[0] & 0x80) || len > 125))) {
            return len == 0 || left > head;
        }
        if (left - head < len) {
            return false;
        }
        put_head(out, (uint8_t)(p[0] & 0x8f), len);
        for (size_t i = 0; i < len; i++) {
            oc_buf_putc(out, (char)(p[head + i] ^ (is_masked ? p[head - 4 + i % 4] : 0)));
        }
        p += head + len;
        left -= head + len;
    }
    return false;
}

/* What was read, made again by the other side and read again. */
static void check_round_trip(struct oc_loop *loop, bool is_client, const struct seen *s) {
    struct oc_scratch *scratch = oc_scratch_ready(oc_loop_scratch(loop));
    OC_AUTO_BUF struct oc_buf wire = OC_BUF_INIT(64 * MAX_INPUT);
    for (size_t at = 0; at < s->whole_len;) {
        uint8_t first = (uint8_t)s->frames.data[at];
        uint64_t len;
        memcpy(&len, s->frames.data + at + 1, sizeof(len));
        at += 1 + sizeof(len);
        scratch->out_len = 0;
        CHECK(oc_frame_put(loop, !is_client, (enum oc_frame_opcode)(first & 0xf), first >> 7,
                s->frames.data + at, (size_t)len));
        oc_buf_append(&wire, scratch->out, scratch->out_len);
        at += (size_t)len;
    }
    struct seen again = { 0 };
    read_all(loop, is_client, wire.data, wire.len, wire.len, &again);
    CHECK(again.whole_len == s->whole_len && again.frames.len == s->whole_len &&
            (s->whole_len == 0 || memcmp(again.frames.data, s->frames.data, s->whole_len) == 0));
    oc_buf_finish(&again.frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct oc_loop *loop;
    if (!loop) {
        CHECK(oc_loop_create(&oc_clock_system, &loop, NULL) == OC_OK);
    }
    if (size < 3 || size > MAX_INPUT) {
        return 0;
    }
    bool is_client = data[0] & 1;
    const char *bytes = (const char *)data + 2;
    size_t len = size - 2;
    struct seen whole = { 0 };
    struct seen cut = { .refuses = data[0] & 2 ? 2 + (data[0] >> 2) % 4 : 0,
        .renews = data[0] & 0x80 };
    read_all(loop, is_client, bytes, len, len, &whole);
    read_all(loop, is_client, bytes, len, data[1] ? data[1] : 1, &cut);
    CHECK(cut.is_malformed == whole.is_malformed && cut.whole_len == whole.whole_len &&
            (whole.whole_len == 0 ||
                    memcmp(cut.frames.data, whole.frames.data, whole.whole_len) == 0));

    OC_AUTO_BUF struct oc_buf plain = OC_BUF_INIT(64 * MAX_INPUT);
    bool must_fail = read_plainly(is_client, data + 2, len, &plain);
    CHECK(!must_fail || whole.is_malformed);
    CHECK(plain.len == whole.whole_len &&
            (plain.len == 0 || memcmp(plain.data, whole.frames.data, plain.len) == 0));
    check_round_trip(loop, is_client, &whole);
    oc_buf_finish(&whole.frames);
    oc_buf_finish(&cut.frames);
    return 0;
}
