#include "lib/net/server/listeners.h"

#include "lib/base/mem.h"
#include "lib/net/addr.h"
#include "lib/net/loop/fd.h"
#include "lib/net/peer.h"
#include "platform/platform.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 512
#define MAX_SOCKETS 16 /* those of two servers, the old one and the new one */

struct listener_entry {
    struct oc_addr addr; /* as bound */
    int fd;
    bool is_used, is_new; /* since begin */
};

struct oc_listeners {
    struct listener_entry items[MAX_SOCKETS];
    size_t count;
};

struct oc_listeners *oc_listeners_create(void) {
    return oc_new(struct oc_listeners);
}

static void close_where(struct oc_listeners *l, bool (*is_over)(const struct listener_entry *e)) {
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (is_over(&l->items[i])) {
            (void)close(l->items[i].fd);
        } else {
            l->items[kept++] = l->items[i];
        }
    }
    l->count = kept;
}

static bool is_unused(const struct listener_entry *e) {
    return !e->is_used;
}

static bool is_new(const struct listener_entry *e) {
    return e->is_new;
}

static bool is_any(const struct listener_entry *e) {
    (void)e;
    return true;
}

void oc_listeners_begin(struct oc_listeners *l) {
    for (size_t i = 0; i < l->count; i++) {
        l->items[i].is_used = l->items[i].is_new = false;
    }
}

void oc_listeners_commit(struct oc_listeners *l) {
    close_where(l, is_unused);
}

void oc_listeners_roll_back(struct oc_listeners *l) {
    close_where(l, is_new);
}

void oc_listeners_close_all(struct oc_listeners *l) {
    close_where(l, is_any);
}

void oc_listeners_destroy(struct oc_listeners *l) {
    if (l) {
        oc_listeners_close_all(l);
        oc_free(l);
    }
}

static enum oc_code bind_failed(const struct oc_addr *addr, int e, struct oc_error *err) {
    OC_AUTO_FREE char *address = oc_addr_text(addr);
    uid_t uid;
    switch (e) {
    case EADDRINUSE:
        if (os_port_holder(&addr->u.any, addr->len, &uid) && uid != geteuid()) {
            OC_AUTO_FREE char *name = oc_peer_name(uid);
            return oc_fail(err, OC_E_EXISTS,
                    "listen on %s: %s holds that port, and would be taken for this gateway (stop "
                    "that program, or choose another port with --port)",
                    address, name);
        }
        return oc_fail(err, OC_E_EXISTS,
                "listen on %s: address already in use (is another gateway running? stop it, or "
                "choose another port with --port)",
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

/* Lets sockets of ours overlap (127.0.0.1 and 0.0.0.0) for as long as it takes to go from one to
 * the other. Not for longer: a second gateway of the same user must still be told that the port is
 * taken. */
static void set_overlap(const struct oc_listeners *l, int fd, uint16_t port, int on) {
    bool is_needed = false;
    for (size_t i = 0; i < l->count; i++) {
        if (oc_addr_port(&l->items[i].addr) == port) {
            (void)setsockopt(l->items[i].fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
            is_needed = true;
        }
    }
    if (is_needed) {
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
    }
}

static bool listen_there(int fd, const struct oc_addr *addr) {
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           (addr->u.any.sa_family != AF_INET6 ||
                   setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
           bind(fd, &addr->u.any, addr->len) == 0 && listen(fd, BACKLOG) == 0;
}

static struct listener_entry *listeners_find(struct oc_listeners *l, const struct oc_addr *addr) {
    OC_AUTO_FREE char *wanted = oc_addr_text(addr);
    for (size_t i = 0; i < l->count; i++) {
        OC_AUTO_FREE char *text = oc_addr_text(&l->items[i].addr);
        if (strcmp(text, wanted) == 0) {
            return &l->items[i];
        }
    }
    return NULL;
}

enum oc_code oc_listeners_open(struct oc_listeners *l, const char *host, uint16_t port, int *ret_fd,
        struct oc_error *err) {
    struct oc_addr addr;
    if (!oc_addr_parse(host, port, &addr)) {
        return oc_fail(err, OC_E_INVALID, "listen on '%s': not a numeric address", host);
    }
    struct listener_entry *known = listeners_find(l, &addr);
    if (known) {
        known->is_used = true;
        *ret_fd = known->fd;
        return OC_OK;
    }
    if (l->count == MAX_SOCKETS) {
        return oc_fail(err, OC_E_TOO_LARGE, "listen on '%s': too many addresses", host);
    }
    OC_AUTO_FD int fd = oc_socket(addr.u.any.sa_family);
    if (fd < 0) {
        return bind_failed(&addr, errno, err);
    }
    set_overlap(l, fd, port, 1);
    bool is_well = listen_there(fd, &addr);
    int problem = errno;
    set_overlap(l, fd, port, 0);
    struct oc_addr bound = { .len = sizeof(bound.u) };
    if (!is_well) {
        return bind_failed(&addr, problem, err);
    }
    if (getsockname(fd, &bound.u.any, &bound.len) < 0) {
        return bind_failed(&addr, errno, err);
    }
    l->items[l->count++] =
            (struct listener_entry){ .addr = bound, .fd = fd, .is_used = true, .is_new = true };
    *ret_fd = oc_take_fd(&fd);
    return OC_OK;
}
