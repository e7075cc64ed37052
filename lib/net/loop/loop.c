#include "lib/net/loop/loop.h"

#include "lib/base/mem.h"
#include "lib/net/loop/mailbox.h"
#include "lib/net/loop/poller.h"
#include "lib/net/loop/scratch.h"
#include "lib/net/loop/signals.h"
#include "lib/net/loop/timers.h"

#include <assert.h>
#include <limits.h>

#define MAX_READY 128
#define LAST_ROUNDS 16 /* deferred calls that defer others, when the loop is destroyed */

struct oc_loop {
    const struct oc_clock *clock;
    const struct oc_poller_ops *ops;
    struct oc_poller *poller;
    struct oc_mailbox *mailbox;
    struct oc_io wake; /* the mailbox's reading end */
    struct oc_timers timers;
    struct oc_list deferred; /* oc_deferred.link */
    struct oc_scratch scratch;
    bool stop_wanted, is_stepping;
    /* The batch being handed out: oc_io_remove clears what has not had its turn yet. */
    struct oc_ready ready[MAX_READY];
    size_t ready_count;
};

static void on_wake(struct oc_io *io, unsigned events) {
    (void)events;
    struct oc_loop *loop = io->user;
    (void)oc_mailbox_run(loop->mailbox);
    oc_signals_dispatch(loop);
}

enum oc_code oc_loop_create_with(const struct oc_poller_ops *ops, const struct oc_clock *clock,
        struct oc_loop **ret, struct oc_error *err) {
    struct oc_loop *loop = oc_new(struct oc_loop);
    loop->clock = clock;
    loop->ops = ops;
    oc_list_init(&loop->deferred);
    loop->poller = ops->create(err);
    enum oc_code rc = loop->poller ? oc_mailbox_create(&loop->mailbox, err) : OC_E_IO;
    if (rc == OC_OK) {
        loop->wake = (struct oc_io){ .fd = oc_mailbox_read_fd(loop->mailbox),
            .events = OC_IO_READ,
            .on_ready = on_wake,
            .user = loop };
        rc = oc_io_add(loop, &loop->wake, err);
    }
    if (rc != OC_OK) {
        oc_loop_destroy(loop);
        return rc;
    }
    *ret = loop;
    return OC_OK;
}

enum oc_code oc_loop_create(
        const struct oc_clock *clock, struct oc_loop **ret, struct oc_error *err) {
#ifdef __linux__
    return oc_loop_create_with(&oc_poller_epoll, clock, ret, err);
#else
    return oc_loop_create_with(&oc_poller_poll, clock, ret, err);
#endif
}

static void run_deferred(struct oc_loop *loop) {
    /* What is deferred from here on belongs to the next round. */
    struct oc_list batch;
    oc_list_init(&batch);
    while (!oc_list_empty(&loop->deferred)) {
        struct oc_list *e = loop->deferred.next;
        oc_list_remove(e);
        oc_list_append(&batch, e);
    }
    while (!oc_list_empty(&batch)) {
        struct oc_deferred *d = oc_list_first(&batch, struct oc_deferred, link);
        oc_defer_cancel(d);
        d->run(d);
    }
}

void oc_loop_destroy(struct oc_loop *loop) {
    if (!loop) {
        return;
    }
    assert(!loop->is_stepping);
    oc_signals_forget(loop);
    if (loop->mailbox) {
        (void)oc_mailbox_run(loop->mailbox); /* may post once more */
        oc_mailbox_close(loop->mailbox);
        (void)oc_mailbox_run(loop->mailbox);
    }
    for (int i = 0; i < LAST_ROUNDS && !oc_list_empty(&loop->deferred); i++) {
        run_deferred(loop);
    }
    oc_io_remove(&loop->wake);
    oc_mailbox_unref(loop->mailbox);
    oc_timers_finish(&loop->timers);
    oc_scratch_finish(&loop->scratch);
    loop->ops->destroy(loop->poller);
    oc_free(loop);
}

const struct oc_clock *oc_loop_clock(const struct oc_loop *loop) {
    return loop->clock;
}

int64_t oc_loop_now_ms(const struct oc_loop *loop) {
    return oc_mono_ms(loop->clock);
}

struct oc_mailbox *oc_loop_mailbox(struct oc_loop *loop) {
    return loop->mailbox;
}

struct oc_scratch *oc_loop_scratch(struct oc_loop *loop) {
    return &loop->scratch;
}

static int next_wait_ms(const struct oc_loop *loop, int wait_ms) {
    if (!oc_list_empty(&loop->deferred)) {
        return 0;
    }
    const struct oc_timer *t = oc_timers_first(&loop->timers);
    if (!t) {
        return wait_ms;
    }
    int64_t left_ms = t->at_ms - oc_loop_now_ms(loop);
    if (left_ms < 0) {
        left_ms = 0;
    } else if (left_ms > INT_MAX) {
        left_ms = INT_MAX;
    }
    return wait_ms >= 0 && wait_ms < left_ms ? wait_ms : (int)left_ms;
}

static void run_timers(struct oc_loop *loop) {
    int64_t now_ms = oc_loop_now_ms(loop);
    /* A timer set by a timer is for the next round, even when it is due at once. */
    uint64_t first_new = loop->timers.next_order;
    for (;;) {
        struct oc_timer *t = oc_timers_first(&loop->timers);
        if (!t || t->at_ms > now_ms || t->order >= first_new) {
            return;
        }
        oc_timer_cancel(t);
        t->on_expire(t);
    }
}

static void loop_step(struct oc_loop *loop, int wait_ms) {
    assert(!loop->is_stepping);
    loop->is_stepping = true;
    loop->ready_count =
            loop->ops->wait(loop->poller, next_wait_ms(loop, wait_ms), loop->ready, MAX_READY);
    for (size_t i = 0; i < loop->ready_count; i++) {
        struct oc_io *io = loop->ready[i].io;
        if (io) {
            io->on_ready(io, loop->ready[i].events);
        }
    }
    loop->ready_count = 0;
    run_timers(loop);
    run_deferred(loop);
    loop->is_stepping = false;
}

void oc_loop_step(struct oc_loop *loop, int wait_ms) {
    loop_step(loop, wait_ms < 0 ? 0 : wait_ms);
}

void oc_loop_run(struct oc_loop *loop) {
    while (!loop->stop_wanted) {
        loop_step(loop, -1);
    }
    loop->stop_wanted = false;
}

void oc_loop_stop(struct oc_loop *loop) {
    loop->stop_wanted = true;
}

enum oc_code oc_io_add(struct oc_loop *loop, struct oc_io *io, struct oc_error *err) {
    assert(!io->loop);
    enum oc_code rc = loop->ops->add(loop->poller, io, err);
    if (rc == OC_OK) {
        io->loop = loop;
    }
    return rc;
}

void oc_io_set_events(struct oc_io *io, unsigned events) {
    if (io->loop && io->events != events) {
        io->events = events;
        io->loop->ops->change(io->loop->poller, io);
    }
}

void oc_io_remove(struct oc_io *io) {
    struct oc_loop *loop = io->loop;
    if (!loop) {
        return;
    }
    loop->ops->remove(loop->poller, io);
    io->loop = NULL;
    for (size_t i = 0; i < loop->ready_count; i++) {
        if (loop->ready[i].io == io) {
            loop->ready[i].io = NULL;
        }
    }
}

void oc_timer_set(struct oc_loop *loop, struct oc_timer *t, int64_t after_ms) {
    oc_timer_cancel(t);
    t->at_ms = oc_loop_now_ms(loop) + (after_ms > 0 ? after_ms : 0);
    t->loop = loop;
    oc_timers_push(&loop->timers, t);
}

void oc_timer_cancel(struct oc_timer *t) {
    if (t->loop) {
        oc_timers_remove(&t->loop->timers, t);
        t->loop = NULL;
    }
}

void oc_defer(struct oc_loop *loop, struct oc_deferred *d) {
    if (!d->queued) {
        d->queued = true;
        oc_list_append(&loop->deferred, &d->link);
    }
}

void oc_defer_cancel(struct oc_deferred *d) {
    if (d->queued) {
        d->queued = false;
        oc_list_remove(&d->link);
        d->link = (struct oc_list){ 0 };
    }
}

void oc_loop_post(struct oc_loop *loop, void (*fn)(void *user), void *user) {
    bool accepted = oc_mailbox_post(loop->mailbox, fn, user);
    assert(accepted);
    (void)accepted;
}

enum oc_code oc_loop_on_signal(struct oc_loop *loop, int signo, void (*fn)(void *user, int signo),
        void *user, struct oc_error *err) {
    return oc_signals_watch(loop, oc_mailbox_wake_fd(loop->mailbox), signo, fn, user, err);
}
