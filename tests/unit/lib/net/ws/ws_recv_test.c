/* What a peer may send, and what ends the connection. */
#include "tests/unit/lib/net/ws/ws_testing.h"

#define TWO_MB 2097152

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
            expect_failed_unless(f, "masks", 1002);
        }
    }
}

static void send_raw(struct fixture *f, const char *bytes, size_t len) {
    again(f, false);
    write_all(f->loop, f->far, bytes, len);
}

static void test_lengths_must_be_shortest(void **state) {
    struct fixture *f = *state;
    static const char five[] = "\x81\xfe\x00\x05\0\0\0\0abcde"; /* in sixteen bits */
    send_raw(f, five, sizeof(five) - 1);
    expect_failed_unless(f, "lengths", 1002);
    static const char many[14 + 65535] =
            "\x81\xff\x00\x00\x00\x00\x00\x00\xff\xff"; /* in sixty-four bits */
    send_raw(f, many, sizeof(many));
    expect_failed_unless(f, "lengths", 1002);
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

/* Bad already, although the frame is not over yet. */
static void expect_failed_at_once(struct fixture *f, uint16_t code) {
    if (f->is_client && is_lax("late-client")) {
        char rest[4096];
        memset(rest, 'r', sizeof(rest));
        step_some(f->loop);
        assert_true(oc_ws_is_open(f->ws));
        write_all(f->loop, f->far, rest, sizeof(rest));
    }
    expect_failed(f, code);
}

static void test_what_is_bad_is_seen_before_the_end_of_its_frame(void **state) {
    struct fixture *f = *state;
    for (int side = 0; side < 2; side++) {
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(10000);
        again(f, side == 1);
        static const char bad[] = "fine \xf4\x90\x80\x80 and so on";
        put_header(&out, FIN | TEXT, !f->is_client, 16384);
        for (size_t i = 0; i < sizeof(bad); i++) {
            oc_buf_putc(&out, (char)(bad[i] ^ (f->is_client ? 0 : "\x11\x22\x33\x44"[i % 4])));
        }
        write_all(f->loop, f->far, out.data, out.len);
        expect_failed_at_once(f, 1007);

        again(f, side == 1); /* only announced: refused before any memory is spent */
        out.len = 0;
        put_header(&out, FIN | TEXT, !f->is_client, (uint64_t)1 << 40);
        oc_buf_putc(&out, 'x');
        write_all(f->loop, f->far, out.data, out.len);
        expect_failed_at_once(f, 1009);
    }
}

static void test_too_big(void **state) {
    struct fixture *f = *state;
    char *half = oc_alloc(MAX_MESSAGE / 2 + 1);
    memset(half, 'h', MAX_MESSAGE / 2 + 1);
    far_send(f, TEXT, half, MAX_MESSAGE / 2); /* in sum */
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
        TEST(test_what_is_bad_is_seen_before_the_end_of_its_frame),
        TEST(test_too_big),
        TEST(test_peer_that_keeps_sending_still_sees_the_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
