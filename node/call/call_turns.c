#include "node/call/call_turns.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

struct oc_call_caller {
    struct oc_list link; /* oc_call_turns.callers */
    char *who;
    size_t calls;
    struct oc_turn turn;
};

void oc_call_turns_init(struct oc_call_turns *t, struct oc_loop *loop) {
    oc_turns_init(&t->turns, loop);
    oc_list_init(&t->callers);
}

void oc_call_turns_finish(struct oc_call_turns *t) {
    oc_turns_finish(&t->turns);
}

static struct oc_call_caller *caller_of(struct oc_call_turns *t, const char *who) {
    struct oc_call_caller *c;
    oc_list_for_each(c, &t->callers, link) {
        if (oc_streq(c->who, who)) {
            return c;
        }
    }
    c = oc_new(struct oc_call_caller);
    c->who = oc_strdup(who);
    oc_turn_init(&c->turn);
    oc_list_init(&c->link);
    oc_list_append(&t->callers, &c->link);
    return c;
}

static void run(struct oc_call_turn *c) {
    struct oc_turns *turns = &c->all->turns;
    if (!oc_turn_may(turns, &c->caller->turn, &c->waiter)) {
        return;
    }
    void (*go)(void *) = c->go;
    c->go = NULL;
    oc_turn_begin(turns, &c->caller->turn, &c->waiter);
    oc_turns_count(turns, c->units);
    go(c->user);
    oc_turn_end(turns);
}

static void on_next(struct oc_deferred *d) {
    run(d->user);
}

static void on_turn(void *user) {
    struct oc_call_turn *c = user;
    oc_defer(c->all->turns.loop, &c->next); /* nobody gets two turns in one round */
}

void oc_call_turn_init(struct oc_call_turn *c, struct oc_call_turns *all, const char *who) {
    *c = (struct oc_call_turn){ .all = all,
        .caller = caller_of(all, who),
        .waiter = { .go_on = on_turn, .user = c },
        .next = { .run = on_next, .user = c } };
    oc_list_init(&c->waiter.link);
    c->caller->calls++;
}

void oc_call_turn_leave(struct oc_call_turn *c) {
    oc_turn_waiter_leave(&c->waiter);
    oc_defer_cancel(&c->next);
    c->go = NULL;
}

void oc_call_turn_finish(struct oc_call_turn *c) {
    struct oc_call_caller *caller = c->caller;
    oc_call_turn_leave(c);
    if (--caller->calls == 0) {
        oc_turn_finish(&caller->turn);
        oc_list_remove(&caller->link);
        oc_free(caller->who);
        oc_free(caller);
    }
}

void oc_call_turn_take(struct oc_call_turn *c, unsigned units, void (*go)(void *user), void *user) {
    if (c->all->turns.payer) {
        oc_turns_count(&c->all->turns, units);
        go(user);
        return;
    }
    c->units = units;
    c->go = go;
    c->user = user;
    run(c);
}
