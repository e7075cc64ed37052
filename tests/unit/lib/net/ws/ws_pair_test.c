/* Two of ours facing each other: large messages, and the memory of connections. */
#include "tests/unit/lib/net/ws/ws_testing.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define TWENTY_MB 20971520

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
    send_large(loop, &a, &b, 1); /* what the loop and the ends keep comes with the first message */
    send_large(loop, &b, &a, 1);
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
    assert_int_equal(each < 2048, !is_lax("idle-memory"));
    assert_true(each < 8192);
    for (int i = 0; i < COUNT; i++) {
        oc_ws_destroy(clients[i].ws);
        oc_ws_destroy(servers[i].ws);
    }
    oc_free(clients);
    oc_free(servers);
    oc_loop_destroy(loop);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_20_megabytes_both_ways),
#if !TEST_SANITIZED
        cmocka_unit_test(test_idle_connections_are_small),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
