#include "node/call/call_turns.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

struct nd_call_caller {
    struct oc_list link; /* nd_call_turns.callers */
    struct nd_call_turns *all;
    char *who;
    size_t calls;
    struct oc_turn turn;
    struct oc_list
            waiting; /* nd_call_turn.link; while there are some, the waiter or next is on its way */
    struct oc_turn_waiter waiter;
    struct oc_deferred next;
};

void nd_call_turns_init(struct nd_call_turns *t, struct oc_loop *loop) {
    oc_turns_init(&t->turns, loop);
    oc_list_init(&t->callers);
}

void nd_call_turns_finish(struct nd_call_turns *t) {
    oc_turns_finish(&t->turns);
}

static void call_turns_release(struct nd_call_caller *caller) {
    if (--caller->calls > 0) {
        return;
    }
    oc_turn_waiter_leave(&caller->waiter);
    oc_defer_cancel(&caller->next);
    oc_turn_finish(&caller->turn);
    oc_list_remove(&caller->link);
    oc_free(caller->who);
    oc_free(caller);
}

static void call_turns_begin(struct nd_call_turn *c) {
    struct oc_turns *turns = &c->all->turns;
    void (*go)(void *) = c->go;
    c->go = NULL;
    oc_turn_begin(turns, &c->caller->turn, &c->caller->waiter);
    oc_turns_count(turns, c->units);
    go(c->user);
    oc_turn_end(turns);
}

static void on_next(struct oc_deferred *d) {
    struct nd_call_caller *caller = d->user;
    caller->calls++; /* it stays while we are here */
    while (!oc_list_empty(&caller->waiting) &&
            oc_turn_may(&caller->all->turns, &caller->turn, &caller->waiter)) {
        struct nd_call_turn *c = oc_list_first(&caller->waiting, struct nd_call_turn, link);
        oc_list_remove(&c->link);
        call_turns_begin(c);
    }
    call_turns_release(caller);
}

static void on_turn(void *user) {
    struct nd_call_caller *caller = user;
    oc_defer(caller->all->turns.loop, &caller->next); /* nobody gets two turns in one round */
}

static struct nd_call_caller *caller_of(struct nd_call_turns *t, const char *who) {
    struct nd_call_caller *c;
    oc_list_for_each(c, &t->callers, link) {
        if (oc_streq(c->who, who)) {
            return c;
        }
    }
    c = oc_new(struct nd_call_caller);
    *c = (struct nd_call_caller){ .all = t,
        .who = oc_strdup(who),
        .waiter = { .go_on = on_turn, .user = c },
        .next = { .run = on_next, .user = c } };
    oc_turn_init(&c->turn);
    oc_list_init(&c->link);
    oc_list_init(&c->waiting);
    oc_list_init(&c->waiter.link);
    oc_list_append(&t->callers, &c->link);
    return c;
}

void nd_call_turn_init(struct nd_call_turn *c, struct nd_call_turns *all, const char *who) {
    *c = (struct nd_call_turn){ .all = all, .caller = caller_of(all, who) };
    oc_list_init(&c->link);
    c->caller->calls++;
}

void nd_call_turn_leave(struct nd_call_turn *c) {
    oc_list_remove(&c->link);
    c->go = NULL;
}

void nd_call_turn_finish(struct nd_call_turn *c) {
    nd_call_turn_leave(c);
    call_turns_release(c->caller);
}

void nd_call_turn_take(struct nd_call_turn *c, unsigned units, void (*go)(void *user), void *user) {
    struct oc_turns *turns = &c->all->turns;
    struct nd_call_caller *caller = c->caller;
    if (turns->payer) {
        oc_turns_count(turns, units);
        go(user);
        return;
    }
    c->units = units;
    c->go = go;
    c->user = user;
    if (oc_list_empty(&caller->waiting) && oc_turn_may(turns, &caller->turn, &caller->waiter)) {
        call_turns_begin(c);
    } else {
        oc_list_append(&caller->waiting, &c->link);
    }
}
