/* Closing, from either side, and callbacks that change the ground under us. */
#include "tests/unit/lib/net/ws/ws_testing.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
