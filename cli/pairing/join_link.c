#include "cli/pairing/join_link.h"

#include "cli/gateway/target.h"
#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/net/dial.h"
#include "lib/net/http/http.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/loop.h"
#include "lib/net/loop/stream.h"
#include "lib/net/peer.h"
#include "lib/net/tls.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define TIMEOUT_MS 15000
#define MAX_ANSWER_BYTES 24576
#define CODE_LEN 22
#define CODE_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

bool cli_join_link_is(const char *text) {
    return strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0;
}

static enum oc_code fail_for_code(struct oc_error *err, enum oc_code code, const char *why) {
    enum oc_code rc = oc_fail(err, code, "%s", why);
    if (err) {
        err->grounds.remedy = OC_REMEDY_NEW_CODE;
    }
    return rc;
}

static enum oc_code no_link(struct oc_error *err) {
    return fail_for_code(
            err, OC_E_INVALID, "that is no link to a setup code (https://gateway/j/<code>)");
}

enum oc_code cli_join_link_target(const char *link, struct cli_target *ret, struct oc_error *err) {
    bool is_tls = strncasecmp(link, "https", 5) == 0;
    const char *rest = link + (is_tls ? 8 : 7);
    size_t len = strlen(rest);
    if (len < CODE_LEN + 4 || strspn(rest + len - CODE_LEN, CODE_CHARS) != CODE_LEN ||
            strncmp(rest + len - CODE_LEN - 3, "/j/", 3) != 0) {
        return no_link(err);
    }
    OC_AUTO_FREE char *url =
            oc_strfmt("%s://%.*s", is_tls ? "wss" : "ws", (int)(len - CODE_LEN - 3), rest);
    if (!oc_setup_url_ok(url)) {
        return no_link(err);
    }
    enum oc_code rc = cli_target_parse_url(url, ret, err);
    if (rc == OC_OK && !is_tls && !oc_host_is_loopback(ret->host)) {
        rc = oc_fail(err, OC_E_INVALID,
                "a link with http:// is accepted for this machine only, because it gives a secret: "
                "use https://, or the setup code itself");
    }
    return rc;
}

struct fetch {
    const struct cli_target *target;
    int64_t end_ms; /* monotonic */
    struct oc_stream *stream;
};

static enum oc_code join_link_failed(const struct fetch *f, const char *why, struct oc_error *err) {
    return oc_fail(err, OC_E_UNAVAILABLE, "cannot fetch the setup code from %s port %u: %s",
            f->target->host, f->target->port, why);
}

static enum oc_code wait_for(const struct fetch *f, int fd, unsigned events, struct oc_error *err) {
    int64_t left = f->end_ms - oc_mono_ms(&oc_clock_system);
    struct pollfd p = { .fd = fd,
        .events = (short)((events & OC_IO_READ ? POLLIN : 0) |
                          (events & OC_IO_WRITE ? POLLOUT : 0)) };
    int n = left > 0 ? poll(&p, 1, (int)left) : 0;
    if (n == 0) {
        return join_link_failed(f, "no answer in time", err);
    }
    return n > 0 || errno == EINTR ? OC_OK : join_link_failed(f, strerror(errno), err);
}

static enum oc_code connect_one(struct fetch *f, const struct addrinfo *a, struct oc_error *err) {
    int fd = oc_socket(a->ai_family);
    if (fd < 0) {
        return join_link_failed(f, strerror(errno), err);
    }
    f->stream = oc_stream_plain(fd);
    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0) {
        return OC_OK;
    }
    int problem = errno;
    socklen_t len = sizeof(problem);
    enum oc_code rc = OC_OK;
    if (problem == EINPROGRESS) {
        rc = wait_for(f, fd, OC_IO_WRITE, err);
        (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &len);
    }
    return rc == OC_OK && problem ? join_link_failed(f, strerror(problem), err) : rc;
}

static enum oc_code connect_any(struct fetch *f, struct oc_error *err) {
    char port[8];
    snprintf(port, sizeof(port), "%u", f->target->port);
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG }, *all = NULL;
    int problem = getaddrinfo(f->target->host, port, &hints, &all);
    if (problem != 0) {
        return join_link_failed(f, gai_strerror(problem), err);
    }
    enum oc_code rc = join_link_failed(f, "it has no address", err);
    for (const struct addrinfo *a = all; a && rc != OC_OK; a = a->ai_next) {
        oc_stream_destroy(oc_take(&f->stream));
        rc = connect_one(f, a, err);
    }
    freeaddrinfo(all);
    return rc;
}

static enum oc_code join_link_secure(struct fetch *f, struct oc_error *err) {
    struct oc_stream *tls = NULL;
    enum oc_code rc = oc_tls_client(
            oc_take(&f->stream), f->target->host, f->target->tls_fingerprint, &tls, err);
    f->stream = tls;
    for (bool is_done = false; rc == OC_OK && tls && !is_done;) {
        rc = oc_stream_handshake(tls, &is_done, err);
        if (rc == OC_OK && !is_done) {
            rc = wait_for(f, tls->fd, oc_stream_events(tls, OC_IO_READ), err);
        }
    }
    return rc;
}

/* The link is a secret, and without TLS it goes to a port of this machine. */
static enum oc_code know_peer(
        const struct fetch *f, const char *gateway_user, struct oc_error *err) {
    struct oc_error why;
    if (!f->stream) {
        return join_link_failed(f, "there is no connection", err);
    }
    enum oc_code rc = oc_peer_check(f->stream->fd, gateway_user, &why);
    if (rc == OC_OK) {
        return OC_OK;
    }
    return oc_fail(err, rc, "the link is not followed: %s%s%s", why.text,
            rc == OC_E_AUTH ? "; " : "", rc == OC_E_AUTH ? OC_PEER_FIX : "");
}

static enum oc_code send_request(struct fetch *f, const char *code, struct oc_error *err) {
    const struct cli_target *t = f->target;
    if (!f->stream || !t->host) {
        return join_link_failed(f, "there is no connection", err);
    }
    bool is_v6 = strchr(t->host, ':') != NULL;
    OC_AUTO_SECRET char *text =
            oc_strfmt("GET %s%sj/%s HTTP/1.1\r\nHost: %s%s%s:%u\r\nAccept: application/json\r\n"
                      "Connection: close\r\n\r\n",
                    t->path, oc_ends_with(t->path, "/") ? "" : "/", code, is_v6 ? "[" : "", t->host,
                    is_v6 ? "]" : "", t->port);
    size_t len = strlen(text), sent = 0;
    while (sent < len) {
        ssize_t n = oc_stream_write(f->stream, text + sent, len - sent);
        if (n >= 0) {
            sent += (size_t)n;
            continue;
        }
        enum oc_code rc =
                n == OC_STREAM_AGAIN
                        ? wait_for(f, f->stream->fd, oc_stream_events(f->stream, OC_IO_WRITE), err)
                        : join_link_failed(f, "the connection broke", err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

/* Until the other side ends it, as was asked for. */
static enum oc_code join_link_receive(struct fetch *f, struct oc_buf *ret, struct oc_error *err) {
    while (f->stream) {
        char part[2048];
        ssize_t n = oc_stream_read(f->stream, part, sizeof(part));
        if (n == 0 || n == OC_STREAM_BROKEN) {
            return OC_OK; /* the length that was announced tells whether something is missing */
        }
        enum oc_code rc = OC_OK;
        if (n == OC_STREAM_AGAIN) {
            rc = wait_for(f, f->stream->fd, oc_stream_events(f->stream, OC_IO_READ), err);
        } else if (oc_buf_append(ret, part, (size_t)n) != OC_OK) {
            rc = join_link_failed(f, "the answer is too large", err);
        }
        explicit_bzero(part, sizeof(part));
        if (rc != OC_OK) {
            return rc;
        }
    }
    return join_link_failed(f, "there is no connection", err);
}

static enum oc_code read_answer(
        const struct fetch *f, struct oc_buf *in, struct oc_setup_code *ret, struct oc_error *err) {
    size_t from = 0, head_len = oc_http_head_end(in->data, in->len, &from);
    struct oc_http_head head;
    if (head_len == 0 || oc_http_parse_response(in->data, head_len, &head, err) != OC_OK) {
        return join_link_failed(f, "the answer is not HTTP", err);
    }
    if (head.status == 429) {
        return join_link_failed(f, "too many wrong links from here; wait and try again", err);
    }
    if (head.status != 200) {
        return fail_for_code(err, OC_E_AUTH,
                "the gateway does not know that link, or it was used or has expired");
    }
    const char *type = oc_http_header(&head, "Content-Type");
    const char *length = oc_http_header(&head, "Content-Length");
    OC_AUTO_FREE char *got = oc_strfmt("%zu", in->len - head_len);
    if (!type || !oc_starts_with(type, "application/json") || !oc_streq(length, got)) {
        return join_link_failed(f, "the answer is no setup code", err);
    }
    return oc_setup_code_from_json(in->data + head_len, in->len - head_len, ret, err);
}

enum oc_code cli_join_link_follow(const char *link, const char *pin, const char *gateway_user,
        struct oc_setup_code *ret, struct oc_error *err) {
    struct cli_target target = { 0 };
    struct fetch f = { .target = &target, .end_ms = oc_mono_ms(&oc_clock_system) + TIMEOUT_MS };
    struct oc_buf in = OC_BUF_INIT(MAX_ANSWER_BYTES);
    enum oc_code rc = cli_join_link_target(link, &target, err);
    if (rc == OC_OK) {
        target.tls_fingerprint = oc_strdup(pin);
        rc = connect_any(&f, err);
    }
    if (rc == OC_OK && target.tls) {
        rc = join_link_secure(&f, err);
    } else if (rc == OC_OK) {
        rc = know_peer(&f, gateway_user, err);
    }
    if (rc == OC_OK) {
        rc = send_request(&f, link + strlen(link) - CODE_LEN, err);
    }
    if (rc == OC_OK) {
        rc = join_link_receive(&f, &in, err);
    }
    if (rc == OC_OK) {
        rc = read_answer(&f, &in, ret, err);
    }
    if (in.data) {
        explicit_bzero(in.data, in.len);
    }
    oc_buf_finish(&in);
    oc_stream_destroy(f.stream);
    cli_target_finish(&target);
    return rc;
}
