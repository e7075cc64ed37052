#include "node/process/leftovers.h"

#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "node/process/process.h"
#include "node/process/spare.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

enum {
    MAX_LEFTOVERS = 64, /* pipes that are only drained */
    KILLED_CHECK_MS = 500,
    READ_BYTES = 16384,
    READS_PER_ROUND = 16,
};

/* A pipe whose program is gone. */
struct leftover {
    struct oc_list link;
    struct oc_io io;
};
static struct oc_list leftovers = { &leftovers, &leftovers }; /* leftover.link, oldest first */
static size_t leftover_count;

/* Orphans are collected when a program ends and, as long as there are any, now and then. One per
 * process, since the operating system's view of children is per process. */
static struct {
    struct oc_timer timer;
    const struct os_exec_ops *ops;
} orphans;

static void on_orphan_timer(struct oc_timer *t) {
    nd_orphans_check(t->user, orphans.ops);
}

static void leftovers_check(struct oc_loop *loop, const struct os_exec_ops *ops, int at_most_ms) {
    bool is_set_elsewhere = orphans.timer.loop && orphans.timer.loop != loop;
    int again_ms = ops->reap_orphans();
    if (again_ms <= 0 || is_set_elsewhere) {
        return;
    }
    orphans.ops = ops;
    orphans.timer.on_expire = on_orphan_timer;
    orphans.timer.user = loop;
    oc_timer_set(loop, &orphans.timer, again_ms < at_most_ms ? again_ms : at_most_ms);
}

void nd_orphans_check(struct oc_loop *loop, const struct os_exec_ops *ops) {
    leftovers_check(loop, ops, INT_MAX);
}

void nd_orphans_expect(struct oc_loop *loop, const struct os_exec_ops *ops) {
    leftovers_check(loop, ops, KILLED_CHECK_MS);
}

static void leftover_destroy(struct leftover *l) {
    oc_io_remove(&l->io);
    close(l->io.fd);
    oc_list_remove(&l->link);
    leftover_count--;
    oc_free(l);
}

static void on_leftover_ready(struct oc_io *io, unsigned events) {
    (void)events;
    static char dropped[READ_BYTES]; /* core thread only */
    for (int i = 0; i < READS_PER_ROUND; i++) {
        ssize_t n = read(io->fd, dropped, sizeof(dropped));
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (n <= 0) {
            leftover_destroy(io->user);
            return;
        }
    }
}

void nd_leftover_drain(struct oc_loop *loop, int take_fd) {
    if (leftover_count >= MAX_LEFTOVERS) {
        leftover_destroy(oc_list_first(&leftovers, struct leftover, link));
    }
    struct leftover *l = oc_new(struct leftover);
    l->io = (struct oc_io){
        .fd = take_fd, .events = OC_IO_READ, .on_ready = on_leftover_ready, .user = l
    };
    oc_list_init(&l->link);
    oc_list_append(&leftovers, &l->link);
    leftover_count++;
    struct oc_error err;
    if (oc_io_add(loop, &l->io, &err) != OC_OK) {
        leftover_destroy(l);
    }
}

void nd_process_drop_leftovers(struct oc_loop *loop) {
    struct leftover *l, *tmp;
    oc_list_for_each_safe(l, tmp, &leftovers, link) {
        if (l->io.loop == loop) {
            leftover_destroy(l);
        }
    }
    if (orphans.timer.loop == loop) {
        oc_timer_cancel(&orphans.timer);
    }
    nd_spare_end(loop);
}
