/* The core thread's event loop: descriptors, timers, deferred calls, signals, and a way in for
 * other threads.
 *
 * Everything fires on the thread that calls oc_loop_run. All records are embedded in their owner
 * and must be removed before it is freed; removing is safe from inside any callback, including the
 * record's own. */
#ifndef LIB_NET_LOOP_LOOP_H
#define LIB_NET_LOOP_LOOP_H

#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/base/list.h"

#include <stdbool.h>
#include <stdint.h>

struct oc_loop;

enum oc_code oc_loop_create(
        const struct oc_clock *clock, struct oc_loop **ret, struct oc_error *err) OC_MUST_USE;
/* Runs the deferred and posted calls that are still waiting, then forgets all records. */
void oc_loop_destroy(struct oc_loop *loop);
const struct oc_clock *oc_loop_clock(const struct oc_loop *loop);
int64_t oc_loop_now_ms(const struct oc_loop *loop); /* monotonic */
/* Until oc_loop_stop. */
void oc_loop_run(struct oc_loop *loop);
void oc_loop_stop(struct oc_loop *loop);
/* One round: waits at most wait_ms (0: not at all) for something to happen, then runs what is due.
 */
void oc_loop_step(struct oc_loop *loop, int wait_ms);

/* Descriptors. on_ready gets OC_IO_READ and/or OC_IO_WRITE; errors and hang-ups come as both. */
enum {
    OC_IO_READ = 1,
    OC_IO_WRITE = 2,
    /* With epoll: once for everything that turns up, and not as long as something is there. What
     * turned up first comes first, across descriptors. Other pollers do not know it. */
    OC_IO_EDGE = 4,
};
struct oc_io {
    int fd;
    unsigned events;
    void (*on_ready)(struct oc_io *io, unsigned events);
    struct oc_loop *loop; /* NULL when not added */
    void *user;
    size_t index; /* private to the poller */
};
enum oc_code oc_io_add(struct oc_loop *loop, struct oc_io *io, struct oc_error *err) OC_MUST_USE;
void oc_io_set_events(struct oc_io *io, unsigned events);
void oc_io_remove(struct oc_io *io); /* does not close fd; safe when not added */

/* Timers: one shot. Setting a set timer moves it. Zero-initialise, then set on_expire. */
struct oc_timer {
    void (*on_expire)(struct oc_timer *t);
    void *user;
    struct oc_loop *loop; /* NULL when not set */
    int64_t at_ms;
    size_t index;   /* private to the heap */
    uint64_t order; /* private: equal deadlines fire in the order they were set */
};
void oc_timer_set(struct oc_loop *loop, struct oc_timer *t, int64_t after_ms);
void oc_timer_cancel(struct oc_timer *t);

/* Runs once, at the end of this round; the way to free things that are still on the call stack. */
struct oc_deferred {
    void (*run)(struct oc_deferred *d);
    void *user;
    struct oc_list link; /* zeroed when not queued */
    bool queued;
};
void oc_defer(struct oc_loop *loop, struct oc_deferred *d);
void oc_defer_cancel(struct oc_deferred *d);

/* From any thread: fn(user) will run on the core thread. What is still waiting when the loop is
 * destroyed runs then, so that whatever user owns can be freed. The loop must outlive the call; a
 * thread that cannot promise that keeps a reference to the loop's mailbox
 * (lib/net/loop/mailbox.h). For tests. */
void oc_loop_post(struct oc_loop *loop, void (*fn)(void *user), void *user);

/* Calls fn on the core thread when the process gets signo. One handler per signal, process-wide. */
enum oc_code oc_loop_on_signal(struct oc_loop *loop, int signo, void (*fn)(void *user, int signo),
        void *user, struct oc_error *err) OC_MUST_USE;

#endif
