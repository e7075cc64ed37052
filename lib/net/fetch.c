#include "lib/net/fetch.h"

#include "lib/base/mem.h"
#include "lib/net/guard.h"
#include "lib/net/http/http_body.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/stream.h"
#include "lib/net/resolve.h"
#include "lib/net/tls.h"
#include "lib/net/url.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_HEAD 32768
#define ATTEMPT_MS 3000 /* for one address while there are others */

enum fetch_state { RESOLVE, CONNECT, TLS, REQUEST, HEAD, BODY };

struct oc_fetch {
    struct oc_loop *loop;
    oc_fetch_done *done;
    void *user;
    char *first, *accept;
    size_t max_bytes;
    struct oc_strv allow_hosts;
    enum oc_remedy allow;

    enum fetch_state state;
    struct oc_deferred start;
    struct oc_timer deadline, attempt;
    struct oc_url url;
    unsigned redirects;
    struct oc_resolve *resolve;
    struct oc_addr_list addrs;
    size_t next_addr;
    int connect_errno;
    struct oc_io io;
    int fd; /* while connecting; later the stream has it */
    struct oc_stream *stream;
    struct oc_buf out, in, body;
    size_t out_done, scanned;
    struct oc_http_body reader;
};

static void fetch_begin(struct oc_fetch *f);
static void try_next_address(struct oc_fetch *f);

static void drop_connection(struct oc_fetch *f) {
    oc_io_remove(&f->io);
    oc_timer_cancel(&f->attempt);
    if (f->fd >= 0) {
        close(oc_take_fd(&f->fd));
    }
    oc_stream_destroy(oc_take(&f->stream));
    oc_buf_finish(&f->out);
    oc_buf_finish(&f->in);
    f->out_done = f->scanned = 0;
}

void oc_fetch_cancel(struct oc_fetch *f) {
    if (!f) {
        return;
    }
    oc_defer_cancel(&f->start);
    oc_timer_cancel(&f->deadline);
    oc_resolve_cancel(f->resolve);
    drop_connection(f);
    oc_buf_finish(&f->body);
    oc_url_finish(&f->url);
    oc_strv_finish(&f->allow_hosts);
    oc_free(f->first);
    oc_free(f->accept);
    oc_free(f);
}

/* The one way out. */
static void fetch_conclude(struct oc_fetch *f, const struct oc_error *err) {
    oc_fetch_done *done = f->done;
    void *user = f->user;
    struct oc_error copy = err ? *err : (struct oc_error){ 0 };
    OC_AUTO_BUF struct oc_buf body = f->body;
    f->body = (struct oc_buf){ 0 };
    oc_fetch_cancel(f);
    done(user, err ? NULL : &body, err ? &copy : NULL);
}

static void fail_with(struct oc_fetch *f, struct oc_error *err) {
    if (f->url.host) {
        OC_AUTO_FREE char *authority = oc_url_authority(&f->url);
        oc_error_prefix(err, "%s", authority);
    }
    fetch_conclude(f, err);
}

static void fetch_fail(struct oc_fetch *f, enum oc_code code, const char *why) {
    struct oc_error err;
    (void)oc_fail(&err, code, "%s", why);
    fail_with(f, &err);
}

static void on_deadline(struct oc_timer *t) {
    fetch_fail(t->user, OC_E_TIMEOUT, "no answer in time");
}

static void wait_for(struct oc_fetch *f, unsigned wanted) {
    oc_io_set_events(&f->io, oc_stream_events(f->stream, wanted));
}

static void fetch_follow(struct oc_fetch *f, const char *location) {
    struct oc_url next;
    struct oc_error err;
    if (!location) {
        fetch_fail(f, OC_E_INVALID, "a redirect to nowhere");
        return;
    }
    if (++f->redirects > OC_MAX_REDIRECTS) {
        fetch_fail(f, OC_E_TOO_LARGE, "too many redirects");
        return;
    }
    if (oc_url_resolve(&f->url, location, &next, &err) != OC_OK) {
        fail_with(f, &err);
        return;
    }
    if (f->url.tls && !next.tls) {
        oc_url_finish(&next);
        fetch_fail(f, OC_E_DENIED,
                "redirects from https to http, which everyone on the way can change");
        return;
    }
    drop_connection(f);
    oc_url_finish(&f->url);
    f->url = next;
    fetch_begin(f);
}

/* False: nothing more is to be read here. */
static bool take_head(struct oc_fetch *f, size_t head_len) {
    struct oc_http_head head;
    struct oc_error err;
    enum oc_code rc = oc_http_parse_response(f->in.data, head_len, &head, &err);
    if (rc == OC_OK && head.status >= 100 && head.status < 200) { /* the real one follows */
        oc_buf_consume(&f->in, head_len);
        f->scanned = 0;
        return true;
    }
    const char *coding = rc == OC_OK ? oc_http_header(&head, "Content-Encoding") : NULL;
    if (rc == OC_OK && (head.status == 301 || head.status == 302 || head.status == 303 ||
                               head.status == 307 || head.status == 308)) {
        OC_AUTO_FREE char *location = oc_strdup(oc_http_header(&head, "Location"));
        fetch_follow(f, location);
        return false;
    }
    if (rc == OC_OK && head.status != 200) {
        rc = oc_fail(&err, OC_E_NOT_FOUND, "answers %d", head.status);
    } else if (rc == OC_OK && coding && strcasecmp(coding, "identity") != 0) {
        rc = oc_fail(&err, OC_E_UNSUPPORTED, "answers compressed, which was not asked for");
    }
    rc = rc == OC_OK ? oc_http_body_begin(&f->reader, &head, &err) : rc;
    if (rc == OC_OK && f->reader.kind == OC_BODY_LENGTH && f->reader.left > f->max_bytes) {
        rc = oc_fail(&err, OC_E_TOO_LARGE, "has %llu bytes, more than %zu",
                (unsigned long long)f->reader.left, f->max_bytes);
    }
    if (rc != OC_OK) {
        fail_with(f, &err);
        return false;
    }
    oc_buf_consume(&f->in, head_len);
    f->state = BODY;
    return true;
}

/* False: it is over, well or not. */
static bool take_input(struct oc_fetch *f) {
    struct oc_error err;
    size_t head_len;
    while (f->state == HEAD &&
            (head_len = oc_http_head_end(f->in.data, f->in.len, &f->scanned)) > 0) {
        if (!take_head(f, head_len)) {
            return false;
        }
    }
    if (f->state == HEAD) {
        return true;
    }
    if (oc_http_body_take(&f->reader, f->in.data, f->in.len, &f->body, &err) != OC_OK) {
        fail_with(f, &err);
        return false;
    }
    oc_buf_clear(&f->in);
    if (f->reader.is_done) {
        fetch_conclude(f, NULL);
        return false;
    }
    return true;
}

static void read_answer(struct oc_fetch *f) {
    for (;;) {
        char *to = f->in.len < MAX_HEAD ? oc_buf_reserve(&f->in, MAX_HEAD - f->in.len) : NULL;
        if (!to) {
            fetch_fail(f, OC_E_TOO_LARGE, "the head of the answer is too long");
            return;
        }
        ssize_t n = oc_stream_read(f->stream, to, MAX_HEAD - f->in.len);
        if (n == OC_STREAM_AGAIN) {
            wait_for(f, OC_IO_READ);
            return;
        }
        if (n <= 0) {
            /* TLS without close_notify is an attacker's way to cut a body short; with a length we
             * would notice. */
            if (f->state == BODY && oc_http_body_may_end(&f->reader) && n == 0) {
                fetch_conclude(f, NULL);
            } else {
                fetch_fail(f, OC_E_CLOSED, "the connection ended before the answer did");
            }
            return;
        }
        f->in.len += (size_t)n;
        if (!take_input(f)) {
            return;
        }
    }
}

static void write_request(struct oc_fetch *f) {
    while (f->out_done < f->out.len) {
        ssize_t n = oc_stream_write(f->stream, f->out.data + f->out_done, f->out.len - f->out_done);
        if (n == OC_STREAM_AGAIN) {
            wait_for(f, OC_IO_WRITE);
            return;
        }
        if (n <= 0) {
            fetch_fail(f, OC_E_CLOSED, "the connection ended before we asked");
            return;
        }
        f->out_done += (size_t)n;
    }
    f->state = HEAD;
    f->in = OC_BUF_INIT(MAX_HEAD);
    wait_for(f, OC_IO_READ);
}

static void start_request(struct oc_fetch *f) {
    OC_AUTO_FREE char *authority = oc_url_authority(&f->url);
    if (f->url.port == (f->url.tls ? 443 : 80)) {
        *strrchr(authority, ':') = '\0';
    }
    f->state = REQUEST;
    f->out = OC_BUF_INIT((size_t)8 * OC_MAX_URL);
    (void)oc_buf_printf(&f->out,
            "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: openclaw/" OC_VERSION
            "\r\nAccept: %s\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n",
            f->url.target, authority, f->accept ? f->accept : "*/*");
    write_request(f);
}

static void do_tls(struct oc_fetch *f) {
    struct oc_error err;
    bool is_done;
    if (oc_stream_handshake(f->stream, &is_done, &err) != OC_OK) {
        fail_with(f, &err);
    } else if (!is_done) {
        wait_for(f, OC_IO_READ | OC_IO_WRITE);
    } else {
        start_request(f);
    }
}

static void on_connected(struct oc_fetch *f) {
    struct oc_error err;
    oc_timer_cancel(&f->attempt);
    f->stream = oc_stream_plain(oc_take_fd(&f->fd));
    if (!f->url.tls) {
        start_request(f);
        return;
    }
    f->state = TLS;
    if (oc_tls_client(f->stream, f->url.host, NULL, &f->stream, &err) != OC_OK) {
        f->stream = NULL; /* it was taken */
        fail_with(f, &err);
        return;
    }
    do_tls(f);
}

static void next_after(struct oc_fetch *f, int e) {
    f->connect_errno = f->connect_errno ? f->connect_errno : e;
    drop_connection(f);
    try_next_address(f);
}

static void on_connect_ready(struct oc_fetch *f) {
    int e = 0;
    socklen_t len = sizeof(e);
    if (getsockopt(f->fd, SOL_SOCKET, SO_ERROR, &e, &len) < 0) {
        e = errno;
    }
    if (e == 0) {
        on_connected(f);
    } else {
        next_after(f, e);
    }
}

/* A silent address must not use up the time of those behind it. */
static void on_attempt_over(struct oc_timer *t) {
    next_after(t->user, ETIMEDOUT);
}

static void on_ready(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_fetch *f = io->user;
    switch (f->state) {
    case RESOLVE:
        break; /* nothing is in the loop then */
    case CONNECT:
        on_connect_ready(f);
        break;
    case TLS:
        do_tls(f);
        break;
    case REQUEST:
        write_request(f);
        break;
    case HEAD:
    case BODY:
        read_answer(f);
        break;
    }
}

static void try_next_address(struct oc_fetch *f) {
    f->state = CONNECT;
    while (f->next_addr < f->addrs.count) {
        const struct oc_addr *a = &f->addrs.items[f->next_addr++];
        f->fd = oc_socket(a->u.any.sa_family);
        bool started = f->fd >= 0 && (connect(f->fd, &a->u.any, a->len) == 0 ||
                                             errno == EINPROGRESS || errno == EINTR);
        f->io = (struct oc_io){
            .fd = f->fd, .events = OC_IO_WRITE, .on_ready = on_ready, .user = f
        };
        if (started && oc_io_add(f->loop, &f->io, NULL) == OC_OK) {
            if (f->next_addr < f->addrs.count) {
                oc_timer_set(f->loop, &f->attempt, ATTEMPT_MS);
            }
            return;
        }
        f->connect_errno = f->connect_errno ? f->connect_errno : errno;
        drop_connection(f);
    }
    fetch_fail(f, OC_E_IO, f->connect_errno ? strerror(f->connect_errno) : "no address to try");
}

static bool is_allowed(const struct oc_fetch *f) {
    OC_AUTO_FREE char *authority = oc_url_authority(&f->url);
    for (size_t i = 0; i < f->allow_hosts.count; i++) {
        if (strcasecmp(f->allow_hosts.items[i], authority) == 0) {
            return true;
        }
    }
    return false;
}

static void refuse_address(struct oc_fetch *f, const struct oc_addr *a) {
    char host[OC_MAX_ADDR_TEXT];
    OC_AUTO_FREE char *authority = oc_url_authority(&f->url);
    struct oc_error err;
    oc_addr_host(a, host);
    (void)oc_fail_cause(&err, OC_E_DENIED, OC_CAUSE_PRIVATE_ADDRESS,
            "%s is not an address on the Internet, and is not fetched", host);
    err.grounds.remedy = f->allow;
    oc_grounds_set_subject(&err.grounds, authority);
    fail_with(f, &err);
}

/* All of them: a name with one good and one bad address is somebody's trick. */
static void check_addresses(struct oc_fetch *f) {
    bool allowed = is_allowed(f);
    for (size_t i = 0; i < f->addrs.count; i++) {
        const struct oc_addr *a = &f->addrs.items[i];
        if (!allowed && (!oc_addr_is_public(a) || oc_addr_is_own(a))) {
            refuse_address(f, a);
            return;
        }
    }
    f->next_addr = 0;
    f->connect_errno = 0;
    try_next_address(f);
}

static void on_resolved(void *user, const struct oc_addr_list *addrs, const struct oc_error *err) {
    struct oc_fetch *f = user;
    f->resolve = NULL;
    if (err) {
        fetch_conclude(f, err); /* names the host already */
        return;
    }
    f->addrs = *addrs;
    check_addresses(f);
}

static void fetch_begin(struct oc_fetch *f) {
    struct oc_error err;
    f->state = RESOLVE;
    if (oc_resolve_now(f->url.host, f->url.port, &f->addrs)) {
        check_addresses(f);
        return;
    }
    if (oc_resolve_start(f->loop, f->url.host, f->url.port, on_resolved, f, &f->resolve, &err) !=
            OC_OK) {
        fetch_conclude(f, &err);
    }
}

static void on_start(struct oc_deferred *deferred) {
    struct oc_fetch *f = deferred->user;
    struct oc_error err;
    if (oc_url_parse(f->first, &f->url, &err) != OC_OK) {
        fetch_conclude(f, &err);
        return;
    }
    fetch_begin(f);
}

struct oc_fetch *oc_fetch_start(
        struct oc_loop *loop, const struct oc_fetch_opts *opts, oc_fetch_done *done, void *user) {
    struct oc_fetch *f = oc_new(struct oc_fetch);
    f->loop = loop;
    f->done = done;
    f->user = user;
    f->fd = -1;
    f->first = oc_strdup(opts->url);
    f->accept = oc_strdup(opts->accept);
    f->allow = opts->allow;
    f->max_bytes = opts->max_bytes;
    f->body = OC_BUF_INIT(opts->max_bytes);
    if (opts->allow_hosts) {
        oc_strv_copy(&f->allow_hosts, opts->allow_hosts);
    }
    f->start = (struct oc_deferred){ .run = on_start, .user = f };
    f->deadline = (struct oc_timer){ .on_expire = on_deadline, .user = f };
    f->attempt = (struct oc_timer){ .on_expire = on_attempt_over, .user = f };
    oc_defer(loop, &f->start);
    oc_timer_set(loop, &f->deadline, opts->timeout_ms);
    return f;
}
