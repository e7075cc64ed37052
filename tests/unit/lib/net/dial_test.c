/* Dialling: names, refusals, answers that are not what we hoped for. */
#include "tests/unit/lib/net/net_testing.h"

#include "lib/net/addr.h"
#include "lib/net/dial.h"
#include "lib/net/resolve.h"
#include "lib/net/server/server.h"

struct fixture {
    struct oc_fake_clock clock;
    struct oc_loop *loop;
    struct oc_server *server;
    struct oc_ws *accepted;
    char host_header[100], path[100];
    /* a raw listener */
    int listener, peer;
    uint16_t port;
    /* the dial's end */
    int done_count;
    struct oc_ws *ws;
    struct oc_error err;
    char message[100];
};

static void on_done(void *user, struct oc_ws *take_ws, const struct oc_error *err) {
    struct fixture *f = user;
    f->done_count++;
    assert_true(!take_ws == !!err);
    f->ws = take_ws;
    if (err) {
        f->err = *err;
    }
}

static void on_message(void *user, struct oc_blob *text) {
    struct fixture *f = user;
    (void)snprintf(f->message, sizeof(f->message), "%s", text->data);
}

static void on_ws(void *user, struct oc_ws *take_ws, const struct oc_http_head *head,
        const struct oc_peer *peer) {
    (void)peer;
    struct fixture *f = user;
    assert_null(f->accepted);
    f->accepted = take_ws;
    (void)snprintf(f->host_header, sizeof(f->host_header), "%s", oc_http_header(head, "Host"));
    (void)snprintf(f->path, sizeof(f->path), "%s", oc_http_path(head));
    assert_null(oc_http_header(head, "Origin"));
    assert_null(oc_http_header(head, "User-Agent"));
    oc_ws_set_events(take_ws, &(struct oc_ws_events){ .on_message = on_message }, f);
}

static void on_request(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret) {
    (void)user;
    (void)head;
    (void)peer;
    (void)ret;
}

static int set_up(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 0);
    f->loop = make_loop(&f->clock.clock);
    f->listener = f->peer = -1;
    *state = f;
    return 0;
}

static void reset(struct fixture *f) {
    oc_ws_destroy(oc_take(&f->ws));
    oc_ws_destroy(oc_take(&f->accepted));
    if (f->peer >= 0) {
        close(oc_take_fd(&f->peer));
    }
    f->done_count = 0;
    f->err = (struct oc_error){ 0 };
    f->message[0] = '\0';
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    reset(f);
    oc_server_destroy(f->server);
    if (f->listener >= 0) {
        close(f->listener);
    }
    oc_loop_destroy(f->loop);
    oc_free(f);
    return 0;
}

static bool start_server(struct fixture *f, const char *host) {
    static const struct oc_server_handlers handlers = { .on_request = on_request, .on_ws = on_ws };
    const struct oc_server_opts opts = { .hosts = &host, .host_count = 1 };
    return oc_server_create(f->loop, &opts, &handlers, f, &f->server, NULL) == OC_OK;
}

/* Listens without anybody who answers. */
static void start_raw(struct fixture *f) {
    struct oc_addr a;
    assert_true(oc_addr_parse("127.0.0.1", 0, &a));
    f->listener = oc_socket(AF_INET);
    assert_int_equal(bind(f->listener, &a.u.any, a.len), 0);
    assert_int_equal(listen(f->listener, 16), 0);
    assert_int_equal(getsockname(f->listener, &a.u.any, &a.len), 0);
    f->port = oc_addr_port(&a);
}

static bool accept_raw(struct fixture *f) {
    struct sockaddr_in from;
    unsigned len = sizeof(from);
    if (f->peer < 0) {
        f->peer = oc_accept(f->listener, &from, &len);
    }
    return f->peer >= 0;
}

static struct oc_dial *dial(struct fixture *f, const char *host, uint16_t port) {
    const struct oc_dial_opts opts = { .host = host, .port = port };
    return oc_dial_start(f->loop, &opts, on_done, f);
}

static void test_opens(void **state) {
    struct fixture *f = *state;
    assert_true(start_server(f, "127.0.0.1"));
    uint16_t port = oc_server_port(f->server);
    const struct oc_dial_opts opts = { .host = "127.0.0.1", .port = port, .path = "/gw" };
    struct oc_dial *d = oc_dial_start(f->loop, &opts, on_done, f);
    assert_non_null(d);
    assert_int_equal(f->done_count, 0);
    STEP_UNTIL(f->loop, f->done_count && f->accepted);
    assert_non_null(f->ws);
    assert_string_equal(f->path, "/gw");
    char expected[40];
    (void)snprintf(expected, sizeof(expected), "127.0.0.1:%u", port);
    assert_string_equal(f->host_header, expected);
    oc_ws_send_text(f->ws, "hello", 5);
    STEP_UNTIL(f->loop, f->message[0]);
    assert_string_equal(f->message, "hello");
}

static void test_localhost_tries_both_families(void **state) {
    struct fixture *f = *state;
    assert_true(start_server(f, "::1")); /* loopback has both families, else nothing is tested */
    dial(f, "localhost", oc_server_port(f->server));
    STEP_UNTIL(f->loop, f->done_count && f->accepted);
    assert_non_null(f->ws);
    assert_true(oc_starts_with(f->host_header, "localhost:"));
    reset(f);
    dial(f, "[::1]", oc_server_port(f->server));
    STEP_UNTIL(f->loop, f->done_count && f->accepted);
    assert_true(oc_starts_with(f->host_header, "[::1]:"));
}

static void test_refused(void **state) {
    struct fixture *f = *state;
    start_raw(f);
    close(oc_take_fd(&f->listener));
    dial(f, "127.0.0.1", f->port);
    assert_int_equal(f->done_count, 0); /* never from inside start */
    STEP_UNTIL(f->loop, f->done_count);
    assert_string_equal(f->err.text, "connection refused");
    assert_int_equal(f->err.grounds.remedy, OC_REMEDY_START_GATEWAY);
    assert_int_equal(f->err.grounds.cause, OC_CAUSE_NOT_LISTENING);
    assert_int_equal(f->err.code, OC_E_IO);
}

static void test_unknown_host(void **state) {
    struct fixture *f = *state;
    dial(f, "no such host", 1); /* no resolver needs a network to know */
    STEP_UNTIL(f->loop, f->done_count);
    assert_int_equal(f->err.code, OC_E_INVALID);
    reset(f);
    const struct oc_dial_opts opts = { .host = "-bad-.name..", .host_header = "x", .port = 1 };
    oc_dial_start(f->loop, &opts, on_done, f);
    STEP_UNTIL(f->loop, f->done_count);
    assert_int_equal(f->err.code, OC_E_NOT_FOUND);
    assert_non_null(strstr(f->err.text, "cannot resolve host '-bad-.name..'"));
}

static void test_name_by_the_system(void **state) {
    struct fixture *f = *state;
    assert_true(start_server(f, "127.0.0.1"));
    /* The resolver knows this form of a number; our parser leaves it to it. */
    dial(f, "127.1", oc_server_port(f->server));
    STEP_UNTIL(f->loop, f->done_count);
    assert_non_null(f->ws);
}

static void test_loop_gone_before_the_resolver_answers(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct oc_loop *loop = make_loop(&oc_clock_system);
        struct fixture f = { 0 };
        const struct oc_dial_opts opts = { .host = "127.1", .port = 1 };
        struct oc_dial *d = oc_dial_start(loop, &opts, on_done, &f);
        oc_loop_step(loop, 0); /* the thread runs */
        oc_dial_cancel(d);
        oc_loop_destroy(loop);
        assert_int_equal(f.done_count, 0);
    }
}

/* What the raw listener answers, and what the dialler makes of it. */
static void expect_answer(
        struct fixture *f, const char *answer, enum oc_code code, const char *text) {
    reset(f);
    dial(f, "127.0.0.1", f->port);
    STEP_UNTIL(f->loop, accept_raw(f));
    OC_AUTO_BUF struct oc_buf request = OC_BUF_INIT(10000);
    STEP_UNTIL(f->loop, (drain_fd(f->peer, &request), request.len > 0));
    write_all(f->loop, f->peer, answer, strlen(answer));
    close(oc_take_fd(&f->peer));
    STEP_UNTIL(f->loop, f->done_count);
    assert_int_equal(f->err.code, code);
    if (!strstr(f->err.text, text)) {
        fail_msg("'%s' is not in: %s", text, f->err.text);
    }
}

static void test_wrong_answers(void **state) {
    struct fixture *f = *state;
    start_raw(f);
    expect_answer(f, "", OC_E_CLOSED, "closed before the WebSocket was open");
    expect_answer(f, "HTTP/1.1 101 x\r\nUpg", OC_E_CLOSED, "closed");
    expect_answer(f, "HTTP/1.1 404 Not Found\r\n\r\n", OC_E_INVALID, "HTTP 404 Not Found");
    expect_answer(f, "HTTP/1.1 503 Busy\r\n\r\n", OC_E_UNAVAILABLE, "HTTP 503");
    expect_answer(f, "SSH-2.0-OpenSSH\r\n\r\n\r\n", OC_E_INVALID, "not HTTP");
    expect_answer(f,
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: "
            "AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
            OC_E_INVALID, "answered wrongly");
    char *flood = oc_alloc(20001);
    memset(flood, 'x', 20000);
    expect_answer(f, flood, OC_E_TOO_LARGE, "too long");
    oc_free(flood);
}

static void test_timeouts(void **state) {
    struct fixture *f = *state;
    start_raw(f);
    const struct oc_dial_opts opts = { .host = "127.0.0.1", .port = f->port, .timeout_ms = 700 };
    oc_dial_start(f->loop, &opts, on_done, f);
    STEP_UNTIL(f->loop, accept_raw(f));
    OC_AUTO_BUF struct oc_buf request = OC_BUF_INIT(10000);
    STEP_UNTIL(f->loop, (drain_fd(f->peer, &request), request.len > 0));
    oc_fake_clock_advance(&f->clock, 699);
    step_some(f->loop);
    assert_int_equal(f->done_count, 0);
    oc_fake_clock_advance(&f->clock, 1);
    step_some(f->loop);
    assert_int_equal(f->done_count, 1);
    assert_int_equal(f->err.code, OC_E_TIMEOUT);
    assert_non_null(strstr(f->err.text, "not answered within 700 ms"));
}

static void test_cancel_at_every_stage(void **state) {
    struct fixture *f = *state;
    start_raw(f);
    struct oc_dial *d = dial(f, "127.0.0.1", f->port);
    oc_dial_cancel(d); /* before it began */
    d = dial(f, "127.0.0.1", f->port);
    oc_loop_step(f->loop, 0); /* connecting */
    oc_dial_cancel(d);
    d = dial(f, "127.1", f->port);
    oc_loop_step(f->loop, 0); /* resolving */
    oc_dial_cancel(d);
    d = dial(f, "127.0.0.1", f->port);
    STEP_UNTIL(f->loop, accept_raw(f));
    step_some(f->loop); /* waiting for the answer */
    oc_dial_cancel(d);
    oc_dial_cancel(NULL);
    step_some(f->loop);
    assert_int_equal(f->done_count, 0);
}

static void test_options_are_checked(void **state) {
    struct fixture *f = *state;
    struct oc_dial_opts opts = { .host = "127.0.0.1", .port = 1, .tls_fingerprint = "ab:cd" };
    oc_dial_start(f->loop, &opts, on_done, f);
    STEP_UNTIL(f->loop, f->done_count == 1);
    assert_string_equal(f->err.text, "gateway tls fingerprint requires wss:// gateway url");
    opts.tls = true;
    oc_dial_start(f->loop, &opts, on_done, f);
    STEP_UNTIL(f->loop, f->done_count == 2);
    assert_non_null(strstr(f->err.text, "64 hex digits"));
    opts = (struct oc_dial_opts){ .host = "127.0.0.1", .port = 1, .path = "/x\r\nEvil: 1" };
    oc_dial_start(f->loop, &opts, on_done, f);
    STEP_UNTIL(f->loop, f->done_count == 3);
    assert_int_equal(f->err.code, OC_E_INVALID);
}

static void test_kinds_of_hosts(void **state) {
    (void)state;
    static const struct {
        const char *host;
        bool is_loopback, is_private;
    } cases[] = {
        { "localhost", true, true },
        { "LOCALHOST.", true, true },
        { "127.0.0.1", true, true },
        { "127.255.3.4", true, true },
        { "::1", true, true },
        { "[::1]", true, true },
        { "::ffff:127.0.0.1", true, true },
        { "::ffff:10.1.2.3", false, true },
        { "10.0.0.1", false, true },
        { "172.16.0.1", false, true },
        { "172.31.255.255", false, true },
        { "172.32.0.1", false, false },
        { "192.168.1.1", false, true },
        { "192.169.1.1", false, false },
        { "169.254.1.1", false, true },
        { "100.64.0.1", false, true },
        { "100.127.255.255", false, true },
        { "100.128.0.1", false, false },
        { "8.8.8.8", false, false },
        { "0.0.0.0", false, false },
        { "fd00::1", false, true },
        { "fe80::1", false, true },
        { "2001:db8::1", false, false },
        { "::", false, false },
        { "printer.local", false, true },
        { "Host.TailNet.ts.net", false, true },
        { "example.com", false, false },
        { "local", false, false },
        { "evil-localhost", false, false },
        { "localhost.example.com", false, false },
        { "127.0.0.1.example.com", false, false },
        { "notts.net", false, false },
        { "", false, false },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        if (oc_host_is_loopback(cases[i].host) != cases[i].is_loopback ||
                oc_host_is_private(cases[i].host) != cases[i].is_private) {
            fail_msg("wrong about '%s'", cases[i].host);
        }
    }
    assert_false(oc_host_is_loopback(NULL));
    assert_false(oc_host_is_private(NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_opens),
        TEST(test_localhost_tries_both_families),
        TEST(test_refused),
        TEST(test_unknown_host),
        TEST(test_name_by_the_system),
        TEST(test_loop_gone_before_the_resolver_answers),
        TEST(test_wrong_answers),
        TEST(test_timeouts),
        TEST(test_cancel_at_every_stage),
        TEST(test_options_are_checked),
        cmocka_unit_test(test_kinds_of_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
