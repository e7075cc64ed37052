/* Messages as frames, the queue, and answers to pings. */
#include "tests/unit/lib/net/ws/ws_testing.h"

#include "lib/net/loop/scratch.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_small_messages_are_one_frame),
        TEST(test_large_messages_are_fragments),
        TEST(test_queue_ceiling),
        TEST(test_ping_flood),
        TEST(test_many_small_messages_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
