#include "lib/net/server/server.h"

#include "lib/base/mem.h"
#include "lib/net/addr.h"
#include "lib/net/loop/fd.h"
#include "lib/net/server/listeners.h"
#include "lib/net/server/peer_user.h"
#include "lib/net/server/server_private.h"
#include "lib/net/tls.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPTS_PER_ROUND 16
#define STEPS_PER_ROUND 32u /* of connections that have not proven anything, all together */
#define PAUSE_MS 100
#define PORT_TRIES 16        /* for one that is free in both families */
#define OTHER_DESCRIPTORS 64 /* database, log, files that are being served */
#define MAX_SPARED 8
#define OWNER_SOCKETS 64

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

static void on_round_over(struct oc_deferred *d) {
    struct oc_server *s = d->user;
    s->steps = 0;
}

bool oc_server_may_step(struct oc_server *s, unsigned cost) {
    oc_defer(s->loop, &s->round_over);
    if (s->steps >= STEPS_PER_ROUND) {
        return false;
    }
    s->steps += cost;
    return true;
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

/* Every connection that is not a WebSocket yet, with those that are answered and wait to
 * be closed. */
static unsigned unproven_from(const struct oc_server *s, const struct oc_origin *o) {
    return count_from(&s->heads, o) + count_from(&s->answered, o);
}

bool oc_server_has_room(
        const struct oc_server *s, const struct oc_peer *peer, const struct oc_origin *origin) {
    return (s->count->open < s->opts.max_connections || s->head_count > 0) &&
           (peer->is_loopback || unproven_from(s, origin) < s->opts.max_heads_per_ip);
}

bool oc_server_has_socket(const struct oc_server *s, const struct oc_peer *peer) {
    unsigned sockets = s->count->open - s->head_count - s->answered_count;
    return sockets < s->max_sockets ||
           (sockets < s->max_sockets + s->owner_sockets && oc_peer_is_this_user(peer));
}

/* Who has been sending its head for the longest makes room: honest clients need milliseconds. The
 * owner is spared once. */
static void drop_a_head(struct oc_server *s) {
    struct oc_http_conn *c = oc_list_first(&s->heads, struct oc_http_conn, link);
    for (unsigned i = 0; i < MAX_SPARED && !c->was_spared && oc_peer_is_this_user(&c->peer); i++) {
        c->was_spared = true;
        oc_list_remove(&c->link);
        oc_list_append(&s->heads, &c->link);
        c = oc_list_first(&s->heads, struct oc_http_conn, link);
    }
    oc_http_conn_drop(c);
}

static void server_admit(struct oc_server *s, int fd, const struct oc_addr *addr) {
    struct oc_peer peer = { .is_loopback = oc_addr_is_loopback(addr), .fd = fd };
    oc_addr_host(addr, peer.ip);
    struct oc_origin origin = oc_origin_of(addr);
    if (!oc_server_has_room(s, &peer, &origin)) {
        close(fd);
        return;
    }
    if (s->head_count >= s->opts.max_heads || s->count->open >= s->opts.max_connections) {
        drop_a_head(s);
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
            server_admit(s, fd, &addr);
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

static enum oc_code listen_on(struct oc_server *s, const char *host, struct oc_error *err) {
    int fd = -1;
    enum oc_code rc = oc_listeners_open(s->sockets, host, s->port, &fd, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct oc_addr bound = { .len = sizeof(bound.u) };
    if (getsockname(fd, &bound.u.any, &bound.len) < 0) {
        return oc_fail(err, OC_E_IO, "listen on %s: %s", host, strerror(errno));
    }
    struct oc_listener *l = &s->listeners[s->listener_count];
    l->server = s;
    l->io = (struct oc_io){ .fd = fd, .events = OC_IO_READ, .on_ready = on_acceptable, .user = l };
    rc = oc_io_add(s->loop, &l->io, err);
    if (rc == OC_OK) {
        l->address = oc_addr_text(&bound);
        s->port = oc_addr_port(&bound);
        s->listener_count++;
    }
    return rc;
}

static void forget_listeners(struct oc_server *s) {
    while (s->listener_count > 0) {
        struct oc_listener *l = &s->listeners[--s->listener_count];
        oc_io_remove(&l->io);
        oc_free(l->address);
    }
}

/* An address that this machine does not have (no IPv6) is left out, but not one that somebody else
 * has: that one would be taken for us. */
static enum oc_code listen_on_all(
        struct oc_server *s, const struct oc_server_opts *opts, struct oc_error *err) {
    enum oc_code rc = OC_E_EXISTS;
    for (int i = 0; i < (opts->port ? 1 : PORT_TRIES) && rc == OC_E_EXISTS; i++) {
        s->port = opts->port;
        oc_listeners_begin(s->sockets);
        rc = listen_on(s, opts->hosts[0], err);
        for (size_t n = 1; n < opts->host_count && rc == OC_OK; n++) {
            rc = listen_on(s, opts->hosts[n], err);
            rc = rc == OC_E_EXISTS ? rc : OC_OK;
        }
        if (rc != OC_OK) {
            forget_listeners(s);
            oc_listeners_roll_back(s->sockets);
        }
    }
    if (rc == OC_OK) {
        oc_listeners_commit(s->sockets);
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

static unsigned at_most(unsigned n, unsigned max) {
    return n < max ? n : max;
}

/* So that descriptors never run out: there is always one to accept with, and to say with that there
 * is no room. */
static void server_divide(struct oc_server *s) {
    struct rlimit limit;
    struct oc_server_opts *o = &s->opts;
    rlim_t each = oc_ws_descriptors();
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
            limit.rlim_cur < each * o->max_connections + OTHER_DESCRIPTORS) {
        rlim_t most = limit.rlim_cur;
        most = most / 2 > OTHER_DESCRIPTORS ? most - OTHER_DESCRIPTORS : most / 2;
        o->max_connections = (unsigned)(most / each);
    }
    unsigned quarter = o->max_connections / 4;
    o->max_heads = at_most(o->max_heads, quarter > 0 ? quarter : 1);
    o->max_answered = at_most(o->max_answered, quarter > 0 ? quarter : 1);
    s->owner_sockets = at_most(OWNER_SOCKETS, quarter / 2);
    s->max_sockets = o->max_connections -
                     at_most(o->max_heads + o->max_answered + s->owner_sockets, o->max_connections);
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
    server_divide(s);
    s->handlers = *handlers;
    s->user = user;
    s->owns_sockets = !opts->sockets;
    s->sockets = opts->sockets ? opts->sockets : oc_listeners_create();
    s->round_over = (struct oc_deferred){ .run = on_round_over, .user = s };
    s->pause = (struct oc_timer){ .on_expire = on_pause_over, .user = s };
    s->count = oc_new(struct oc_conn_count);
    s->count->refs = 1;
    oc_list_init(&s->heads);
    oc_list_init(&s->answered);
    enum oc_code rc = listen_on_all(s, opts, err);
    if (rc != OC_OK) {
        oc_server_destroy(s);
        return rc;
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
    forget_listeners(s);
    if (s->owns_sockets) {
        oc_listeners_close_all(s->sockets);
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
    if (s->owns_sockets) {
        oc_listeners_destroy(s->sockets);
    }
    drop_all(&s->heads);
    drop_all(&s->answered);
    oc_defer_cancel(&s->round_over);
    count_unref(s->count);
    oc_free(s);
}
