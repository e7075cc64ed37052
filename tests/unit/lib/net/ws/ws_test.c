/* A WebSocket of ours on one end of a socket pair, raw bytes on the other; then two of ours facing
 * each other. */
#include "tests/unit/lib/net/net_testing.h"

#include "lib/net/loop/scratch.h"
#include "lib/net/ws/ws.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MAX_MESSAGE 100000
#define TWO_MB 2097152
#define TWENTY_MB 20971520

enum { FIN = 0x80, CONT = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct oc_ws *ws;
    int far;
    bool is_client;
    /* what came */
    struct oc_buf messages; /* each followed by '|' */
    int message_count, activity_count;
    int closed_count;
    uint16_t code;
    char reason[130];
    /* what a callback does */
    void (*on_message)(struct fixture *f);
    bool destroy_on_close, destroy_on_activity;
};

static void on_message(void *user, struct oc_blob *text) {
    struct fixture *f = user;
    f->message_count++;
    assert_int_equal(text->data[text->len], '\0');
    oc_buf_append(&f->messages, text->data, text->len);
    oc_buf_putc(&f->messages, '|');
    if (f->on_message) {
        f->on_message(f);
    }
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    struct fixture *f = user;
    f->closed_count++;
    f->code = code;
    assert_true(strlen(reason) < sizeof(f->reason));
    memcpy(f->reason, reason, strlen(reason) + 1);
    if (f->destroy_on_close) {
        oc_ws_destroy(oc_take(&f->ws));
    }
}

static void on_activity(void *user) {
    struct fixture *f = user;
    f->activity_count++;
    if (f->destroy_on_activity) {
        oc_ws_destroy(oc_take(&f->ws));
    }
}

static const struct oc_ws_events events = {
    .on_message = on_message, .on_closed = on_closed, .on_activity = on_activity
};

static void open_ws(struct fixture *f, bool is_client, struct oc_slice early) {
    int fds[2];
    make_pair(fds);
    f->far = fds[1];
    f->is_client = is_client;
    const struct oc_ws_opts opts = {
        .is_client = is_client, .max_message_bytes = MAX_MESSAGE, .max_queued_bytes = 1000000
    };
    f->ws = oc_ws_create(f->loop, oc_stream_plain(fds[0]), &opts, &events, f, early);
}

static void close_ws(struct fixture *f) {
    oc_ws_destroy(oc_take(&f->ws));
    if (f->far >= 0) {
        close(oc_take_fd(&f->far));
    }
    oc_buf_clear(&f->messages);
    f->message_count = f->activity_count = f->closed_count = f->code = 0;
    f->reason[0] = '\0';
}

static int set_up(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 0);
    f->loop = make_loop(&f->clock.clock);
    f->messages = OC_BUF_INIT(64u << 20);
    open_ws(f, false, (struct oc_slice){ 0 });
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    close_ws(f);
    oc_loop_destroy(f->loop);
    oc_buf_finish(&f->messages);
    oc_free(f);
    return 0;
}

static void again(struct fixture *f, bool is_client) {
    close_ws(f);
    open_ws(f, is_client, (struct oc_slice){ 0 });
}

/* Frames of the far side. */

static void put_header(struct oc_buf *out, unsigned first, bool is_masked, uint64_t len) {
    unsigned mask = is_masked ? 0x80 : 0;
    oc_buf_putc(out, (char)first);
    if (len < 126) {
        oc_buf_putc(out, (char)(mask | len));
    } else if (len < 65536) {
        oc_buf_putc(out, (char)(mask | 126));
        oc_buf_putc(out, (char)(len >> 8));
        oc_buf_putc(out, (char)(len & 0xff));
    } else {
        oc_buf_putc(out, (char)(mask | 127));
        for (int shift = 56; shift >= 0; shift -= 8) {
            oc_buf_putc(out, (char)(len >> shift & 0xff));
        }
    }
    if (is_masked) {
        oc_buf_append(out, "\x11\x22\x33\x44", 4);
    }
}

static void put_frame(
        struct oc_buf *out, unsigned first, bool is_masked, const char *data, size_t len) {
    put_header(out, first, is_masked, len);
    char *to = oc_buf_reserve(out, len);
    for (size_t i = 0; i < len; i++) {
        to[i] = (char)(data[i] ^ (is_masked ? "\x11\x22\x33\x44"[i % 4] : 0));
    }
    out->len += len;
}

static void far_send(struct fixture *f, unsigned first, const char *data, size_t len) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(32u << 20);
    put_frame(&out, first, !f->is_client, data, len);
    write_all(f->loop, f->far, out.data, out.len);
}

static void far_text(struct fixture *f, unsigned first, const char *text) {
    far_send(f, first, text, strlen(text));
}

/* One frame that came to the far side. */
struct frame {
    unsigned first;
    bool is_masked;
    char *data; /* NUL-terminated */
    size_t len, used;
};

static bool parse_frame(const struct oc_buf *in, size_t at, struct frame *ret) {
    const uint8_t *p = (const uint8_t *)in->data + at;
    size_t left = in->len - at;
    if (left < 2) {
        return false;
    }
    size_t len = p[1] & 0x7f, used = 2;
    size_t more = len == 126 ? 2 : len == 127 ? 8 : 0;
    if (more) {
        len = 0;
        for (size_t i = 0; i < more; i++) {
            len = len << 8 | p[used++];
        }
    }
    ret->is_masked = p[1] >> 7;
    const uint8_t *mask = p + used;
    used += ret->is_masked ? 4 : 0;
    if (left < used + len) {
        return false;
    }
    ret->first = p[0];
    ret->len = len;
    ret->used = used + len;
    ret->data = oc_alloc(len + 1);
    for (size_t i = 0; i < len; i++) {
        ret->data[i] = (char)(p[used + i] ^ (ret->is_masked ? mask[i % 4] : 0));
    }
    return true;
}

/* Reads until the far side has all that is coming now, and expects exactly one frame of this kind.
 */
static void expect_frame(struct fixture *f, unsigned first, const char *data, size_t len) {
    OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1u << 20);
    struct frame got = { 0 };
    step_some(f->loop);
    drain_fd(f->far, &in);
    assert_true(in.len > 0 && parse_frame(&in, 0, &got));
    assert_int_equal(got.first, first);
    assert_int_equal(got.is_masked, f->is_client);
    assert_int_equal(got.len, len);
    assert_memory_equal(got.data, data, len);
    assert_int_equal(got.used, in.len);
    oc_free(got.data);
}

static void expect_close_frame(struct fixture *f, uint16_t code) {
    OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1u << 20);
    struct frame got = { 0 };
    step_some(f->loop);
    drain_fd(f->far, &in);
    if (in.len == 0 || !parse_frame(&in, 0, &got) || got.len < 2) {
        fail_msg("no close frame with a code");
        return;
    }
    assert_int_equal(got.first, FIN | CLOSE);
    assert_int_equal((uint8_t)got.data[0] << 8 | (uint8_t)got.data[1], code);
    oc_free(got.data);
}

/* The peer did something forbidden: it is told, and we hear the same code. */
static void expect_failed(struct fixture *f, uint16_t code) {
    expect_close_frame(f, code);
    assert_int_equal(f->closed_count, 0); /* waits for the peer to hang up */
    assert_false(oc_ws_is_open(f->ws));
    OC_AUTO_BUF struct oc_buf rest = OC_BUF_INIT(100);
    assert_true(drain_fd(f->far, &rest)); /* but nothing more will come from us */
    assert_int_equal(rest.len, 0);
    close(oc_take_fd(&f->far));
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);
    assert_int_equal(f->code, code);
}

/* Receiving. */

static void test_messages_of_all_sizes(void **state) {
    struct fixture *f = *state;
    static const size_t sizes[] = { 0, 1, 125, 126, 127, 4095, 4096, 4097, 65535, 65536,
        MAX_MESSAGE };
    char *text = oc_alloc(MAX_MESSAGE + 1);
    memset(text, 'x', MAX_MESSAGE);
    for (int side = 0; side < 2; side++) {
        again(f, side == 1);
        for (size_t i = 0; i < OC_COUNT(sizes); i++) {
            oc_buf_clear(&f->messages);
            far_send(f, FIN | (i % 2 ? TEXT : BINARY), text, sizes[i]);
            int count = (int)i + 1;
            STEP_UNTIL(f->loop, f->message_count == count);
            assert_int_equal(f->messages.len, sizes[i] + 1);
        }
        assert_true(f->activity_count > 0);
    }
    oc_free(text);
}

static void test_fragments_with_control_frames_between(void **state) {
    struct fixture *f = *state;
    far_text(f, TEXT, "one ");
    far_text(f, FIN | PING, "p1");
    expect_frame(f, FIN | PONG, "p1", 2);
    far_text(f, CONT, "");
    far_text(f, CONT, "two ");
    far_text(f, FIN | PONG, "unasked");
    far_text(f, FIN | CONT, "three");
    far_text(f, FIN | TEXT, "next");
    step_some(f->loop);
    assert_string_equal(f->messages.data, "one two three|next|");
}

static void put_conversation(struct oc_buf *out) {
    put_frame(out, TEXT, true, "gr\xc3", 3);
    put_frame(out, FIN | PING, true, "ping!", 5);
    put_frame(out, CONT, true, "\xbc\xf0\x9f", 3);
    put_frame(out, FIN | CONT, true, "\xa6\x80", 2);
    char long_text[300];
    memset(long_text, 'y', sizeof(long_text));
    put_frame(out, FIN | TEXT, true, long_text, sizeof(long_text));
    put_frame(out, FIN | BINARY, true, "", 0);
    put_frame(out, FIN | CLOSE, true,
            "\x03\xe8"
            "bye",
            5);
}

static void test_any_cut_of_the_bytes(void **state) {
    struct fixture *f = *state;
    OC_AUTO_BUF struct oc_buf bytes = OC_BUF_INIT(1000);
    put_conversation(&bytes);
    for (size_t piece = 1; piece < bytes.len; piece += piece < 16 ? 1 : 37) {
        again(f, false);
        for (size_t at = 0; at < bytes.len; at += piece) {
            size_t n = bytes.len - at < piece ? bytes.len - at : piece;
            assert_int_equal(send(f->far, bytes.data + at, n, MSG_NOSIGNAL), (ssize_t)n);
            oc_loop_step(f->loop, 0);
            oc_loop_step(f->loop, 0);
        }
        step_some(f->loop);
        assert_int_equal(f->message_count, 3);
        assert_memory_equal(f->messages.data, "gr\xc3\xbc\xf0\x9f\xa6\x80|yyy", 12);
        assert_int_equal(f->closed_count, 1);
        assert_int_equal(f->code, 1000);
        assert_string_equal(f->reason, "bye");
    }
}

/* Says no before every message. */
static int patience;

static bool after_each(void *user) {
    (void)user;
    return patience > 0;
}

static void on_message_used_up(void *user, struct oc_blob *text) {
    patience--;
    on_message(user, text);
}

static void test_messages_wait_until_they_may_come(void **state) {
    struct fixture *f = *state;
    static const struct oc_ws_events careful = {
        .on_message = on_message_used_up, .on_closed = on_closed, .may_receive = after_each
    };
    OC_AUTO_BUF struct oc_buf bytes = OC_BUF_INIT(1000000);
    enum { COUNT = 400 };
    for (int i = 0; i < COUNT; i++) {
        char text[100];
        int n = snprintf(text, sizeof(text), "%0*d", 1 + i % 90, i);
        put_frame(&bytes, FIN | TEXT, true, text, (size_t)n);
    }
    put_frame(&bytes, FIN | CLOSE, true, "\x03\xe8", 2);
    for (size_t piece = 1000; piece < bytes.len; piece *= 7) {
        again(f, false);
        oc_ws_set_events(f->ws, &careful, f);
        size_t sent = 0;
        for (int i = 0; i < COUNT; i++) {
            if (sent < bytes.len) {
                size_t n = bytes.len - sent < piece ? bytes.len - sent : piece;
                sent += (size_t)send(f->far, bytes.data + sent, n, MSG_NOSIGNAL);
            }
            patience = 1;
            oc_ws_go_on(f->ws);
            STEP_UNTIL(f->loop, patience == 0);
            step_some(f->loop);
            assert_int_equal(f->message_count, i + 1); /* and not one more */
            assert_int_equal(f->closed_count, 0);
        }
        patience = 1;
        oc_ws_go_on(f->ws);
        STEP_UNTIL(f->loop, f->closed_count == 1);
        assert_int_equal(f->code, 1000);
        const char *at = f->messages.data;
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(strtol(at, NULL, 10), i);
            at = strchr(at, '|') + 1;
        }
    }
}

static void test_early_bytes(void **state) {
    struct fixture *f = *state;
    OC_AUTO_BUF struct oc_buf bytes = OC_BUF_INIT(1000);
    put_conversation(&bytes);
    for (size_t early = 1; early <= bytes.len; early += 7) {
        close_ws(f);
        open_ws(f, false, (struct oc_slice){ .ptr = bytes.data, .len = early });
        assert_int_equal(f->message_count, 0); /* nothing happens inside create */
        write_all(f->loop, f->far, bytes.data + early, bytes.len - early);
        step_some(f->loop);
        assert_int_equal(f->message_count, 3);
        assert_int_equal(f->code, 1000);
    }
}

static void test_protocol_errors(void **state) {
    struct fixture *f = *state;
    static const unsigned bad_first[] = { FIN | 0x40 | TEXT, FIN | 0x20 | TEXT, FIN | 0x10 | TEXT,
        FIN | 0x40 | PING, FIN | 3, FIN | 4, FIN | 5, FIN | 6, FIN | 7, FIN | 11, FIN | 12,
        FIN | 13, FIN | 14, FIN | 15, 3, FIN | CONT, CONT, PING, PONG, CLOSE };
    for (size_t i = 0; i < OC_COUNT(bad_first); i++) {
        again(f, false);
        far_text(f, bad_first[i], "data");
        expect_failed(f, 1002);
        assert_int_equal(f->message_count, 0);
    }
    again(f, false); /* a message inside a message */
    far_text(f, TEXT, "a");
    far_text(f, FIN | TEXT, "b");
    expect_failed(f, 1002);
}

static void test_masking_is_enforced(void **state) {
    struct fixture *f = *state;
    for (int side = 0; side < 2; side++) {
        for (int empty = 0; empty < 2; empty++) {
            again(f, side == 1);
            OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100);
            put_frame(&out, FIN | TEXT, f->is_client, "hello",
                    empty ? 0 : 5); /* the wrong way round */
            write_all(f->loop, f->far, out.data, out.len);
            expect_failed(f, 1002);
            assert_int_equal(f->message_count, 0);
        }
    }
}

static void send_raw(struct fixture *f, const char *bytes, size_t len) {
    again(f, false);
    write_all(f->loop, f->far, bytes, len);
}

static void test_lengths_must_be_shortest(void **state) {
    struct fixture *f = *state;
    send_raw(f, "\x81\xfe\x00\x05", 4); /* 5 in sixteen bits */
    expect_failed(f, 1002);
    send_raw(f, "\x81\xff\x00\x00\x00\x00\x00\x00\xff\xff", 10); /* 65535 in sixty-four bits */
    expect_failed(f, 1002);
    send_raw(f, "\x81\xff\x80\x00\x00\x00\x00\x00\x00\x00", 10); /* the highest bit */
    expect_failed(f, 1002);
}

static void test_control_frames_are_short(void **state) {
    struct fixture *f = *state;
    char data[126];
    memset(data, 'p', sizeof(data));
    far_send(f, FIN | PING, data, 125);
    expect_frame(f, FIN | PONG, data, 125);
    far_send(f, FIN | PING, data, 126);
    expect_failed(f, 1002);
    again(f, false);
    far_send(f, FIN | PING, "", 0);
    expect_frame(f, FIN | PONG, "", 0);
}

static void test_utf8(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *text;
        bool is_valid;
    } cases[] = {
        { "plain", true },
        { "gr\xc3\xbc\xc3\x9f", true },
        { "\xe2\x82\xac \xf0\x9f\xa6\x80", true },
        { "\xef\xbf\xbf\xf4\x8f\xbf\xbf", true },
        { "\x80", false },    /* continuation first */
        { "abc\xc3", false }, /* cut off */
        { "abc\xe2\x82", false },
        { "abc\xf0\x9f\xa6", false },
        { "\xc0\xaf", false }, /* overlong */
        { "\xe0\x80\xaf", false },
        { "\xed\xa0\x80", false },     /* surrogate */
        { "\xf4\x90\x80\x80", false }, /* beyond U+10FFFF */
        { "\xf5\x80\x80\x80", false },
        { "\xff", false },
        { "a\xc3\x28z", false },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        size_t len = strlen(cases[i].text);
        /* whole, in every pair of fragments, and behind and before other text */
        for (size_t cut = 0; cut <= len; cut++) {
            again(f, false);
            far_send(f, cut % 2 ? BINARY : TEXT, cases[i].text, cut);
            far_send(f, FIN | CONT, cases[i].text + cut, len - cut);
            if (cases[i].is_valid) {
                step_some(f->loop);
                assert_int_equal(f->message_count, 1);
                assert_memory_equal(f->messages.data, cases[i].text, len);
            } else {
                expect_failed(f, 1007);
                assert_int_equal(f->message_count, 0);
            }
        }
    }
}

static void test_bad_utf8_at_any_position_of_a_long_message(void **state) {
    struct fixture *f = *state;
    enum { LEN = 9000 };
    char *text = oc_alloc(LEN);
    for (size_t at = 0; at < LEN; at += at < 10 || at > LEN - 10 ? 1 : 449) {
        memset(text, 'a', LEN);
        text[at] = (char)0xe2; /* starts a character that is not there */
        again(f, false);
        far_send(f, FIN | TEXT, text, LEN);
        expect_failed(f, 1007);
    }
    oc_free(text);
}

static void test_too_big(void **state) {
    struct fixture *f = *state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    /* only announced: refused before any memory is spent */
    put_header(&out, FIN | TEXT, true, (uint64_t)1 << 40);
    oc_buf_putc(&out, 'x');
    write_all(f->loop, f->far, out.data, out.len);
    expect_failed(f, 1009);

    again(f, false); /* in sum */
    char *half = oc_alloc(MAX_MESSAGE / 2 + 1);
    memset(half, 'h', MAX_MESSAGE / 2 + 1);
    far_send(f, TEXT, half, MAX_MESSAGE / 2);
    far_send(f, FIN | CONT, half, MAX_MESSAGE / 2 + 1);
    expect_failed(f, 1009);
    assert_int_equal(f->message_count, 0);

    again(f, false); /* exactly */
    far_send(f, TEXT, half, MAX_MESSAGE / 2);
    far_send(f, FIN | CONT, half, MAX_MESSAGE / 2);
    STEP_UNTIL(f->loop, f->message_count == 1);

    oc_ws_set_max_message(f->ws, 10);
    far_text(f, FIN | TEXT, "0123456789");
    STEP_UNTIL(f->loop, f->message_count == 2);
    far_text(f, FIN | TEXT, "0123456789x");
    expect_failed(f, 1009);
    oc_free(half);
}

static void test_peer_that_keeps_sending_still_sees_the_close(void **state) {
    struct fixture *f = *state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(4u << 20);
    char *text = oc_alloc(TWO_MB);
    memset(text, 'x', TWO_MB);
    put_frame(&out, FIN | TEXT, true, text, TWO_MB);
    write_all(f->loop, f->far, out.data, out.len); /* all of it goes in, and is thrown away */
    expect_failed(f, 1009);
    oc_free(text);
}

/* Closing. */

static void test_peer_closes(void **state) {
    struct fixture *f = *state;
    for (int side = 0; side < 2; side++) {
        again(f, side == 1);
        far_send(f, FIN | CLOSE, "", 0);
        expect_frame(f, FIN | CLOSE, "", 0);
        assert_int_equal(f->closed_count, 1);
        assert_int_equal(f->code, 1005);
        assert_string_equal(f->reason, "");

        again(f, side == 1);
        far_send(f, FIN | CLOSE,
                "\x03\xf4"
                "service restart",
                17);
        expect_frame(f, FIN | CLOSE, "\x03\xf4", 2);
        assert_int_equal(f->code, 1012);
        assert_string_equal(f->reason, "service restart");
    }
}

static void send_close_code(struct fixture *f, unsigned code) {
    again(f, false);
    char body[2] = { (char)(code >> 8), (char)(code & 0xff) };
    far_send(f, FIN | CLOSE, body, 2);
}

static void test_close_codes(void **state) {
    struct fixture *f = *state;
    static const unsigned good[] = { 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012,
        1013, 1014, 3000, 3999, 4000, 4001, 4999 };
    static const unsigned bad[] = { 0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000,
        65535 };
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        send_close_code(f, good[i]);
        step_some(f->loop);
        assert_int_equal(f->closed_count, 1);
        assert_int_equal(f->code, good[i]);
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        send_close_code(f, bad[i]);
        expect_failed(f, 1002);
    }
    again(f, false);
    far_send(f, FIN | CLOSE, "\x03", 1);
    expect_failed(f, 1002);
    again(f, false);
    far_send(f, FIN | CLOSE, "\x03\xe8\xff", 3);
    expect_failed(f, 1007);
    again(f, false);
    far_send(f, FIN | CLOSE, "\x03\xe8\xc3", 3);
    expect_failed(f, 1007);
}

static void test_nothing_is_heard_after_a_close(void **state) {
    struct fixture *f = *state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    put_frame(&out, FIN | CLOSE, true, "\x03\xe8", 2);
    put_frame(&out, FIN | TEXT, true, "late", 4);
    write_all(f->loop, f->far, out.data, out.len);
    step_some(f->loop);
    assert_int_equal(f->message_count, 0);
    assert_int_equal(f->code, 1000);
}

static void test_we_close(void **state) {
    struct fixture *f = *state;
    for (int side = 0; side < 2; side++) {
        again(f, side == 1);
        assert_int_equal(oc_ws_send_text(f->ws, "last", 4), OC_OK);
        oc_ws_close(f->ws, 4000, "tick timeout");
        oc_ws_close(f->ws, 1000, "ignored");
        assert_int_equal(oc_ws_send_text(f->ws, "late", 4), OC_E_CLOSED);
        assert_false(oc_ws_is_open(f->ws));
        step_some(f->loop);
        OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1000);
        drain_fd(f->far, &in);
        struct frame one = { 0 }, two = { 0 };
        assert_true(parse_frame(&in, 0, &one));
        assert_string_equal(one.data, "last"); /* what was queued goes first */
        assert_true(parse_frame(&in, one.used, &two));
        assert_int_equal(two.first, FIN | CLOSE);
        assert_string_equal(two.data, "\x0f\xa0tick timeout");
        oc_free(one.data);
        oc_free(two.data);
        far_text(f, FIN | TEXT, "crossed on the way");
        far_text(f, FIN | PING, "crossed too");
        step_some(f->loop);
        assert_int_equal(f->message_count, 0);
        assert_int_equal(f->closed_count, 0);
        far_send(f, FIN | CLOSE, "\x03\xe8", 2);
        step_some(f->loop);
        assert_int_equal(f->closed_count, 1);
        assert_int_equal(f->code, 4000);
        assert_string_equal(f->reason, "tick timeout");
    }
}

static void test_we_close_without_code(void **state) {
    struct fixture *f = *state;
    oc_ws_close(f->ws, 0, NULL);
    expect_frame(f, FIN | CLOSE, "", 0);
    close(oc_take_fd(&f->far)); /* no close frame back */
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);
    assert_int_equal(f->code, 1005);
}

static void test_silent_peer_is_cut_off(void **state) {
    struct fixture *f = *state;
    oc_ws_close(f->ws, 1008, "slow");
    step_some(f->loop);
    oc_fake_clock_advance(&f->clock, 1999);
    step_some(f->loop);
    assert_int_equal(f->closed_count, 0);
    oc_fake_clock_advance(&f->clock, 1);
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);
    assert_int_equal(f->code, 1008);
}

static void test_peer_that_reads_nothing_is_cut_off(void **state) {
    struct fixture *f = *state;
    char *text = oc_alloc(900000);
    memset(text, 'x', 900000);
    assert_int_equal(oc_ws_send_text(f->ws, text, 900000), OC_OK);
    oc_ws_close(f->ws, 1008, "slow consumer");
    step_some(f->loop);
    oc_fake_clock_advance(&f->clock, 5000); /* it moved: the socket buffer was filled */
    step_some(f->loop);
    assert_int_equal(f->closed_count, 0);
    oc_fake_clock_advance(&f->clock, 5000); /* and not since */
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);
    assert_int_equal(f->code, 1008);
    assert_int_equal(oc_ws_queued_bytes(f->ws), 0);
    oc_free(text);
}

static void test_long_reason_is_cut_at_a_character(void **state) {
    struct fixture *f = *state;
    char reason[200] = "";
    memset(reason, 'r', 122);
    memcpy(reason + 122, "\xc3\xbc\xc3\xbc", 5); /* the first ü would end at 124 */
    oc_ws_close(f->ws, 1008, reason);
    OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1000);
    step_some(f->loop);
    drain_fd(f->far, &in);
    struct frame got = { 0 };
    assert_true(parse_frame(&in, 0, &got));
    assert_int_equal(got.len, 2 + 122);
    oc_free(got.data);
    far_send(f, FIN | CLOSE, "\x03\xe8", 2);
    step_some(f->loop);
    assert_int_equal(strlen(f->reason), 122);
}

static void test_both_close_at_once(void **state) {
    struct fixture *f = *state;
    oc_ws_close(f->ws, 1001, "we");
    far_send(f, FIN | CLOSE, "\x03\xe8they", 6);
    expect_close_frame(f, 1001);
    assert_int_equal(f->closed_count, 1);
    assert_int_equal(f->code, 1001);
}

static void test_broken_connection(void **state) {
    struct fixture *f = *state;
    far_text(f, FIN | TEXT, "last words");
    far_text(f, TEXT, "unfinis");
    close(oc_take_fd(&f->far));
    step_some(f->loop);
    assert_string_equal(f->messages.data, "last words|");
    assert_int_equal(f->closed_count, 1);
    assert_int_equal(f->code, 1006);
    assert_int_equal(oc_ws_send_text(f->ws, "x", 1), OC_E_CLOSED);
    oc_ws_close(f->ws, 1000, "");
    oc_ws_abort(f->ws);
    oc_ws_ping(f->ws);
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);
}

static void close_far(struct oc_deferred *d) {
    struct fixture *f = d->user;
    far_send(f, FIN | CLOSE, "\x03\xf0why", 5);
    close(oc_take_fd(&f->far));
}

static void test_last_words_are_heard_although_writing_fails(void **state) {
    struct fixture *f = *state;
    /* The peer closes after the loop has looked for input, and before it writes. */
    struct oc_deferred closing = { .run = close_far, .user = f };
    oc_defer(f->loop, &closing);
    oc_ws_send_text(f->ws, "x", 1);
    oc_loop_step(f->loop, 0);
    assert_int_equal(f->closed_count, 1);
    assert_int_equal(f->code, 1008);
    assert_string_equal(f->reason, "why");
}

static void test_abort(void **state) {
    struct fixture *f = *state;
    oc_ws_abort(f->ws);
    assert_int_equal(f->closed_count, 0); /* only from the loop */
    assert_false(oc_ws_is_open(f->ws));
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);
    assert_int_equal(f->code, 1006);
    OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1000);
    assert_true(drain_fd(f->far, &in));
    assert_int_equal(in.len, 0);
}

/* Callbacks that change the ground under us. */

static void destroy_in_message(struct fixture *f) {
    oc_ws_destroy(oc_take(&f->ws));
}

static void close_in_message(struct fixture *f) {
    oc_ws_close(f->ws, 1000, "enough");
}

static void abort_in_message(struct fixture *f) {
    oc_ws_abort(f->ws);
}

static void test_callbacks_may_end_it(void **state) {
    struct fixture *f = *state;
    OC_AUTO_BUF struct oc_buf two = OC_BUF_INIT(100);
    put_frame(&two, FIN | TEXT, true, "a", 1);
    put_frame(&two, FIN | TEXT, true, "b", 1);

    f->on_message = destroy_in_message;
    write_all(f->loop, f->far, two.data, two.len);
    step_some(f->loop);
    assert_string_equal(f->messages.data, "a|");
    assert_int_equal(f->closed_count, 0);

    again(f, false);
    f->on_message = close_in_message;
    write_all(f->loop, f->far, two.data, two.len);
    step_some(f->loop);
    assert_string_equal(f->messages.data, "a|");

    again(f, false);
    f->on_message = abort_in_message;
    write_all(f->loop, f->far, two.data, two.len);
    step_some(f->loop);
    assert_string_equal(f->messages.data, "a|");
    assert_int_equal(f->closed_count, 1);

    again(f, false);
    f->on_message = NULL;
    f->destroy_on_activity = true;
    write_all(f->loop, f->far, two.data, two.len);
    step_some(f->loop);
    assert_int_equal(f->message_count, 0);
    f->destroy_on_activity = false;

    again(f, false);
    f->destroy_on_close = true;
    far_send(f, FIN | CLOSE, "", 0);
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);

    again(f, false);
    oc_ws_abort(f->ws);
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);

    again(f, false);
    oc_ws_close(f->ws, 1000, "");
    step_some(f->loop);
    oc_fake_clock_advance(&f->clock, 2000);
    step_some(f->loop);
    assert_int_equal(f->closed_count, 1);
    f->destroy_on_close = false;
}

static void test_no_events_set(void **state) {
    struct fixture *f = *state;
    oc_ws_set_events(f->ws, &(struct oc_ws_events){ 0 }, NULL);
    far_text(f, FIN | TEXT, "nobody listens");
    far_send(f, FIN | CLOSE, "", 0);
    step_some(f->loop);
    assert_false(oc_ws_is_open(f->ws));
}

/* Sending. */

static void test_small_messages_are_one_frame(void **state) {
    struct fixture *f = *state;
    char *text = oc_alloc(OC_FRAGMENT_BYTES + 2);
    memset(text, 's', OC_FRAGMENT_BYTES + 1);
    for (int side = 0; side < 2; side++) {
        again(f, side == 1);
        oc_ws_send_text(f->ws, "", 0);
        expect_frame(f, FIN | TEXT, "", 0);
        oc_ws_send_text(f->ws, "hi", 2);
        expect_frame(f, FIN | TEXT, "hi", 2);
        oc_ws_send_text(f->ws, text, OC_FRAGMENT_BYTES);
        expect_frame(f, FIN | TEXT, text, OC_FRAGMENT_BYTES);
        assert_int_equal(oc_ws_queued_bytes(f->ws), 0);
        oc_ws_ping(f->ws);
        oc_ws_ping(f->ws);
        expect_frame(f, FIN | PING, "", 0);
    }
    oc_free(text);
}

static void test_large_messages_are_fragments(void **state) {
    struct fixture *f = *state;
    enum { LEN = 300000 };
    char *text = oc_alloc(LEN + 1);
    for (int i = 0; i < LEN; i++) {
        text[i] = (char)('a' + i % 26);
    }
    for (int side = 0; side < 2; side++) {
        again(f, side == 1);
        assert_int_equal(oc_ws_send_text(f->ws, text, LEN), OC_OK);
        assert_int_equal(oc_ws_send_text(f->ws, "after", 5), OC_OK);
        OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1u << 20);
        OC_AUTO_BUF struct oc_buf whole = OC_BUF_INIT(1u << 20);
        far_text(f, FIN | PING, "now"); /* answered between fragments, not after them */
        size_t at = 0;
        int frames = 0;
        bool is_done = false, had_pong = false;
        for (int round = 0; !is_done && round < 1000; round++) {
            oc_loop_step(f->loop, 1);
            drain_fd(f->far, &in);
            struct frame got = { 0 };
            while (!is_done && parse_frame(&in, at, &got)) {
                assert_int_equal(got.is_masked, f->is_client);
                at += got.used;
                if (got.first == (FIN | PONG)) {
                    had_pong = true;
                } else {
                    assert_true(got.len <= OC_FRAGMENT_BYTES);
                    assert_int_equal(got.first & 0xf, frames++ == 0 ? TEXT : CONT);
                    oc_buf_append(&whole, got.data, got.len);
                    is_done = got.first & FIN;
                }
                oc_free(got.data);
            }
        }
        assert_true(is_done);
        assert_int_equal(frames, 5);
        assert_int_equal(whole.len, LEN);
        assert_memory_equal(whole.data, text, LEN);
        assert_true(had_pong);
    }
    oc_free(text);
}

static void test_queue_ceiling(void **state) {
    struct fixture *f = *state;
    char *text = oc_alloc(600000);
    memset(text, 'q', 600000);
    assert_int_equal(oc_ws_send_text(f->ws, text, 600000), OC_OK);
    size_t queued = oc_ws_queued_bytes(f->ws);
    assert_true(queued >= 600000);
    assert_int_equal(oc_ws_send_text(f->ws, text, 600000), OC_E_TOO_LARGE);
    assert_int_equal(oc_ws_queued_bytes(f->ws), queued);
    assert_true(oc_ws_is_open(f->ws));
    step_some(f->loop);
    assert_int_equal(oc_ws_queued_bytes(f->ws), queued); /* the first has begun, but is not gone */
    OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1u << 20);
    for (int i = 0; i < 1000 && oc_ws_queued_bytes(f->ws) > 0; i++) {
        drain_fd(f->far, &in);
        oc_loop_step(f->loop, 1);
    }
    assert_int_equal(oc_ws_queued_bytes(f->ws), 0);
    assert_int_equal(oc_ws_send_text(f->ws, text, 600000), OC_OK);

    struct oc_blob *huge = oc_blob_take(oc_alloc(1000002), 1000001);
    again(f, false);
    assert_int_equal(oc_ws_send_blob(f->ws, huge), OC_E_TOO_LARGE);
    assert_int_equal(huge->refs, 1);
    oc_blob_unref(huge);
    oc_free(text);
}

static void test_ping_flood(void **state) {
    struct fixture *f = *state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1u << 20);
    char body[125];
    memset(body, 'f', sizeof(body));
    for (int i = 0; i < 7000; i++) {
        put_frame(&out, FIN | PING, true, body, sizeof(body));
    }
    put_frame(&out, FIN | PING, true, "last", 4);
    write_all(f->loop, f->far, out.data, out.len); /* nothing is read meanwhile */
    step_some(f->loop);
    OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1u << 20);
    struct frame got = { 0 };
    size_t at = 0;
    bool had_last = false;
    for (int i = 0; i < 100 && !had_last; i++) {
        drain_fd(f->far, &in);
        while (parse_frame(&in, at, &got)) {
            at += got.used;
            assert_int_equal(got.first, FIN | PONG);
            had_last = got.len == 4;
            oc_free(got.data);
        }
        oc_loop_step(f->loop, 1);
    }
    assert_true(had_last); /* the latest ping is answered, the others perhaps */
    assert_true(in.len < out.len / 2);
}

/* Two of ours. */

struct end {
    struct oc_ws *ws;
    size_t got_bytes;
    int messages, closed;
    uint16_t code;
    size_t heap_bytes; /* when the message came */
    bool is_intact;
};

/* Where it cannot be told, nothing is ever in use and the checks below pass. */
static size_t heap_in_use(void) {
#ifdef __GLIBC__
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
#else
    return 0;
#endif
}

static char pattern_at(size_t i) {
    return (char)(' ' + (i * 7 + i / 4096) % 90);
}

static void end_message(void *user, struct oc_blob *text) {
    struct end *e = user;
    e->messages++;
    e->got_bytes = text->len;
    e->heap_bytes = heap_in_use();
    e->is_intact = true;
    for (size_t i = 0; i < text->len; i++) {
        e->is_intact = e->is_intact && text->data[i] == pattern_at(i);
    }
}

static void end_closed(void *user, uint16_t code, const char *reason) {
    (void)reason;
    struct end *e = user;
    e->closed++;
    e->code = code;
}

static const struct oc_ws_events end_events = { .on_message = end_message,
    .on_closed = end_closed };

static void open_ends(struct oc_loop *loop, struct end *a, struct end *b) {
    int fds[2];
    make_pair(fds);
    struct oc_ws_opts opts = { .is_client = true };
    *a = (struct end){ 0 };
    *b = (struct end){ 0 };
    a->ws = oc_ws_create(
            loop, oc_stream_plain(fds[0]), &opts, &end_events, a, (struct oc_slice){ 0 });
    opts.is_client = false;
    b->ws = oc_ws_create(
            loop, oc_stream_plain(fds[1]), &opts, &end_events, b, (struct oc_slice){ 0 });
}

static void send_large(struct oc_loop *loop, struct end *from, struct end *to, size_t len) {
    char *data = oc_realloc(NULL, len + 1);
    for (size_t i = 0; i < len; i++) {
        data[i] = pattern_at(i);
    }
    size_t before = heap_in_use();
    struct oc_blob *blob = oc_blob_take(data, len);
    assert_int_equal(oc_ws_send_blob(from->ws, blob), OC_OK);
    oc_blob_unref(blob);
    assert_true(oc_ws_queued_bytes(from->ws) >= len);
    assert_true(oc_ws_queued_bytes(from->ws) < len + 1000);
    int had = to->messages;
    STEP_UNTIL(loop, to->messages > had);
    assert_int_equal(to->got_bytes, len);
    assert_true(to->is_intact);
    assert_int_equal(oc_ws_queued_bytes(from->ws), 0);
    if (!TEST_SANITIZED) {
        /* The sender's copy is gone or going; there is one received copy and no second one. */
        assert_true(to->heap_bytes < before + len + (1u << 20));
    }
}

static void test_20_megabytes_both_ways(void **state) {
    (void)state;
    struct oc_loop *loop = make_loop(&oc_clock_system);
    struct end a, b;
    open_ends(loop, &a, &b);
    size_t before = heap_in_use();
    send_large(loop, &a, &b, TWENTY_MB);
    send_large(loop, &b, &a, TWENTY_MB);
    if (!TEST_SANITIZED) {
        assert_true(heap_in_use() < before + (512u << 10)); /* nothing of it is kept */
    }
    oc_ws_close(a.ws, 1000, "done");
    STEP_UNTIL(loop, a.closed && b.closed);
    assert_int_equal(b.code, 1000);
    oc_ws_destroy(a.ws);
    oc_ws_destroy(b.ws);
    oc_loop_destroy(loop);
}

#if !TEST_SANITIZED /* whose memory is not ours */
static void test_idle_connections_are_small(void **state) {
    (void)state;
    enum { COUNT = 100 };
    struct oc_loop *loop = make_loop(&oc_clock_system);
    struct end *clients = oc_new_array(struct end, COUNT),
               *servers = oc_new_array(struct end, COUNT);
    size_t before = 0;
    for (int i = 0; i < COUNT; i++) {
        if (i == 1) {
            before = heap_in_use(); /* the loop's own buffers came with the first pair */
        }
        open_ends(loop, &clients[i], &servers[i]);
        char text[3000];
        memset(text, 'i', sizeof(text));
        oc_ws_send_text(clients[i].ws, text, sizeof(text));
        oc_ws_send_text(servers[i].ws, text, sizeof(text));
        STEP_UNTIL(loop, clients[i].messages == 1 && servers[i].messages == 1);
    }
    size_t each = (heap_in_use() - before) / (COUNT - 1) / 2;
    print_message("%zu bytes of heap for an idle connection\n", each);
    assert_true(each < 2048);
    for (int i = 0; i < COUNT; i++) {
        oc_ws_destroy(clients[i].ws);
        oc_ws_destroy(servers[i].ws);
    }
    oc_free(clients);
    oc_free(servers);
    oc_loop_destroy(loop);
}
#endif

static void test_many_small_messages_keep_their_order(void **state) {
    struct fixture *f = *state;
    enum { COUNT = 5000 };
    OC_AUTO_BUF struct oc_buf in = OC_BUF_INIT(1u << 20);
    for (int i = 0; i < COUNT; i++) {
        char text[16];
        int n = snprintf(text, sizeof(text), "%d", i);
        assert_int_equal(oc_ws_send_text(f->ws, text, (size_t)n), OC_OK);
        if (i % 1000 == 999) {
            step_some(f->loop);
            drain_fd(f->far, &in);
        }
    }
    step_some(f->loop);
    drain_fd(f->far, &in);
    struct frame got = { 0 };
    size_t at = 0;
    int next = 0;
    while (parse_frame(&in, at, &got)) {
        char text[16];
        (void)snprintf(text, sizeof(text), "%d", next++);
        assert_string_equal(got.data, text);
        at += got.used;
        oc_free(got.data);
    }
    assert_int_equal(next, COUNT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_messages_of_all_sizes),
        TEST(test_fragments_with_control_frames_between),
        TEST(test_any_cut_of_the_bytes),
        TEST(test_messages_wait_until_they_may_come),
        TEST(test_early_bytes),
        TEST(test_protocol_errors),
        TEST(test_masking_is_enforced),
        TEST(test_lengths_must_be_shortest),
        TEST(test_control_frames_are_short),
        TEST(test_utf8),
        TEST(test_bad_utf8_at_any_position_of_a_long_message),
        TEST(test_too_big),
        TEST(test_peer_that_keeps_sending_still_sees_the_close),
        TEST(test_peer_closes),
        TEST(test_close_codes),
        TEST(test_nothing_is_heard_after_a_close),
        TEST(test_we_close),
        TEST(test_we_close_without_code),
        TEST(test_silent_peer_is_cut_off),
        TEST(test_peer_that_reads_nothing_is_cut_off),
        TEST(test_long_reason_is_cut_at_a_character),
        TEST(test_both_close_at_once),
        TEST(test_broken_connection),
        TEST(test_last_words_are_heard_although_writing_fails),
        TEST(test_abort),
        TEST(test_callbacks_may_end_it),
        TEST(test_no_events_set),
        TEST(test_small_messages_are_one_frame),
        TEST(test_large_messages_are_fragments),
        TEST(test_queue_ceiling),
        TEST(test_ping_flood),
        TEST(test_many_small_messages_keep_their_order),
        cmocka_unit_test(test_20_megabytes_both_ways),
#if !TEST_SANITIZED
        cmocka_unit_test(test_idle_connections_are_small),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
