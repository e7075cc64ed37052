/* What waits for descriptors: one small contract, epoll on Linux and poll everywhere.
 *
 * The loop owns one poller and is the only caller. Both are level-triggered, unless OC_IO_EDGE asks
 * for more. */
#ifndef LIB_NET_LOOP_POLLER_H
#define LIB_NET_LOOP_POLLER_H

#include "lib/base/error.h"
#include "lib/net/loop/loop.h"

#include <stddef.h>

struct oc_poller;

struct oc_ready {
    struct oc_io *io; /* the loop clears it when the io is removed before its turn */
    unsigned events;
};

struct oc_poller_ops {
    const char *name;
    struct oc_poller *(*create)(struct oc_error *err); /* NULL: failed, err is set */
    void (*destroy)(struct oc_poller *p);
    enum oc_code (*add)(struct oc_poller *p, struct oc_io *io, struct oc_error *err);
    void (*change)(struct oc_poller *p, struct oc_io *io); /* io->events is new */
    void (*remove)(struct oc_poller *p, struct oc_io *io);
    /* wait_ms < 0: until something happens. A wait cut short by a signal returns 0. */
    size_t (*wait)(struct oc_poller *p, int wait_ms, struct oc_ready *ret, size_t max);
};

#ifdef __linux__
extern const struct oc_poller_ops oc_poller_epoll;
#endif
extern const struct oc_poller_ops oc_poller_poll;

/* oc_loop_create with a poller of the caller's choice. */
enum oc_code oc_loop_create_with(const struct oc_poller_ops *ops, const struct oc_clock *clock,
        struct oc_loop **ret, struct oc_error *err) OC_MUST_USE;

#endif
