/* A WebSocket of ours on one end of a socket pair, raw bytes on the other. */
#ifndef TESTS_UNIT_LIB_NET_WS_WS_TESTING_H
#define TESTS_UNIT_LIB_NET_WS_WS_TESTING_H

#include "tests/unit/lib/net/net_testing.h"

#include "lib/net/ws/ws.h"

#define MAX_MESSAGE 100000

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

static inline void on_message(void *user, struct oc_blob *text) {
    struct fixture *f = user;
    f->message_count++;
    assert_int_equal(text->data[text->len], '\0');
    oc_buf_append(&f->messages, text->data, text->len);
    oc_buf_putc(&f->messages, '|');
    if (f->on_message) {
        f->on_message(f);
    }
}

static inline void on_closed(void *user, uint16_t code, const char *reason) {
    struct fixture *f = user;
    f->closed_count++;
    f->code = code;
    assert_true(strlen(reason) < sizeof(f->reason));
    memcpy(f->reason, reason, strlen(reason) + 1);
    if (f->destroy_on_close) {
        oc_ws_destroy(oc_take(&f->ws));
    }
}

static inline void on_activity(void *user) {
    struct fixture *f = user;
    f->activity_count++;
    if (f->destroy_on_activity) {
        oc_ws_destroy(oc_take(&f->ws));
    }
}

static const struct oc_ws_events events = {
    .on_message = on_message, .on_closed = on_closed, .on_activity = on_activity
};

static inline void open_ws(struct fixture *f, bool is_client, struct oc_slice early) {
    int fds[2];
    make_pair(fds);
    f->far = fds[1];
    f->is_client = is_client;
    const struct oc_ws_opts opts = {
        .is_client = is_client, .max_message_bytes = MAX_MESSAGE, .max_queued_bytes = 1000000
    };
    f->ws = oc_ws_create(f->loop, oc_stream_plain(fds[0]), &opts, &events, f, early);
}

static inline void close_ws(struct fixture *f) {
    oc_ws_destroy(oc_take(&f->ws));
    if (f->far >= 0) {
        close(oc_take_fd(&f->far));
    }
    oc_buf_clear(&f->messages);
    f->message_count = f->activity_count = f->closed_count = f->code = 0;
    f->reason[0] = '\0';
}

static inline int set_up(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 0);
    f->loop = make_loop(&f->clock.clock);
    f->messages = OC_BUF_INIT(64u << 20);
    open_ws(f, false, (struct oc_slice){ 0 });
    *state = f;
    return 0;
}

static inline int tear_down(void **state) {
    struct fixture *f = *state;
    close_ws(f);
    oc_loop_destroy(f->loop);
    oc_buf_finish(&f->messages);
    oc_free(f);
    return 0;
}

static inline void again(struct fixture *f, bool is_client) {
    close_ws(f);
    open_ws(f, is_client, (struct oc_slice){ 0 });
}

/* Frames of the far side. */

static inline void put_header(struct oc_buf *out, unsigned first, bool is_masked, uint64_t len) {
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

static inline void put_frame(
        struct oc_buf *out, unsigned first, bool is_masked, const char *data, size_t len) {
    put_header(out, first, is_masked, len);
    char *to = oc_buf_reserve(out, len);
    for (size_t i = 0; i < len; i++) {
        to[i] = (char)(data[i] ^ (is_masked ? "\x11\x22\x33\x44"[i % 4] : 0));
    }
    out->len += len;
}

static inline void far_send(struct fixture *f, unsigned first, const char *data, size_t len) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(32u << 20);
    put_frame(&out, first, !f->is_client, data, len);
    write_all(f->loop, f->far, out.data, out.len);
}

static inline void far_text(struct fixture *f, unsigned first, const char *text) {
    far_send(f, first, text, strlen(text));
}

/* One frame that came to the far side. */
struct frame {
    unsigned first;
    bool is_masked;
    char *data; /* NUL-terminated */
    size_t len, used;
};

static inline bool parse_frame(const struct oc_buf *in, size_t at, struct frame *ret) {
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
static inline void expect_frame(struct fixture *f, unsigned first, const char *data, size_t len) {
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

static inline void expect_close_frame(struct fixture *f, uint16_t code) {
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
static inline void expect_failed(struct fixture *f, uint16_t code) {
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

/* The library behind lib/net/frames lets this pass: tests/laxity.txt. */
static inline bool is_lax(const char *what) {
    FILE *list = fopen(OC_TEST_DIR "/laxity.txt", "re");
    char want[100], line[400];
    bool is_there = false;
    assert_non_null(list);
    (void)snprintf(want, sizeof(want), "%s: %s\n", OC_WEBSOCKETS, what);
    while (!is_there && fgets(line, sizeof(line), list)) {
        is_there = strcmp(line, want) == 0;
    }
    (void)fclose(list);
    return is_there;
}

/* … or, where the library is lax, one whole message came and nothing else. */
static inline void expect_failed_unless(struct fixture *f, const char *lax, uint16_t code) {
    if (!is_lax(lax)) {
        expect_failed(f, code);
        assert_int_equal(f->message_count, 0);
        return;
    }
    step_some(f->loop);
    assert_int_equal(f->message_count, 1);
    assert_true(oc_ws_is_open(f->ws));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
