/* Looks at the files of commands off the loop, one command at a time.
 *
 * Reading and hashing takes as long as the disk and 16 MiB do. A thread does it; everything else
 * goes on meanwhile. Callers take turns: whoever asks for many looks waits for their own. A look
 * that takes too long loses its place to the next one, and its caller's others wait for it. A file
 * system may not answer at all: a look that lost its place and does not come forward any more
 * counts as stuck, until it does; one that is merely busy does not. Core thread only. */
#ifndef NODE_LOOKS_LOOKS_H
#define NODE_LOOKS_LOOKS_H

#include "lib/base/error.h"
#include "lib/net/loop/loop.h"
#include "node/looks/exec_operand.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ND_MAX_LOOKS_EACH = 16, /* of one caller that wait */
    ND_MAX_LOOKS = 128,     /* of all that wait */
    ND_LOOK_MS = 1000,      /* then the next one begins */
    ND_LOOK_STEP_MS = 250,  /* whoever makes no step in this time waits for a file system */
    ND_MAX_STUCK_LOOKS = 4, /* threads that do not come back, of all callers; of one caller 1 */
    ND_MAX_SLOW_LOOKS = 16, /* threads that lost their place, stuck or busy; then no other begins */
};

struct nd_look;

struct nd_looks {                 /* a zeroed one is idle */
    struct nd_look *first, *last; /* that wait, oldest first */
    struct nd_look *running;
    struct nd_look *slow; /* that lost their place */
    struct oc_timer tick; /* while there is a thread */
    struct oc_strv turns; /* who waits; the first one is next */
    uint64_t made;        /* how many have been looked at */
    void (*in_thread)(const char *who,
            atomic_uint *steps); /* tests: called by the thread before it looks; NULL */
};

struct nd_look_ask {
    const struct oc_strv *argv; /* as it was asked for */
    const char *real; /* what argv[0] is after hardening, where that is looked at as well; NULL: it
                         is not */
    const char *cwd;  /* NULL: ours */
    const char *state_dir;       /* NULL: none */
    const char *who;             /* whose turn it takes; NULL: nobody's in particular */
    const struct oc_strv *reach; /* only find out whether these paths answer; NULL: look at argv */
    bool is_urgent;              /* right before a start: no ceiling for one caller */
};

struct nd_look_found {
    struct nd_exec_operand given, real;
    bool has_real;
};

/* found is valid during the call; what is taken out of it must be zeroed there. */
typedef void nd_look_done(void *user, struct nd_look_found *found);

/* OC_E_UNAVAILABLE: too many wait, or one of this caller is stuck. Otherwise done fires once, from
 * the loop, unless it is cancelled. */
enum oc_code nd_look_start(struct nd_looks *looks, struct oc_loop *loop,
        const struct nd_look_ask *ask, nd_look_done *done, void *user, struct nd_look **ret,
        struct oc_error *err) OC_MUST_USE;
/* done does not fire any more. NULL is fine. */
void nd_look_cancel(struct nd_look *l);
/* Before the looks go away: what waits is cancelled, and a thread that still reads finds nobody. */
void nd_looks_finish(struct nd_looks *looks);

#endif
