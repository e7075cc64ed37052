/* The Linux poller: cost per wait does not grow with the number of idle connections. */
#include "lib/base/mem.h"
#include "lib/net/loop/poller.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BATCH 128

struct oc_poller {
    int fd;
};

static struct oc_poller *epoll_create_poller(struct oc_error *err) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0) {
        (void)oc_fail(err, OC_E_IO, "epoll_create1: %s", strerror(errno));
        return NULL;
    }
    struct oc_poller *p = oc_new(struct oc_poller);
    p->fd = fd;
    return p;
}

static void epoll_destroy_poller(struct oc_poller *p) {
    if (p) {
        close(p->fd);
        oc_free(p);
    }
}

static int poller_epoll_control(struct oc_poller *p, int op, struct oc_io *io) {
    struct epoll_event ev = { .data.ptr = io };
    if (io->events & OC_IO_READ) {
        ev.events |= EPOLLIN;
    }
    if (io->events & OC_IO_WRITE) {
        ev.events |= EPOLLOUT;
    }
    if (io->events & OC_IO_EDGE) {
        ev.events |= EPOLLET;
    }
    return epoll_ctl(p->fd, op, io->fd, &ev);
}

static enum oc_code epoll_add(struct oc_poller *p, struct oc_io *io, struct oc_error *err) {
    if (poller_epoll_control(p, EPOLL_CTL_ADD, io) < 0) {
        return oc_fail(err, OC_E_IO, "epoll_ctl: %s", strerror(errno));
    }
    return OC_OK;
}

static void epoll_change(struct oc_poller *p, struct oc_io *io) {
    (void)poller_epoll_control(p, EPOLL_CTL_MOD, io);
}

static void epoll_remove(struct oc_poller *p, struct oc_io *io) {
    (void)poller_epoll_control(p, EPOLL_CTL_DEL, io);
}

static size_t epoll_wait_ready(struct oc_poller *p, int wait_ms, struct oc_ready *ret, size_t max) {
    struct epoll_event evs[BATCH];
    int n = epoll_wait(p->fd, evs, max < BATCH ? (int)max : BATCH, wait_ms);
    for (int i = 0; i < n; i++) {
        unsigned events = 0;
        if (evs[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
            events |= OC_IO_READ;
        }
        if (evs[i].events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) {
            events |= OC_IO_WRITE;
        }
        ret[i] = (struct oc_ready){ .io = evs[i].data.ptr, .events = events };
    }
    return n > 0 ? (size_t)n : 0;
}

const struct oc_poller_ops oc_poller_epoll = {
    .name = "epoll",
    .create = epoll_create_poller,
    .destroy = epoll_destroy_poller,
    .add = epoll_add,
    .change = epoll_change,
    .remove = epoll_remove,
    .wait = epoll_wait_ready,
};
