#include "lib/net/loop/timers.h"

#include "lib/base/mem.h"

static bool timers_before(const struct oc_timer *a, const struct oc_timer *b) {
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void timers_place(struct oc_timers *h, size_t at, struct oc_timer *t) {
    h->heap[at] = t;
    t->index = at;
}

static void sift_up(struct oc_timers *h, struct oc_timer *t, size_t at) {
    while (at > 0 && timers_before(t, h->heap[(at - 1) / 2])) {
        timers_place(h, at, h->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    timers_place(h, at, t);
}

static void sift_down(struct oc_timers *h, struct oc_timer *t, size_t at) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->count) {
            break;
        }
        if (child + 1 < h->count && timers_before(h->heap[child + 1], h->heap[child])) {
            child++;
        }
        if (!timers_before(h->heap[child], t)) {
            break;
        }
        timers_place(h, at, h->heap[child]);
        at = child;
    }
    timers_place(h, at, t);
}

void oc_timers_push(struct oc_timers *h, struct oc_timer *t) {
    if (h->count == h->cap) {
        h->cap = h->cap ? h->cap * 2 : 16;
        h->heap = oc_realloc(h->heap, h->cap * sizeof(struct oc_timer *));
    }
    t->order = h->next_order++;
    sift_up(h, t, h->count++);
}

void oc_timers_remove(struct oc_timers *h, struct oc_timer *t) {
    struct oc_timer *last = h->heap[--h->count];
    if (last == t) {
        return;
    }
    size_t at = t->index;
    if (at > 0 && timers_before(last, h->heap[(at - 1) / 2])) {
        sift_up(h, last, at);
    } else {
        sift_down(h, last, at);
    }
}

struct oc_timer *oc_timers_first(const struct oc_timers *h) {
    return h->count ? h->heap[0] : NULL;
}

void oc_timers_finish(struct oc_timers *h) {
    for (size_t i = 0; i < h->count; i++) {
        h->heap[i]->loop = NULL; /* cancelling later is then harmless */
    }
    oc_free(h->heap);
    *h = (struct oc_timers){ 0 };
}
