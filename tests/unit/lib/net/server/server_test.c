/* A real listener on this machine, raw sockets as clients. */
#include "tests/unit/lib/net/net_testing.h"

#include "lib/net/addr.h"
#include "lib/net/server/server.h"
#include "lib/net/server/server_private.h"

#include <sys/mman.h>
#include <sys/resource.h>

#define LARGE_BYTES (16 * 1024 * 1024)
#define LASTING_AT (100 * 1024) /* in the middle of a piece */

struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct oc_server *server;
    int requests;
    char last_path[100], last_query[100];
    bool was_loopback;
    struct oc_ws *ws[8];
    int ws_count, ws_closed;
    char last_message[100];
    struct oc_http_payer payer;
    bool may_send;
    size_t sent, held, most_held;
    int gone;
};

static struct fixture *of(struct oc_http_payer *p) {
    return OC_CONTAINER(p, struct fixture, payer);
}

static bool may_send(struct oc_http_payer *p) {
    return of(p)->may_send;
}

static void on_sent(struct oc_http_payer *p, size_t bytes) {
    of(p)->sent += bytes;
}

static void on_held(struct oc_http_payer *p, size_t bytes) {
    struct fixture *f = of(p);
    f->held = bytes;
    f->most_held = bytes > f->most_held ? bytes : f->most_held;
}

static void on_gone(struct oc_http_payer *p) {
    of(p)->gone++;
    of(p)->held = 0;
}

static void on_request(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret) {
    struct fixture *f = user;
    f->requests++;
    f->was_loopback = peer->is_loopback && strcmp(peer->ip, "127.0.0.1") == 0;
    (void)snprintf(
            f->last_path, sizeof(f->last_path), "%s %s", oc_http_method(head), oc_http_path(head));
    (void)snprintf(f->last_query, sizeof(f->last_query), "%s", oc_http_query(head));
    if (strcmp(oc_http_path(head), "/health") == 0) {
        *ret = (struct oc_http_reply){ .status = 200,
            .content_type = "application/json",
            .body = "{\"ok\":true}",
            .extra_headers = "Cache-Control: no-store\r\n" };
    } else if (strcmp(oc_http_path(head), "/large") == 0) {
        int fd = memfd_create("large", MFD_CLOEXEC);
        assert_int_equal(ftruncate(fd, LARGE_BYTES), 0);
        *ret = (struct oc_http_reply){
            .status = 200, .has_file = true, .take_fd = fd, .file_len = LARGE_BYTES
        };
    } else if (strcmp(oc_http_path(head), "/paid") == 0) {
        int fd = memfd_create("paid", MFD_CLOEXEC);
        assert_int_equal(ftruncate(fd, LARGE_BYTES), 0);
        f->payer = (struct oc_http_payer){
            .may_send = may_send, .on_sent = on_sent, .on_held = on_held, .on_gone = on_gone
        };
        *ret = (struct oc_http_reply){ .status = 200,
            .has_file = true,
            .take_fd = fd,
            .file_len = LARGE_BYTES,
            .lasting = { "lasting", 7 },
            .lasting_at = LASTING_AT,
            .take_payer = &f->payer };
    }
}

static void on_message(void *user, struct oc_blob *text) {
    struct fixture *f = user;
    (void)snprintf(f->last_message, sizeof(f->last_message), "%s", text->data);
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    (void)code;
    (void)reason;
    ((struct fixture *)user)->ws_closed++;
}

static void on_ws(void *user, struct oc_ws *take_ws, const struct oc_http_head *head,
        const struct oc_peer *peer) {
    static const struct oc_ws_events events = { .on_message = on_message, .on_closed = on_closed };
    struct fixture *f = user;
    assert_true(peer->is_loopback);
    assert_non_null(oc_http_header(head, "Host"));
    assert_true(f->ws_count < (int)OC_COUNT(f->ws));
    f->ws[f->ws_count++] = take_ws;
    oc_ws_set_events(take_ws, &events, f);
}

static const struct oc_server_handlers handlers = { .on_request = on_request, .on_ws = on_ws };
static const char *const loopback[] = { "127.0.0.1" };

static void start(struct fixture *f, struct oc_server_opts opts) {
    if (!opts.hosts) {
        opts.hosts = loopback;
        opts.host_count = 1;
    }
    struct oc_error err;
    assert_int_equal(oc_server_create(f->loop, &opts, &handlers, f, &f->server, &err), OC_OK);
    assert_true(oc_server_port(f->server) > 0);
}

static int set_up(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 0);
    f->loop = make_loop(&f->clock.clock);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    oc_server_destroy(f->server);
    for (int i = 0; i < f->ws_count; i++) {
        oc_ws_destroy(f->ws[i]);
    }
    oc_loop_destroy(f->loop);
    oc_free(f);
    return 0;
}

static int dial(struct fixture *f) {
    return connect_to(oc_server_port(f->server));
}

/* Sends and reads until the server hangs up. */
static void ask(struct fixture *f, const char *request, struct oc_buf *ret) {
    int fd = dial(f);
    *ret = OC_BUF_INIT(1u << 20);
    write_all(f->loop, fd, request, strlen(request));
    STEP_UNTIL(f->loop, drain_fd(fd, ret));
    close(fd);
    STEP_UNTIL(f->loop, oc_list_empty(&f->server->answered));
}

static void expect_status(struct fixture *f, const char *request, int status) {
    OC_AUTO_BUF struct oc_buf got = { 0 };
    char start_line[32];
    ask(f, request, &got);
    (void)snprintf(start_line, sizeof(start_line), "HTTP/1.1 %d ", status);
    if (got.len == 0 || !oc_starts_with(got.data, start_line)) {
        fail_msg("expected %d, got: %s\nfor: %s", status, got.len ? got.data : "nothing", request);
    }
    assert_non_null(strstr(got.data, "\r\nConnection: close\r\n"));
    assert_non_null(strstr(got.data, "\r\nX-Content-Type-Options: nosniff\r\n"));
    assert_non_null(strstr(got.data, "\r\nReferrer-Policy: no-referrer\r\n"));
}

static void test_answers(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    OC_AUTO_BUF struct oc_buf got = { 0 };
    ask(f, "GET /health?a=b HTTP/1.1\r\nHost: x\r\n\r\n", &got);
    assert_true(oc_starts_with(got.data, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(got.data, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(got.data, "\r\nContent-Length: 11\r\n"));
    assert_non_null(strstr(got.data, "\r\nCache-Control: no-store\r\n"));
    assert_true(oc_ends_with(got.data, "\r\n\r\n{\"ok\":true}"));
    assert_string_equal(f->last_path, "GET /health");
    assert_string_equal(f->last_query, "a=b");
    assert_true(f->was_loopback);
    oc_buf_finish(&got);
    ask(f, "HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n", &got);
    assert_non_null(strstr(got.data, "\r\nContent-Length: 11\r\n"));
    assert_true(oc_ends_with(got.data, "\r\n\r\n"));
    oc_buf_finish(&got);
    ask(f, "POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody", &got);
    assert_true(oc_starts_with(got.data, "HTTP/1.1 404 Not Found\r\n"));
    assert_non_null(strstr(got.data, "\r\nContent-Type: text/plain"));
    assert_string_equal(f->last_path, "POST /other");
    assert_int_equal(f->requests, 3);
    assert_int_equal(f->server->count->open, 0);
}

static void test_refusals(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ .max_head_bytes = 1000 });
    expect_status(f, "GET / HTTP/1.1\r\n\r\n", 400);
    expect_status(f, "NONSENSE\r\n\r\n", 400);
    expect_status(f, "PUT / HTTP/1.1\r\nHost: x\r\n\r\n", 405);
    expect_status(f, "GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505);
    expect_status(
            f, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501);
    expect_status(f, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", 413);
    char longer[2000];
    memset(longer, 'a', sizeof(longer));
    memcpy(longer, "GET /", 5);
    longer[sizeof(longer) - 1] = '\0';
    expect_status(f, longer, 431);
    assert_int_equal(f->requests, 0);
    assert_int_equal(f->server->head_count, 0);
}

#define UPGRADE                                                                          \
    "GET /any/path HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
    "Sec-WebSocket-Extensions: permessage-deflate\r\n"
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define GOOD UPGRADE KEY "Sec-WebSocket-Version: 13\r\n\r\n"

static void test_bad_upgrades(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    expect_status(f, UPGRADE "Sec-WebSocket-Version: 13\r\n\r\n", 400);
    expect_status(f, UPGRADE KEY "Sec-WebSocket-Version: 8\r\n\r\n", 426);
    OC_AUTO_BUF struct oc_buf got = { 0 };
    ask(f, UPGRADE KEY "\r\n", &got);
    assert_non_null(strstr(got.data, "\r\nSec-WebSocket-Version: 13\r\n"));
    assert_int_equal(f->ws_count, 0);
    assert_int_equal(f->requests, 0);
}

/* A masked text frame "hi". */
#define FRAME_HI "\x81\x82\x01\x02\x03\x04\x69\x6b"

static void test_upgrade_with_early_bytes(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    int fd = dial(f);
    /* in one piece, then byte by byte */
    write_all(f->loop, fd, GOOD FRAME_HI, sizeof(GOOD FRAME_HI) - 1);
    STEP_UNTIL(f->loop, f->last_message[0]);
    assert_string_equal(f->last_message, "hi");
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(10000);
    assert_false(drain_fd(fd, &got));
    assert_true(oc_starts_with(got.data, "HTTP/1.1 101 Switching Protocols\r\n"));
    assert_non_null(strstr(got.data, "\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    assert_null(strstr(got.data, "Extensions"));
    close(fd);
    STEP_UNTIL(f->loop, f->ws_closed == 1);

    f->last_message[0] = '\0';
    fd = dial(f);
    STEP_UNTIL(f->loop, f->server->head_count == 1);
    for (size_t i = 0; i < sizeof(GOOD FRAME_HI) - 1; i++) {
        write_all(f->loop, fd, &(GOOD FRAME_HI)[i], 1);
        oc_loop_step(f->loop, 1);
    }
    STEP_UNTIL(f->loop, f->last_message[0]);
    assert_int_equal(f->server->head_count, 0);
    close(fd);
}

/* Bytes of heads that have come so far. */
static size_t head_bytes(const struct oc_server *s) {
    size_t n = 0;
    const struct oc_http_conn *c;
    oc_list_for_each(c, &s->heads, link) {
        n += c->in.len;
    }
    return n;
}

static void test_slow_heads_are_dropped(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ .head_timeout_ms = 5000 });
    int silent = dial(f), slow = dial(f);
    write_all(f->loop, slow, "GET / HT", 8);
    STEP_UNTIL(f->loop, f->server->head_count == 2 && head_bytes(f->server) == 8);
    oc_fake_clock_advance(&f->clock, 4999);
    step_some(f->loop);
    write_all(f->loop, slow, "TP/1.1\r\n", 8); /* still sending does not help */
    STEP_UNTIL(f->loop, head_bytes(f->server) == 16);
    assert_int_equal(f->server->head_count, 2);
    oc_fake_clock_advance(&f->clock, 1);
    step_some(f->loop);
    assert_int_equal(f->server->head_count, 0);
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(10000);
    STEP_UNTIL(f->loop, drain_fd(silent, &got));
    assert_int_equal(got.len, 0);
    STEP_UNTIL(f->loop, drain_fd(slow, &got));
    assert_true(oc_starts_with(got.data, "HTTP/1.1 408 "));
    /* the one that was answered but does not hang up goes, too */
    oc_fake_clock_advance(&f->clock, 2000);
    STEP_UNTIL(f->loop, f->server->count->open == 0);
    close(silent);
    close(slow);
}

static void test_oldest_head_makes_room(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ .max_heads = 3 });
    int fds[4];
    for (unsigned i = 0; i < 4; i++) {
        fds[i] = dial(f);
        STEP_UNTIL(f->loop, f->server->head_count == (i < 3 ? i + 1 : 3));
        step_some(f->loop);
    }
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(10000);
    STEP_UNTIL(f->loop, drain_fd(fds[0], &got));
    for (int i = 1; i < 4; i++) {
        assert_false(drain_fd(fds[i], &got));
    }
    write_all(f->loop, fds[3], "GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 34);
    STEP_UNTIL(f->loop, drain_fd(fds[3], &got));
    assert_true(oc_starts_with(got.data, "HTTP/1.1 200 "));
    for (int i = 0; i < 4; i++) {
        close(fds[i]);
    }
}

static struct oc_origin origin(const char *ip, struct oc_peer *ret_peer) {
    struct oc_addr a;
    assert_true(oc_addr_parse(ip, 0, &a));
    oc_addr_unmap(&a);
    oc_addr_host(&a, ret_peer->ip);
    ret_peer->is_loopback = oc_addr_is_loopback(&a);
    return oc_origin_of(&a);
}

static bool has_room(const struct oc_server *s, const char *ip) {
    struct oc_peer peer = { .fd = -1 };
    struct oc_origin o = origin(ip, &peer);
    return oc_server_has_room(s, &peer, &o);
}

static int pretend_from(struct fixture *f, const char *ip) {
    int fds[2];
    make_pair(fds);
    struct oc_peer peer = { .fd = -1 };
    struct oc_origin o = origin(ip, &peer);
    oc_http_conn_start(f->server, oc_stream_plain(fds[0]), &peer, &o);
    return fds[1];
}

/* Who was refused and stays on the line does not pile up either. */
static void test_oldest_answered_makes_room(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ .max_answered = 2 });
    static const char bad[] = UPGRADE "Sec-WebSocket-Version: 13\r\n\r\n";
    int fds[4];
    for (unsigned i = 0; i < 4; i++) {
        fds[i] = dial(f);
        write_all(f->loop, fds[i], bad, sizeof(bad) - 1);
        STEP_UNTIL(f->loop, f->server->answered_count == (i < 2 ? i + 1 : 2) &&
                                    f->server->count->open == (i < 2 ? i + 1 : 2) &&
                                    f->server->head_count == 0);
        OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(10000);
        STEP_UNTIL(f->loop, drain_fd(fds[i], &got));
        assert_true(oc_starts_with(got.data, "HTTP/1.1 400 "));
    }
    oc_fake_clock_advance(&f->clock, 2000);
    STEP_UNTIL(f->loop, f->server->count->open == 0);
    assert_int_equal(f->server->answered_count, 0);
    for (unsigned i = 0; i < 4; i++) {
        close(fds[i]);
    }
}

static void test_budget_per_address(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ .max_heads_per_ip = 2 });
    int fds[7] = {
        pretend_from(f, "192.0.2.1"),
        pretend_from(f, "::ffff:192.0.2.1"),
        pretend_from(f, "2001:db8:1:2::1"),
        pretend_from(f, "2001:db8:1:2:ffff::9"), /* the same /64 */
        pretend_from(f, "127.0.0.1"),
        pretend_from(f, "127.0.0.1"),
        pretend_from(f, "::1"),
    };
    assert_false(has_room(f->server, "192.0.2.1"));
    assert_true(has_room(f->server, "192.0.2.2"));
    assert_false(has_room(f->server, "2001:db8:1:2:3::1"));
    assert_true(has_room(f->server, "2001:db8:1:3::1"));
    assert_true(has_room(f->server, "127.0.0.1"));
    close(fds[0]);
    step_some(f->loop);
    assert_true(has_room(f->server, "192.0.2.1"));
    for (int i = 1; i < 7; i++) {
        close(fds[i]);
    }
}

static void test_connection_ceiling_counts_websockets(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ .max_connections = 8 });
    /* Two for requests that come in, two that were answered; one of the rest is this user's, which
     * the test is. */
    assert_int_equal(f->server->max_sockets, 3);
    assert_int_equal(f->server->owner_sockets, 1);
    int fds[4];
    const struct oc_peer stranger = { .ip = "192.0.2.1", .fd = -1 };
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(oc_server_has_socket(f->server, &stranger), i < 3);
        fds[i] = dial(f);
        write_all(f->loop, fds[i], GOOD, sizeof(GOOD) - 1);
        STEP_UNTIL(f->loop, (unsigned)f->ws_count == i + 1);
    }
    assert_int_equal(f->server->count->open, 4);
    expect_status(f, GOOD, 503);
    expect_status(f, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 200);
    oc_ws_destroy(f->ws[--f->ws_count]);
    /* the count outlives the server */
    oc_server_destroy(f->server);
    f->server = NULL;
    assert_true(oc_ws_is_open(f->ws[0]));
    for (unsigned i = 0; i < 4; i++) {
        close(fds[i]);
    }
    step_some(f->loop);
}

static void test_address_in_use(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    struct oc_server *second = NULL;
    struct oc_error err;
    const struct oc_server_opts opts = {
        .hosts = loopback, .host_count = 1, .port = oc_server_port(f->server)
    };
    assert_int_equal(oc_server_create(f->loop, &opts, &handlers, f, &second, &err), OC_E_EXISTS);
    assert_null(second);
    char address[40];
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u", oc_server_port(f->server));
    assert_non_null(strstr(err.text, address));
    assert_non_null(strstr(err.text, "--port"));
    assert_string_equal(oc_server_address(f->server, 0), address);
}

static void test_hosts(void **state) {
    struct fixture *f = *state;
    static const char *const names[] = { "localhost" };
    struct oc_error err;
    struct oc_server_opts opts = { .hosts = names, .host_count = 1 };
    assert_int_equal(
            oc_server_create(f->loop, &opts, &handlers, f, &f->server, &err), OC_E_INVALID);
    static const char *const foreign[] = { "192.0.2.77" };
    opts.hosts = foreign;
    assert_int_equal(oc_server_create(f->loop, &opts, &handlers, f, &f->server, &err), OC_E_IO);
    /* the second may fail */
    static const char *const mixed[] = { "127.0.0.1", "192.0.2.77", "127.0.0.2" };
    start(f, (struct oc_server_opts){ .hosts = mixed, .host_count = 3 });
    assert_int_equal(oc_server_address_count(f->server), 2);
    assert_true(oc_starts_with(oc_server_address(f->server, 1), "127.0.0.2:"));
    opts.host_count = 0;
    struct oc_server *none = NULL;
    assert_int_equal(oc_server_create(f->loop, &opts, &handlers, f, &none, &err), OC_E_INVALID);
}

static void test_stop_listening(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    int fd = dial(f);
    STEP_UNTIL(f->loop, f->server->head_count == 1);
    oc_server_stop_listening(f->server);
    write_all(f->loop, fd, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 34); /* who is in is served */
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(10000);
    STEP_UNTIL(f->loop, drain_fd(fd, &got));
    assert_true(oc_starts_with(got.data, "HTTP/1.1 200 "));
    close(fd);
    int late = dial(f);
    STEP_UNTIL(f->loop, drain_fd(late, &got));
    close(late);
}

static void test_out_of_descriptors(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    int fd = dial(f);
    struct rlimit before, low;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = before;
    low.rlim_cur = (rlim_t)fd; /* what is free below is plugged next */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    int plugs[64], plug_count = 0;
    while (plug_count < 64 && (plugs[plug_count] = dup(0)) >= 0) {
        plug_count++;
    }
    step_some(f->loop);
    assert_int_equal(f->server->head_count, 0);
    assert_non_null(f->server->pause.loop); /* paused instead of spinning */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (int i = 0; i < plug_count; i++) {
        close(plugs[i]);
    }
    step_some(f->loop);
    assert_int_equal(f->server->head_count, 0);
    oc_fake_clock_advance(&f->clock, 100);
    STEP_UNTIL(f->loop, f->server->head_count == 1);
    close(fd);
}

static void test_client_that_never_reads_its_answer(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    int fd = dial(f);
    write_all(f->loop, fd, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 34);
    STEP_UNTIL(f->loop, f->requests == 1);
    char junk[4096] = "more";
    for (int i = 0; i < 600 && f->server->count->open > 0; i++) {
        write_all(f->loop, fd, junk, sizeof(junk)); /* a body nobody announced, without end */
        oc_loop_step(f->loop, 0);
    }
    assert_int_equal(f->server->count->open, 0);
    close(fd);
}

/* Counts the bytes that one turn of the loop brings. */
static void a_reader_of_a_large_file_lets_others_in_between(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    int reader = dial(f);
    int room = 4 * 1024 * 1024; /* the kernel would take much more at once */
    assert_int_equal(setsockopt(reader, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)), 0);
    static const char request[] = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n";
    write_all(f->loop, reader, request, strlen(request));
    size_t all = 0, most = 0;
    size_t before = 0; /* what the reader had when the other one was answered */
    int other = -1;
    bool is_over = false, is_answered = false;
    while (!is_over) {
        OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(2 * LARGE_BYTES);
        oc_loop_step(f->loop, 20);
        is_over = drain_fd(reader, &got);
        all += got.len;
        most = got.len > most ? got.len : most;
        if (all > LARGE_BYTES / 2 && other < 0) {
            static const char health[] = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
            other = dial(f);
            assert_int_equal(send(other, health, strlen(health), MSG_NOSIGNAL), strlen(health));
        }
        if (other >= 0 && !is_answered) {
            OC_AUTO_BUF struct oc_buf answer = OC_BUF_INIT(4096);
            (void)drain_fd(other, &answer);
            is_answered = answer.len > 0;
            before = all;
        }
    }
    assert_in_range(all, LARGE_BYTES, LARGE_BYTES + 1000);
    assert_in_range(most, 1, 128 * 1024);
    assert_true(is_answered);
    assert_in_range(before, LARGE_BYTES / 2, LARGE_BYTES / 2 + 1024 * 1024);
    close(other);
    close(reader);
}

static int ask_paid(struct fixture *f, const char *method) {
    char request[100];
    int fd = dial(f);
    (void)snprintf(request, sizeof(request), "%s /paid HTTP/1.1\r\nHost: x\r\n\r\n", method);
    write_all(f->loop, fd, request, strlen(request));
    return fd;
}

static void a_text_goes_into_a_file_on_its_way_out(void **state) {
    struct fixture *f = *state;
    f->may_send = true;
    start(f, (struct oc_server_opts){ 0 });
    int fd = ask_paid(f, "GET");
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(2 * LARGE_BYTES);
    STEP_UNTIL(f->loop, drain_fd(fd, &got));
    const char *body = strstr(got.data, "\r\n\r\n") + 4;
    assert_int_equal(got.len - (size_t)(body - got.data), LARGE_BYTES + 7);
    assert_non_null(strstr(got.data, "\r\nContent-Length: 16777223\r\n"));
    assert_int_equal(body[LASTING_AT - 1], 0);
    assert_memory_equal(body + LASTING_AT, "lasting", 7);
    assert_int_equal(body[LASTING_AT + 7], 0);
    assert_int_equal(f->sent, got.len);
    assert_in_range(f->most_held, 1, 64 * 1024);
    assert_int_equal(f->gone, 1);
    close(fd);
    f->sent = 0;
    fd = ask_paid(f, "HEAD");
    oc_buf_clear(&got);
    STEP_UNTIL(f->loop, drain_fd(fd, &got));
    assert_non_null(strstr(got.data, "\r\nContent-Length: 16777223\r\n"));
    assert_true(oc_ends_with(got.data, "\r\n\r\n"));
    assert_int_equal(f->gone, 2);
    close(fd);
}

static void who_pays_says_when(void **state) {
    struct fixture *f = *state;
    start(f, (struct oc_server_opts){ 0 });
    int fd = ask_paid(f, "GET");
    STEP_UNTIL(f->loop, f->requests == 1);
    for (int i = 0; i < 20; i++) {
        oc_loop_step(f->loop, 0);
    }
    assert_int_equal(f->sent, 0);
    assert_in_range(f->held, 1, 4096); /* the head alone: nothing is read ahead */
    f->may_send = true;
    oc_http_payer_go_on(&f->payer);
    STEP_UNTIL(f->loop, f->sent > 64 * 1024);
    assert_int_equal(f->gone, 0);
    oc_http_payer_drop(&f->payer);
    assert_int_equal(f->gone, 0); /* not at once: any handler may be on the stack */
    STEP_UNTIL(f->loop, f->gone == 1);
    assert_int_equal(f->server->count->open, 0);
    close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_answers),
        TEST(test_refusals),
        TEST(test_bad_upgrades),
        TEST(test_upgrade_with_early_bytes),
        TEST(test_slow_heads_are_dropped),
        TEST(test_oldest_head_makes_room),
        TEST(test_oldest_answered_makes_room),
        TEST(test_budget_per_address),
        TEST(test_connection_ceiling_counts_websockets),
        TEST(test_address_in_use),
        TEST(test_hosts),
        TEST(test_stop_listening),
        TEST(test_out_of_descriptors),
        TEST(test_client_that_never_reads_its_answer),
        TEST(a_reader_of_a_large_file_lets_others_in_between),
        TEST(a_text_goes_into_a_file_on_its_way_out),
        TEST(who_pays_says_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
