/* Fetching for somebody who is not trusted: bodies in every form, ceilings, redirects, and
 * addresses that are none of theirs. */
#include "tests/unit/lib/net/net_testing.h"

#include "lib/base/mem.h"
#include "lib/net/fetch.h"

#include <unistd.h>

#define MAX_PEERS 16

struct fixture {
    struct oc_loop *loop;
    int listener;
    uint16_t port;
    struct oc_io accept_io;
    struct peer {
        struct fixture *f;
        struct oc_io io;
        struct oc_buf in;
    } peers[MAX_PEERS];
    size_t peer_count;
    char *answer; /* to everything, %u is our port; NULL: silence */
    char asked[2048];
    struct oc_strv allow;
    /* the end */
    int done_count;
    struct oc_buf body;
    struct oc_error err;
};

static void on_request(struct oc_io *io, unsigned events) {
    (void)events;
    struct peer *p = io->user;
    bool over = drain_fd(io->fd, &p->in);
    if (!over && (!p->in.data || !strstr(p->in.data, "\r\n\r\n"))) {
        return;
    }
    (void)snprintf(p->f->asked, sizeof(p->f->asked), "%s", p->in.data ? p->in.data : "");
    if (!p->f->answer && !over) {
        return;
    }
    if (p->f->answer) {
        size_t len = strlen(p->f->answer);
        assert_int_equal(write(io->fd, p->f->answer, len), len);
    }
    oc_io_remove(io);
    close(io->fd);
    io->fd = -1;
}

static void on_accept(struct oc_io *io, unsigned events) {
    (void)events;
    struct fixture *f = io->user;
    int fd = accept(io->fd, NULL, NULL);
    assert_true(fd >= 0 && f->peer_count < MAX_PEERS);
    assert_int_equal(oc_fd_prepare(fd), 0);
    struct peer *p = &f->peers[f->peer_count++];
    *p = (struct peer){ .f = f, .in = OC_BUF_INIT(65536) };
    p->io = (struct oc_io){ .fd = fd, .events = OC_IO_READ, .on_ready = on_request, .user = p };
    assert_int_equal(oc_io_add(f->loop, &p->io, NULL), OC_OK);
}

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    f->loop = make_loop(&oc_clock_system);
    f->listener = oc_socket(AF_INET);
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    assert_int_equal(bind(f->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(f->listener, 8), 0);
    assert_int_equal(getsockname(f->listener, (struct sockaddr *)&at, &len), 0);
    f->port = ntohs(at.sin_port);
    f->accept_io = (struct oc_io){
        .fd = f->listener, .events = OC_IO_READ, .on_ready = on_accept, .user = f
    };
    assert_int_equal(oc_io_add(f->loop, &f->accept_io, NULL), OC_OK);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    for (size_t i = 0; i < f->peer_count; i++) {
        oc_io_remove(&f->peers[i].io);
        oc_auto_close(&f->peers[i].io.fd);
        oc_buf_finish(&f->peers[i].in);
    }
    oc_io_remove(&f->accept_io);
    close(f->listener);
    oc_loop_destroy(f->loop);
    oc_strv_finish(&f->allow);
    oc_buf_finish(&f->body);
    oc_free(f->answer);
    oc_free(f);
    return 0;
}

static void on_done(void *user, struct oc_buf *body, const struct oc_error *err) {
    struct fixture *f = user;
    f->done_count++;
    assert_true(!body == !!err);
    if (err) {
        f->err = *err;
        return;
    }
    oc_buf_finish(&f->body);
    f->body = *body;
    *body = (struct oc_buf){ 0 };
    (void)oc_buf_putc(&f->body, '\0');
}

static void allow_own(struct fixture *f, const char *host) {
    OC_AUTO_FREE char *entry = oc_strfmt("%s:%u", host, f->port);
    oc_strv_add(&f->allow, entry);
}

/* Where our server is, with this path. */
static bool fetch(struct fixture *f, const char *host, const char *path, size_t max_bytes) {
    OC_AUTO_FREE char *url = oc_strfmt("http://%s:%u%s", host, f->port, path);
    f->done_count = 0;
    f->err = (struct oc_error){ 0 };
    oc_fetch_start(f->loop,
            &(struct oc_fetch_opts){ .url = url,
                    .accept = "image/*",
                    .max_bytes = max_bytes,
                    .timeout_ms = 20000,
                    .allow_hosts = &f->allow,
                    .allow = OC_REMEDY_ALLOW_HOST },
            on_done, f);
    STEP_UNTIL(f->loop, f->done_count == 1);
    return f->err.code == OC_OK;
}

static void answer(struct fixture *f, const char *text) {
    oc_free(f->answer);
    f->answer = oc_strdup(text);
}

static void bodies(void **state) {
    struct fixture *f = *state;
    allow_own(f, "127.0.0.1");
    answer(f, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more");
    assert_true(fetch(f, "127.0.0.1", "/a?b=c", 100));
    assert_string_equal(f->body.data, "hello");
    OC_AUTO_FREE char *want = oc_strfmt("GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n", f->port);
    assert_true(oc_starts_with(f->asked, want));
    assert_non_null(strstr(f->asked, "Accept: image/*\r\n"));
    assert_null(strstr(f->asked, "Cookie"));
    assert_null(strstr(f->asked, "Authorization"));
    answer(f, "HTTP/1.0 200 OK\r\n\r\nup to the end");
    assert_true(fetch(f, "127.0.0.1", "/", 100));
    assert_string_equal(f->body.data, "up to the end");
    answer(f, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              "5\r\nhello\r\n00A;x=y\r\n, chunks!!\r\n0\r\nTrailer: x\r\n\r\n");
    assert_true(fetch(f, "127.0.0.1", "/", 100));
    assert_string_equal(f->body.data, "hello, chunks!!");
    answer(f, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assert_true(fetch(f, "127.0.0.1", "/", 100));
    assert_int_equal(f->body.len, 1);
}

static void bad_answers(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *answer, *part;
    } cases[] = {
        { "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc", "answers 404" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "more than 100" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "ended before" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 8\r\n\r\n12345678", "bad" },
        { "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "bad Content-Length" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "odd way" },
        { "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx", "compressed" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "chunks" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n", "chunks" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd", "chunks" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "ended before" },
        { "SSH-2.0-OpenSSH\r\n\r\n", "not HTTP" },
        { "HTTP/1.1 200 OK\r\n", "ended before" },
        { "HTTP/1.1 302 Found\r\n\r\n", "nowhere" },
    };
    allow_own(f, "127.0.0.1");
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        answer(f, cases[i].answer);
        assert_false(fetch(f, "127.0.0.1", "/", 100));
        if (!strstr(f->err.text, cases[i].part)) {
            fail_msg("%s: %s", cases[i].answer, f->err.text);
        }
    }
}

static void too_large(void **state) {
    struct fixture *f = *state;
    allow_own(f, "127.0.0.1");
    answer(f, "HTTP/1.1 200 OK\r\n\r\n0123456789");
    assert_true(fetch(f, "127.0.0.1", "/", 10));
    assert_false(fetch(f, "127.0.0.1", "/", 9));
    assert_int_equal(f->err.code, OC_E_TOO_LARGE);
}

static void inside_is_refused(void **state) {
    struct fixture *f = *state;
    static const char *const hosts[] = { "127.0.0.1", "localhost", "LOCALHOST.", "[::1]",
        "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254", "10.0.0.1" };
    answer(f, "HTTP/1.1 200 OK\r\n\r\nsecret");
    for (size_t i = 0; i < OC_COUNT(hosts); i++) {
        assert_false(fetch(f, hosts[i], "/", 100));
        assert_int_equal(f->err.code, OC_E_DENIED);
        assert_null(strstr(f->err.text, "allowHosts"));
        assert_int_equal(f->err.grounds.cause, OC_CAUSE_PRIVATE_ADDRESS);
        assert_int_equal(f->err.grounds.remedy, OC_REMEDY_ALLOW_HOST);
        assert_true(f->err.grounds.subject[0]);
        OC_AUTO_FREE char *subject = oc_strfmt("%s:%u", hosts[i], f->port);
        assert_true(i > 0 || strcmp(f->err.grounds.subject, subject) == 0);
    }
    allow_own(f, "localhost"); /* that name, not what it stands for, and not another port */
    assert_false(fetch(f, "127.0.0.1", "/", 100));
    oc_strv_add(&f->allow, "127.0.0.1:1");
    assert_false(fetch(f, "127.0.0.1", "/", 100));
    assert_int_equal(f->peer_count, 0);
    assert_true(fetch(f, "LocalHost", "/", 100));
    assert_int_equal(f->peer_count, 1);
}

/* A name that the resolver, not we, turns into an address of this machine. */
static void names_of_this_machine(void **state) {
    struct fixture *f = *state;
    char name[256];
    assert_int_equal(gethostname(name, sizeof(name)), 0);
    name[sizeof(name) - 1] = '\0';
    answer(f, "HTTP/1.1 200 OK\r\n\r\nsecret");
    assert_false(fetch(f, name, "/", 100));
    assert_true(f->err.code == OC_E_DENIED || f->err.code == OC_E_NOT_FOUND);
    assert_int_equal(f->peer_count, 0);
}

static void redirects_are_checked(void **state) {
    struct fixture *f = *state;
    allow_own(f, "127.0.0.1");
    OC_AUTO_FREE char *inside =
            oc_strfmt("HTTP/1.1 302 Found\r\nLocation: http://localhost:%u/x\r\n\r\n", f->port);
    answer(f, inside);
    assert_false(fetch(f, "127.0.0.1", "/", 100));
    assert_int_equal(f->err.code, OC_E_DENIED);
    assert_int_equal(f->peer_count, 1);
    answer(f, "HTTP/1.1 307 Again\r\nLocation: http://169.254.169.254/latest/\r\n\r\n");
    assert_false(fetch(f, "127.0.0.1", "/", 100));
    assert_int_equal(f->err.code, OC_E_DENIED);
    answer(f, "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n");
    assert_false(fetch(f, "127.0.0.1", "/", 100));
    assert_non_null(strstr(f->err.text, "only http"));
    answer(f, "HTTP/1.1 302 Found\r\nLocation: again\r\n\r\n");
    size_t before = f->peer_count;
    assert_false(fetch(f, "127.0.0.1", "/a/b", 100));
    assert_non_null(strstr(f->err.text, "too many redirects"));
    assert_int_equal(f->peer_count - before, 1 + OC_MAX_REDIRECTS);
    assert_true(oc_starts_with(f->asked, "GET /a/again "));
}

static void time_is_over(void **state) {
    struct fixture *f = *state;
    OC_AUTO_FREE char *url = oc_strfmt("http://127.0.0.1:%u/", f->port);
    allow_own(f, "127.0.0.1");
    oc_fetch_start(f->loop,
            &(struct oc_fetch_opts){
                    .url = url, .max_bytes = 10, .timeout_ms = 50, .allow_hosts = &f->allow },
            on_done, f);
    STEP_UNTIL(f->loop, f->done_count == 1);
    assert_int_equal(f->err.code, OC_E_TIMEOUT);
}

static void cancelled(void **state) {
    struct fixture *f = *state;
    OC_AUTO_FREE char *url = oc_strfmt("http://127.0.0.1:%u/", f->port);
    allow_own(f, "127.0.0.1");
    struct oc_fetch_opts opts = {
        .url = url, .max_bytes = 10, .timeout_ms = 20000, .allow_hosts = &f->allow
    };
    oc_fetch_cancel(oc_fetch_start(f->loop, &opts, on_done, f));
    struct oc_fetch *fetch_2 = oc_fetch_start(f->loop, &opts, on_done, f);
    STEP_UNTIL(f->loop, f->peer_count == 1 && f->asked[0]);
    oc_fetch_cancel(fetch_2);
    step_some(f->loop);
    assert_int_equal(f->done_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bodies, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(too_large, setup, teardown),
        cmocka_unit_test_setup_teardown(inside_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(names_of_this_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(redirects_are_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(time_is_over, setup, teardown),
        cmocka_unit_test_setup_teardown(cancelled, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
