/* The portable poller. io->index is the io's place in both arrays. */
#include "lib/base/mem.h"
#include "lib/net/loop/poller.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

struct oc_poller {
    struct pollfd *fds;
    struct oc_io **ios;
    size_t count, cap;
    size_t start; /* where the next scan begins, so that a full batch does not starve the rest */
};

static struct oc_poller *poll_create_poller(struct oc_error *err) {
    (void)err;
    return oc_new(struct oc_poller);
}

static void poll_destroy_poller(struct oc_poller *p) {
    if (p) {
        oc_free(p->fds);
        oc_free(p->ios);
        oc_free(p);
    }
}

static short poll_events(unsigned events) {
    int r = 0;
    if (events & OC_IO_READ) {
        r |= POLLIN;
    }
    if (events & OC_IO_WRITE) {
        r |= POLLOUT;
    }
    return (short)r;
}

static enum oc_code poll_add(struct oc_poller *p, struct oc_io *io, struct oc_error *err) {
    if (io->fd < 0) {
        return oc_fail(err, OC_E_IO, "poll: %s", strerror(EBADF));
    }
    if (p->count == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 16;
        p->fds = oc_realloc(p->fds, p->cap * sizeof(p->fds[0]));
        p->ios = oc_realloc(p->ios, p->cap * sizeof(struct oc_io *));
    }
    io->index = p->count++;
    p->ios[io->index] = io;
    p->fds[io->index] = (struct pollfd){ .fd = io->fd, .events = poll_events(io->events) };
    return OC_OK;
}

static void poll_change(struct oc_poller *p, struct oc_io *io) {
    p->fds[io->index].events = poll_events(io->events);
}

static void poll_remove(struct oc_poller *p, struct oc_io *io) {
    size_t last = --p->count;
    p->fds[io->index] = p->fds[last];
    p->ios[io->index] = p->ios[last];
    p->ios[io->index]->index = io->index;
}

static size_t poll_wait(struct oc_poller *p, int wait_ms, struct oc_ready *ret, size_t max) {
    int left = poll(p->fds, (nfds_t)p->count, wait_ms);
    size_t n = 0;
    for (size_t i = 0; left > 0 && i < p->count && n < max; i++) {
        size_t at = (p->start + i) % p->count;
        short got = p->fds[at].revents;
        if (!got) {
            continue;
        }
        left--;
        unsigned events = 0;
        if (got & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) {
            events |= OC_IO_READ;
        }
        if (got & (POLLOUT | POLLHUP | POLLERR | POLLNVAL)) {
            events |= OC_IO_WRITE;
        }
        ret[n++] = (struct oc_ready){ .io = p->ios[at], .events = events };
        if (n == max) {
            p->start = at + 1;
        }
    }
    return n;
}

const struct oc_poller_ops oc_poller_poll = {
    .name = "poll",
    .create = poll_create_poller,
    .destroy = poll_destroy_poller,
    .add = poll_add,
    .change = poll_change,
    .remove = poll_remove,
    .wait = poll_wait,
};
