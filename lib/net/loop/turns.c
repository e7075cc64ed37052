#include "lib/net/loop/turns.h"

#include "lib/protocol/limits.h"

#include <time.h>

#define MIN_SHARE 8 /* of a turn, however many run out of theirs */

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void call_all(struct oc_list *waiters) {
    while (!oc_list_empty(waiters)) {
        struct oc_turn_waiter *w = oc_list_first(waiters, struct oc_turn_waiter, link);
        oc_list_remove(&w->link);
        w->had_some = false;
        w->go_on(w->user);
    }
}

/* Going on is itself deferred, to the next round: nobody gets two turns in this one. */
static void on_next(struct oc_deferred *d) {
    struct oc_turns *t = d->user;
    t->crowd = 0;
    while (!oc_list_empty(&t->begun)) {
        struct oc_turn *turn = oc_list_first(&t->begun, struct oc_turn, link);
        oc_list_remove(&turn->link);
        t->crowd += turn->is_over;
        turn->units = 0;
        turn->ns = 0;
        turn->is_over = false;
        call_all(&turn->waiting);
        call_all(&turn->served);
    }
}

void oc_turn_init(struct oc_turn *turn) {
    *turn = (struct oc_turn){ 0 };
    oc_list_init(&turn->link);
    oc_list_init(&turn->waiting);
    oc_list_init(&turn->served);
}

void oc_turn_finish(struct oc_turn *turn) {
    oc_list_remove(&turn->link);
}

void oc_turns_init(struct oc_turns *t, struct oc_loop *loop) {
    *t = (struct oc_turns){ .loop = loop, .next = { .run = on_next, .user = t } };
    oc_list_init(&t->begun);
    oc_turn_init(&t->strangers);
}

void oc_turns_finish(struct oc_turns *t) {
    oc_defer_cancel(&t->next);
}

static void turns_note(struct oc_turns *t, struct oc_turn *turn) {
    unsigned share = t->crowd < 1 ? 1 : t->crowd > MIN_SHARE ? MIN_SHARE : t->crowd;
    turn->is_over = turn->units >= OC_TURN_UNITS / share || turn->ns >= OC_TURN_NS / share;
    if (oc_list_empty(&turn->link)) {
        oc_list_append(&t->begun, &turn->link);
        oc_defer(t->loop, &t->next);
    }
}

bool oc_turn_may(struct oc_turns *t, struct oc_turn *turn, struct oc_turn_waiter *w) {
    (void)t;
    if (!turn->is_over) {
        return true;
    }
    if (oc_list_empty(&w->link)) {
        oc_list_append(w->had_some ? &turn->served : &turn->waiting, &w->link);
    }
    return false;
}

void oc_turn_waiter_leave(struct oc_turn_waiter *w) {
    oc_list_remove(&w->link);
}

void oc_turn_begin(struct oc_turns *t, struct oc_turn *turn, struct oc_turn_waiter *w) {
    t->payer = turn;
    t->since_ns = now_ns();
    w->had_some = true;
    oc_turns_count(t, OC_TURN_UNITS_PER_MESSAGE);
}

void oc_turn_end(struct oc_turns *t) {
    t->payer->ns += now_ns() - t->since_ns;
    turns_note(t, t->payer);
    t->payer = NULL;
}

void oc_turns_count(struct oc_turns *t, unsigned units) {
    t->work += units;
    if (t->payer) {
        t->payer->units += units;
    } else {
        t->nobodys += units;
    }
}

struct oc_turn *oc_turns_charge(struct oc_turns *t, struct oc_turn *turn) {
    struct oc_turn *before = t->payer;
    t->payer = turn;
    return before;
}

void oc_turns_charge_end(struct oc_turns *t, struct oc_turn *before) {
    turns_note(t, t->payer);
    t->payer = before;
}

void oc_turn_spend(struct oc_turns *t, struct oc_turn *turn, unsigned units) {
    t->work += units;
    turn->units += units;
    turns_note(t, turn);
}

void oc_turn_spend_bytes(struct oc_turns *t, struct oc_turn *turn, size_t *rest, size_t bytes) {
    *rest += bytes;
    if (*rest >= OC_TURN_BYTES_IN) {
        oc_turn_spend(t, turn, (unsigned)(*rest / OC_TURN_BYTES_IN));
        *rest %= OC_TURN_BYTES_IN;
    }
}
