/* Whose turn it is: what calls do on the node's loop counts for whoever asked for them
 * (lib/net/loop/turns.h), so that nobody can have it for long. A caller is what the gateway calls
 * one; where it does not say, all are one. */
#ifndef NODE_CALL_CALL_TURNS_H
#define NODE_CALL_CALL_TURNS_H

#include "lib/net/loop/turns.h"

#include <stdbool.h>

struct nd_call_caller;

struct nd_call_turns {
    struct oc_turns turns;
    struct oc_list callers; /* of calls that there are */
};

/* Of one call. */
struct nd_call_turn {
    struct nd_call_turns *all;
    struct nd_call_caller *caller;
    struct oc_list link; /* of those of its caller that wait, in the order in which they came */
    unsigned units;      /* what it takes next … */
    void (*go)(void *user);
    void *user;
};

void nd_call_turns_init(struct nd_call_turns *t, struct oc_loop *loop);
/* After all calls. */
void nd_call_turns_finish(struct nd_call_turns *t);

/* who may be NULL. */
void nd_call_turn_init(struct nd_call_turn *c, struct nd_call_turns *all, const char *who);
void nd_call_turn_finish(struct nd_call_turn *c);

/* go does so many units of work: now, or in a later round when its caller has had enough of this
 * one, or has calls that wait already: they keep their order. Only one at a time of a call waits.
 * Within another go it happens at once. */
void nd_call_turn_take(struct nd_call_turn *c, unsigned units, void (*go)(void *user), void *user);
/* go does not happen any more. */
void nd_call_turn_leave(struct nd_call_turn *c);

#endif
