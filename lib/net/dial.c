#include "lib/net/dial.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/stream.h"
#include "lib/net/peer.h"
#include "lib/net/resolve.h"
#include "lib/net/tls.h"
#include "lib/net/ws/handshake.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_MS 10000
#define MAX_ANSWER_BYTES 16384
#define ATTEMPT_MS 3000 /* for one address while there are others */

enum dial_state { DIAL_RESOLVE, DIAL_CONNECT, DIAL_TLS, DIAL_REQUEST, DIAL_ANSWER };

struct oc_dial {
    struct oc_loop *loop;
    oc_dial_done *done;
    void *user;
    char *host, *path, *host_header, *pin;
    char *gateway_user;
    uint16_t port;
    bool use_tls;
    int timeout_ms;
    struct oc_ws_opts ws_opts;

    enum dial_state state;
    struct oc_deferred start;
    struct oc_timer deadline, attempt;
    struct oc_resolve *resolve;
    struct oc_addr_list addrs;
    size_t next_addr;
    int connect_errno; /* of the first address that failed */
    struct oc_io io;
    int fd; /* while connecting; later the stream has it */
    struct oc_stream *stream;
    char key[OC_WS_KEY_LEN + 1];
    struct oc_buf out, in;
    size_t out_done, scanned;
};

static void try_next_address(struct oc_dial *d);

static void drop_connection(struct oc_dial *d) {
    oc_io_remove(&d->io);
    oc_timer_cancel(&d->attempt);
    if (d->fd >= 0) {
        close(oc_take_fd(&d->fd));
    }
    oc_stream_destroy(oc_take(&d->stream));
}

void oc_dial_cancel(struct oc_dial *d) {
    if (!d) {
        return;
    }
    oc_defer_cancel(&d->start);
    oc_timer_cancel(&d->deadline);
    oc_resolve_cancel(d->resolve);
    drop_connection(d);
    oc_buf_finish(&d->out);
    oc_buf_finish(&d->in);
    oc_free(d->host);
    oc_free(d->path);
    oc_free(d->host_header);
    oc_free(d->pin);
    oc_free(d->gateway_user);
    oc_free(d);
}

/* The one way out. */
static void dial_conclude(struct oc_dial *d, struct oc_ws *ws, const struct oc_error *err) {
    oc_dial_done *done = d->done;
    void *user = d->user;
    struct oc_error copy = err ? *err : (struct oc_error){ 0 };
    oc_dial_cancel(d);
    done(user, ws, err ? &copy : NULL);
}

static void fail_with(struct oc_dial *d, struct oc_error *err) {
    dial_conclude(d, NULL, err);
}

static void connect_failed(struct oc_dial *d) {
    struct oc_error err = { 0 };
    int e = d->connect_errno;
    if (e == ECONNREFUSED) {
        (void)oc_fail_cause(&err, OC_E_IO, OC_CAUSE_NOT_LISTENING, "connection refused");
        err.grounds.remedy =
                oc_host_is_loopback(d->host) ? OC_REMEDY_START_GATEWAY : OC_REMEDY_CHECK_GATEWAY;
    } else if (e == ETIMEDOUT) {
        (void)oc_fail(&err, OC_E_TIMEOUT, "no answer from that address");
    } else {
        (void)oc_fail(&err, OC_E_IO, "%s", e ? strerror(e) : "no address to try");
    }
    fail_with(d, &err);
}

static void on_deadline(struct oc_timer *t) {
    struct oc_dial *d = t->user;
    static const char *const waiting_for[] = {
        [DIAL_RESOLVE] = "the host name was not resolved",
        [DIAL_CONNECT] = "no answer from that address",
        [DIAL_TLS] = "the TLS handshake was not finished",
        [DIAL_REQUEST] = "the WebSocket upgrade was not answered",
        [DIAL_ANSWER] = "the WebSocket upgrade was not answered",
    };
    struct oc_error err;
    (void)oc_fail(&err, OC_E_TIMEOUT, "%s within %d ms", waiting_for[d->state], d->timeout_ms);
    fail_with(d, &err);
}

static void wait_for(struct oc_dial *d, unsigned wanted) {
    oc_io_set_events(&d->io, oc_stream_events(d->stream, wanted));
}

static void fail_broken(struct oc_dial *d) {
    struct oc_error err;
    (void)oc_fail_cause(&err, OC_E_CLOSED, d->use_tls ? OC_CAUSE_NONE : OC_CAUSE_CLOSED_EARLY,
            "the connection was closed before the WebSocket was open%s",
            d->use_tls ? ""
                       : " (a gateway with TLS needs wss://, one with too many connections closes "
                         "some)");
    fail_with(d, &err);
}

static void open_ws(struct oc_dial *d, size_t head_len) {
    struct oc_slice early = { .ptr = d->in.data + head_len, .len = d->in.len - head_len };
    oc_io_remove(&d->io);
    struct oc_ws *ws = oc_ws_create(d->loop, oc_take(&d->stream), &d->ws_opts, NULL, NULL, early);
    dial_conclude(d, ws, NULL);
}

/* An alert or a hello of TLS, where HTTP was expected. */
static bool is_tls_record(const struct oc_buf *in) {
    return in->len >= 2 && (in->data[0] == 0x15 || in->data[0] == 0x16) && in->data[1] == 3;
}

static void read_answer(struct oc_dial *d) {
    size_t head_len = 0;
    while (head_len == 0) {
        char *to = d->in.len < MAX_ANSWER_BYTES
                           ? oc_buf_reserve(&d->in, MAX_ANSWER_BYTES - d->in.len)
                           : NULL;
        struct oc_error err;
        if (!to) {
            (void)oc_fail(&err, OC_E_TOO_LARGE, "the HTTP answer is too long");
            fail_with(d, &err);
            return;
        }
        ssize_t n = oc_stream_read(d->stream, to, MAX_ANSWER_BYTES - d->in.len);
        if (n == OC_STREAM_AGAIN) {
            wait_for(d, OC_IO_READ);
            return;
        }
        if (n <= 0) {
            fail_broken(d);
            return;
        }
        d->in.len += (size_t)n;
        if (!d->use_tls && is_tls_record(&d->in)) {
            (void)oc_fail_cause(&err, OC_E_CLOSED, OC_CAUSE_NEEDS_TLS,
                    "the gateway speaks TLS on that port now");
            fail_with(d, &err);
            return;
        }
        head_len = oc_http_head_end(d->in.data, d->in.len, &d->scanned);
    }
    struct oc_http_head head;
    struct oc_error err;
    enum oc_code rc = oc_http_parse_response(d->in.data, head_len, &head, &err);
    if (rc == OC_OK) {
        rc = oc_ws_check_answer(&head, d->key, &err);
    }
    if (rc != OC_OK) {
        fail_with(d, &err);
        return;
    }
    open_ws(d, head_len);
}

static void write_request(struct oc_dial *d) {
    while (d->out_done < d->out.len) {
        ssize_t n = oc_stream_write(d->stream, d->out.data + d->out_done, d->out.len - d->out_done);
        if (n == OC_STREAM_AGAIN) {
            wait_for(d, OC_IO_WRITE);
            return;
        }
        if (n <= 0) {
            fail_broken(d);
            return;
        }
        d->out_done += (size_t)n;
    }
    d->state = DIAL_ANSWER;
    d->in = OC_BUF_INIT(MAX_ANSWER_BYTES);
    wait_for(d, OC_IO_READ);
}

static void start_request(struct oc_dial *d) {
    d->state = DIAL_REQUEST;
    oc_ws_new_key(d->key);
    d->out = OC_BUF_INIT(MAX_ANSWER_BYTES);
    oc_ws_put_request(&d->out, d->path, d->host_header, d->key);
    write_request(d);
}

static void do_tls(struct oc_dial *d) {
    struct oc_error err;
    bool is_done;
    if (oc_stream_handshake(d->stream, &is_done, &err) != OC_OK) {
        fail_with(d, &err);
    } else if (!is_done) {
        wait_for(d, OC_IO_READ | OC_IO_WRITE);
    } else {
        start_request(d);
    }
}

static void on_connected(struct oc_dial *d) {
    struct oc_error err;
    oc_timer_cancel(&d->attempt);
    oc_tcp_tune(d->fd);
    d->stream = oc_stream_plain(oc_take_fd(&d->fd));
    if (d->use_tls) {
        d->state = DIAL_TLS;
        if (oc_tls_client(d->stream, d->host, d->pin, &d->stream, &err) != OC_OK) {
            d->stream = NULL; /* it was taken */
            fail_with(d, &err);
            return;
        }
        do_tls(d);
        return;
    }
    /* Nothing is sent to a program of another user. Where the user is not known yet (a busy gateway
     * has not accepted us), the session asks again before it sends a secret. */
    if (oc_peer_check(d->stream->fd, d->gateway_user, &err) == OC_E_AUTH) {
        fail_with(d, &err);
        return;
    }
    start_request(d);
}

static void note_errno(struct oc_dial *d, int e) {
    if (!d->connect_errno) {
        d->connect_errno = e;
    }
}

static void on_connect_ready(struct oc_dial *d) {
    int e = 0;
    socklen_t len = sizeof(e);
    if (getsockopt(d->fd, SOL_SOCKET, SO_ERROR, &e, &len) < 0) {
        e = errno;
    }
    if (e == 0) {
        on_connected(d);
        return;
    }
    note_errno(d, e);
    drop_connection(d);
    try_next_address(d);
}

/* A silent address must not use up the time of those behind it. */
static void on_attempt_over(struct oc_timer *t) {
    struct oc_dial *d = t->user;
    note_errno(d, ETIMEDOUT);
    drop_connection(d);
    try_next_address(d);
}

static void on_ready(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_dial *d = io->user;
    switch (d->state) {
    case DIAL_RESOLVE:
        break; /* nothing is in the loop then */
    case DIAL_CONNECT:
        on_connect_ready(d);
        break;
    case DIAL_TLS:
        do_tls(d);
        break;
    case DIAL_REQUEST:
        write_request(d);
        break;
    case DIAL_ANSWER:
        read_answer(d);
        break;
    }
}

static void try_next_address(struct oc_dial *d) {
    d->state = DIAL_CONNECT;
    while (d->next_addr < d->addrs.count) {
        const struct oc_addr *a = &d->addrs.items[d->next_addr++];
        d->fd = oc_socket(a->u.any.sa_family);
        if (d->fd < 0) {
            note_errno(d, errno);
            continue;
        }
        if (connect(d->fd, &a->u.any, a->len) < 0 && errno != EINPROGRESS && errno != EINTR) {
            note_errno(d, errno);
            drop_connection(d);
            continue;
        }
        d->io = (struct oc_io){
            .fd = d->fd, .events = OC_IO_WRITE, .on_ready = on_ready, .user = d
        };
        if (oc_io_add(d->loop, &d->io, NULL) == OC_OK) {
            if (d->next_addr < d->addrs.count) {
                oc_timer_set(d->loop, &d->attempt, ATTEMPT_MS);
            }
            return;
        }
        note_errno(d, ENOMEM);
        drop_connection(d);
    }
    connect_failed(d);
}

static void on_resolved(void *user, const struct oc_addr_list *addrs, const struct oc_error *err) {
    struct oc_dial *d = user;
    d->resolve = NULL;
    if (err) {
        dial_conclude(d, NULL, err); /* names the host already */
        return;
    }
    d->addrs = *addrs;
    try_next_address(d);
}

static enum oc_code check_opts(const struct oc_dial *d, struct oc_error *err) {
    char pin[OC_TLS_PIN_LEN + 1];
    if (d->pin && !d->use_tls) {
        return oc_fail(err, OC_E_INVALID, "gateway tls fingerprint requires wss:// gateway url");
    }
    if (d->pin && !oc_tls_pin_normalize(d->pin, pin)) {
        return oc_fail(err, OC_E_INVALID,
                "tls fingerprint: expected the SHA-256 of the gateway's certificate (64 hex "
                "digits)");
    }
    if (d->path[0] != '/' || strpbrk(d->path, " \r\n\t#") || strpbrk(d->host_header, " \r\n\t")) {
        return oc_fail(err, OC_E_INVALID, "gateway url: bad host or path");
    }
    return OC_OK;
}

static void on_start(struct oc_deferred *deferred) {
    struct oc_dial *d = deferred->user;
    struct oc_error err;
    enum oc_code rc = check_opts(d, &err);
    if (rc == OC_OK && oc_resolve_now(d->host, d->port, &d->addrs)) {
        try_next_address(d);
        return;
    }
    if (rc == OC_OK) {
        rc = oc_resolve_start(d->loop, d->host, d->port, on_resolved, d, &d->resolve, &err);
    }
    if (rc != OC_OK) {
        dial_conclude(d, NULL, &err);
    }
}

static char *without_brackets(const char *host) {
    size_t len = strlen(host);
    bool has_brackets = len > 2 && host[0] == '[' && host[len - 1] == ']';
    return has_brackets ? oc_strndup(host + 1, len - 2) : oc_strdup(host);
}

struct oc_dial *oc_dial_start(
        struct oc_loop *loop, const struct oc_dial_opts *opts, oc_dial_done *done, void *user) {
    struct oc_dial *d = oc_new(struct oc_dial);
    d->loop = loop;
    d->done = done;
    d->user = user;
    d->fd = -1;
    d->port = opts->port;
    d->use_tls = opts->tls;
    d->timeout_ms = opts->timeout_ms > 0 ? opts->timeout_ms : DEFAULT_TIMEOUT_MS;
    d->ws_opts = opts->ws;
    d->ws_opts.is_client = true;
    d->host = without_brackets(opts->host);
    d->path = oc_strdup(opts->path && opts->path[0] ? opts->path : "/");
    d->pin = oc_str_blank(opts->tls_fingerprint) ? NULL : oc_strdup(opts->tls_fingerprint);
    d->gateway_user = oc_strdup(opts->gateway_user);
    d->host_header = opts->host_header ? oc_strdup(opts->host_header)
                                       : oc_strfmt(strchr(d->host, ':') ? "[%s]:%u" : "%s:%u",
                                                 d->host, opts->port);
    d->start = (struct oc_deferred){ .run = on_start, .user = d };
    d->deadline = (struct oc_timer){ .on_expire = on_deadline, .user = d };
    d->attempt = (struct oc_timer){ .on_expire = on_attempt_over, .user = d };
    oc_defer(loop, &d->start);
    oc_timer_set(loop, &d->deadline, d->timeout_ms);
    return d;
}
