/* Turns: how much of a round of the loop one party may use. What is left of its messages waits
 * until everybody else has had a turn: at a gateway unread in its sockets, at a node beside the
 * calls that run. Within a connection the order stays.
 *
 * Work is counted in units of about ten microseconds: messages, bytes in and out, steps of SQLite.
 * The count depends on nothing but what is asked for, so that tests can rely on it. The clock
 * counts, too, for what the units do not see.
 *
 *   a message ─▶ its party spends ─▶ over the budget ─▶ the party's connections wait
 *     ─▶ next round ─▶ they go on, those that had none before first
 *
 * Strangers from elsewhere share one turn, however many addresses they have. When several parties
 * run out of their turns, all get shorter ones. */
#ifndef LIB_NET_LOOP_TURNS_H
#define LIB_NET_LOOP_TURNS_H

#include "lib/base/list.h"
#include "lib/net/loop/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One party's share of the round; in gw_party, and of each caller at a node. */
struct oc_turn {
    struct oc_list link; /* oc_turns.begun; alone when nothing was spent in this round */
    unsigned units;
    int64_t ns;
    bool is_over;
    struct oc_list waiting,
            served; /* oc_turn_waiter.link: had nothing, or something, of this turn */
};

/* Somebody who waits for the party's next turn; in gw_conn, and in a call at a node. */
struct oc_turn_waiter {
    struct oc_list link;
    bool had_some;
    void (*go_on)(void *user);
    void *user;
};

struct oc_turns {
    struct oc_loop *loop;
    struct oc_deferred next; /* the round is over */
    struct oc_list begun;    /* oc_turn.link */
    struct oc_turn strangers;
    struct oc_turn *payer; /* for whom something is being done; NULL: for ourselves */
    int64_t since_ns;
    unsigned crowd;   /* parties that ran out of the last turn */
    uint64_t work;    /* units so far, of all */
    uint64_t nobodys; /* of these: that no party has to do with */
};

void oc_turns_init(struct oc_turns *t, struct oc_loop *loop);
void oc_turns_finish(struct oc_turns *t);
void oc_turn_init(struct oc_turn *turn);
void oc_turn_finish(struct oc_turn *turn);

/* False: not in this round; the waiter hears go_on in the next. */
bool oc_turn_may(struct oc_turns *t, struct oc_turn *turn, struct oc_turn_waiter *w);
void oc_turn_waiter_leave(struct oc_turn_waiter *w);
/* What is done between the two is done for this party. */
void oc_turn_begin(struct oc_turns *t, struct oc_turn *turn, struct oc_turn_waiter *w);
void oc_turn_end(struct oc_turns *t);
/* The same outside of messages: an HTTP request, a connection that ends. Returns what was before,
 * for the end. */
struct oc_turn *oc_turns_charge(struct oc_turns *t, struct oc_turn *turn);
void oc_turns_charge_end(struct oc_turns *t, struct oc_turn *before);
/* Work, for whoever pays at the moment, or for nobody. */
void oc_turns_count(struct oc_turns *t, unsigned units);
/* … and for a party that nothing is being done for. */
void oc_turn_spend(struct oc_turns *t, struct oc_turn *turn, unsigned units);
/* The same of bytes that came for it or were sent to it. *rest: those that are no whole unit yet,
 * kept for the next. */
void oc_turn_spend_bytes(struct oc_turns *t, struct oc_turn *turn, size_t *rest, size_t bytes);

#endif
