/* The loop's timers: a binary heap of pointers to timers that live in their owners. */
#ifndef LIB_NET_LOOP_TIMERS_H
#define LIB_NET_LOOP_TIMERS_H

#include "lib/net/loop/loop.h"

struct oc_timers {
    struct oc_timer **heap;
    size_t count, cap;
    uint64_t next_order;
};

/* t->at_ms is set by the caller; t must not be in a heap. */
void oc_timers_push(struct oc_timers *h, struct oc_timer *t);
void oc_timers_remove(struct oc_timers *h, struct oc_timer *t);
struct oc_timer *oc_timers_first(const struct oc_timers *h); /* NULL when empty */
void oc_timers_finish(struct oc_timers *h);

#endif
