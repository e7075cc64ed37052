#include "net/server.h"

#include "base/mem.h"
#include "net/addr.h"
#include "net/fd.h"
#include "net/server_private.h"
#include "net/tls.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 512
#define ACCEPTS_PER_ROUND 64
#define PAUSE_MS 100

static void count_unref(struct oc_conn_count *count) {
    if (--count->refs == 0) {
        oc_free(count);
    }
}

static void on_stream_gone(void *user) {
    struct oc_conn_count *count = user;
    count->open--;
    count_unref(count);
}

static void set_accepting(struct oc_server *s, bool on) {
    for (size_t i = 0; i < s->listener_count; i++) {
        oc_io_set_events(&s->listeners[i].io, on ? OC_IO_READ : 0);
    }
}

static void on_pause_over(struct oc_timer *t) {
    set_accepting(t->user, true);
}

struct oc_origin oc_origin_of(const struct oc_addr *a) {
    struct oc_origin o = { .is_v6 = a->u.any.sa_family == AF_INET6 };
    if (o.is_v6) {
        memcpy(o.key, &a->u.v6.sin6_addr, 8);
    } else {
        memcpy(o.key, &a->u.v4.sin_addr, 4);
    }
    return o;
}

static unsigned count_from(const struct oc_list *conns, const struct oc_origin *o) {
    unsigned n = 0;
    const struct oc_http_conn *c;
    oc_list_for_each(c, conns, link) {
        n += c->origin.is_v6 == o->is_v6 && memcmp(c->origin.key, o->key, sizeof(o->key)) == 0;
    }
    return n;
}

/* Every connection that is not a WebSocket yet, the ones that only wait for their goodbye included. */
static unsigned unproven_from(const struct oc_server *s, const struct oc_origin *o) {
    return count_from(&s->heads, o) + count_from(&s->answered, o);
}

bool oc_server_has_room(
        const struct oc_server *s, const struct oc_peer *peer, const struct oc_origin *origin) {
    return s->count->open < s->opts.max_connections &&
           (peer->is_loopback || unproven_from(s, origin) < s->opts.max_heads_per_ip);
}

static void admit(struct oc_server *s, int fd, const struct oc_addr *addr) {
    struct oc_peer peer;
    oc_addr_host(addr, peer.ip);
    peer.is_loopback = oc_addr_is_loopback(addr);
    struct oc_origin origin = oc_origin_of(addr);
    if (!oc_server_has_room(s, &peer, &origin)) {
        close(fd);
        return;
    }
    if (s->head_count >= s->opts.max_heads) {
        /* Who has been sending its head for the longest makes room: honest clients need
         * milliseconds. */
        oc_http_conn_drop(oc_list_first(&s->heads, struct oc_http_conn, link));
    }
    oc_tcp_tune(fd);
    struct oc_stream *stream = oc_stream_plain(fd);
    stream->on_gone = on_stream_gone;
    stream->gone_user = s->count;
    s->count->refs++;
    s->count->open++;
    if (s->opts.tls && oc_tls_accept(s->opts.tls, stream, &stream, NULL) != OC_OK) {
        return; /* the stream was taken and is gone */
    }
    oc_http_conn_start(s, stream, &peer, &origin);
}

static void on_acceptable(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_listener *l = io->user;
    struct oc_server *s = l->server;
    for (int i = 0; i < ACCEPTS_PER_ROUND; i++) {
        struct oc_addr addr = { .len = sizeof(addr.u) };
        unsigned len = sizeof(addr.u);
        int fd = oc_accept(io->fd, &addr.u, &len);
        if (fd >= 0) {
            addr.len = len;
            oc_addr_unmap(&addr);
            admit(s, fd, &addr);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            /* The connection stays in the backlog and would wake us without end. */
            set_accepting(s, false);
            oc_timer_set(s->loop, &s->pause, PAUSE_MS);
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

static enum oc_code bind_failed(const char *address, int e, struct oc_error *err) {
    switch (e) {
    case EADDRINUSE:
        return oc_fail(err, OC_E_EXISTS,
                "listen on %s: address already in use (is another gateway running? stop it, or "
                "choose "
                "another port with --port)",
                address);
    case EACCES:
        return oc_fail(err, OC_E_IO,
                "listen on %s: permission denied (choose a port above 1023 with --port)", address);
    case EADDRNOTAVAIL:
        return oc_fail(
                err, OC_E_IO, "listen on %s: this machine does not have that address", address);
    default:
        return oc_fail(err, OC_E_IO, "listen on %s: %s", address, strerror(e));
    }
}

static enum oc_code listen_on(struct oc_server *s, const char *host, struct oc_error *err) {
    struct oc_addr addr;
    if (!oc_addr_parse(host, s->port, &addr)) {
        return oc_fail(err, OC_E_INVALID, "listen on '%s': not a numeric address", host);
    }
    OC_AUTO_FREE char *address = oc_addr_text(&addr);
    OC_AUTO_FD int fd = oc_socket(addr.u.any.sa_family);
    int on = 1;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
            (addr.u.any.sa_family == AF_INET6 &&
                    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0) ||
            bind(fd, &addr.u.any, addr.len) < 0 || listen(fd, BACKLOG) < 0) {
        return bind_failed(address, errno, err);
    }
    struct oc_addr bound = { .len = sizeof(bound.u) };
    if (getsockname(fd, &bound.u.any, &bound.len) < 0) {
        return oc_fail(err, OC_E_IO, "listen on %s: %s", address, strerror(errno));
    }
    struct oc_listener *l = &s->listeners[s->listener_count];
    l->server = s;
    l->io = (struct oc_io){ .fd = fd, .events = OC_IO_READ, .on_ready = on_acceptable, .user = l };
    enum oc_code rc = oc_io_add(s->loop, &l->io, err);
    if (rc == OC_OK) {
        (void)oc_take_fd(&fd);
        l->address = oc_addr_text(&bound);
        s->port = oc_addr_port(&bound);
        s->listener_count++;
    }
    return rc;
}

static void set_defaults(struct oc_server_opts *o) {
    o->max_connections = o->max_connections ? o->max_connections : 12000;
    o->max_heads = o->max_heads ? o->max_heads : 256;
    o->max_heads_per_ip = o->max_heads_per_ip ? o->max_heads_per_ip : 32;
    o->max_answered = o->max_answered ? o->max_answered : 256;
    o->head_timeout_ms = o->head_timeout_ms > 0 ? o->head_timeout_ms : 10000;
    o->max_head_bytes = o->max_head_bytes ? o->max_head_bytes : 16384;
}

enum oc_code oc_server_create(struct oc_loop *loop, const struct oc_server_opts *opts,
        const struct oc_server_handlers *handlers, void *user, struct oc_server **ret,
        struct oc_error *err) {
    if (opts->host_count == 0 || opts->host_count > OC_MAX_LISTENERS) {
        return oc_fail(err, OC_E_INVALID, "listen: expected 1 to %d addresses", OC_MAX_LISTENERS);
    }
    struct oc_server *s = oc_new(struct oc_server);
    s->loop = loop;
    s->opts = *opts;
    set_defaults(&s->opts);
    s->handlers = *handlers;
    s->user = user;
    s->port = opts->port;
    s->pause = (struct oc_timer){ .on_expire = on_pause_over, .user = s };
    s->count = oc_new(struct oc_conn_count);
    s->count->refs = 1;
    oc_list_init(&s->heads);
    oc_list_init(&s->answered);
    enum oc_code rc = listen_on(s, opts->hosts[0], err);
    if (rc != OC_OK) {
        oc_server_destroy(s);
        return rc;
    }
    for (size_t i = 1; i < opts->host_count; i++) {
        (void)listen_on(s, opts->hosts[i], NULL);
    }
    s->opts.hosts = NULL; /* only borrowed for this call */
    *ret = s;
    return OC_OK;
}

uint16_t oc_server_port(const struct oc_server *s) {
    return s->port;
}

size_t oc_server_address_count(const struct oc_server *s) {
    return s->listener_count;
}

const char *oc_server_address(const struct oc_server *s, size_t i) {
    return s->listeners[i].address;
}

void oc_server_set_tls(struct oc_server *s, struct oc_tls_server *tls) {
    s->opts.tls = tls;
}

void oc_server_stop_listening(struct oc_server *s) {
    oc_timer_cancel(&s->pause);
    while (s->listener_count > 0) {
        struct oc_listener *l = &s->listeners[--s->listener_count];
        oc_io_remove(&l->io);
        close(l->io.fd);
        oc_free(l->address);
    }
}

static void drop_all(struct oc_list *conns) {
    while (!oc_list_empty(conns)) {
        oc_http_conn_drop(oc_list_first(conns, struct oc_http_conn, link));
    }
}

void oc_server_destroy(struct oc_server *s) {
    if (!s) {
        return;
    }
    oc_server_stop_listening(s);
    drop_all(&s->heads);
    drop_all(&s->answered);
    count_unref(s->count);
    oc_free(s);
}
