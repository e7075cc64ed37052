/* What commands looked like whenever somebody had the node look at them: their files, and what
 * "always" would add to the list.
 *
 * An approval is about the look that was made when it was asked for. A gateway of ours has the node
 * look then, shows that look to whoever decides, and brings it along with the run
 * (node/policy/exec_notes.h); the look itself says what the files must be, and this table says
 * whether anybody has seen them otherwise since: then they are changed back and forth, and nobody
 * knows what the person saw who approved. Other gateways bring nothing, so all looks of the last
 * hour must be the same.
 *
 * In memory: a restart forgets it, and old ones fall out. */
#ifndef NODE_POLICY_EXEC_PLANS_H
#define NODE_POLICY_EXEC_PLANS_H

#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ND_EXEC_PLANS = 256,
    ND_EXEC_PLANS_EACH = 32, /* of one agent and session: it pushes out its own first */
    ND_EXEC_PLAN_MS = 3600000,
};

struct nd_exec_look { /* seals (node/looks/exec_seal.h) */
    char program[65]; /* of the real path of what argv[0] is; "": there was no such program */
    char files[65];   /* nd_exec_operand.all */
    char would[65];   /* of what "always" would add */
};

struct nd_exec_plan {
    char key[65]; /* of argv and cwd; "": free */
    uint64_t asker;
    int64_t at_ms; /* monotonic */
    uint64_t order;
    struct nd_exec_look look;
};

struct nd_exec_plans { /* a zeroed one is empty */
    struct nd_exec_plan all[ND_EXEC_PLANS];
    uint64_t last;
};

/* Which command it is about. */
struct nd_exec_plan_key {
    const struct oc_strv *argv;         /* as it is asked for, which is what people see */
    const char *cwd;                    /* may be NULL */
    const char *agent_id, *session_key; /* who prepares, as far as it says; may be NULL */
};
/* The same for the same words in the same directory. */
void nd_exec_plan_name(const struct nd_exec_plan_key *key, char ret[65]);

/* One text for program and files, by which others tell that something has changed. */
void nd_exec_look_state(const struct nd_exec_look *look, char ret[65]);
/* The same program and files. */
bool nd_exec_look_same(const struct nd_exec_look *a, const struct nd_exec_look *b);

/* Gives the number of the look; the same one again keeps its number and time. */
uint64_t nd_exec_plans_add(struct nd_exec_plans *plans, const struct nd_exec_plan_key *key,
        const struct nd_exec_look *look, int64_t now_ms);
/* Whether a look after that number saw something else. */
bool nd_exec_plans_changed(const struct nd_exec_plans *plans, const struct nd_exec_plan_key *key,
        const struct nd_exec_look *look, uint64_t since);
/* The last look; NULL: there was none. *ret_is_torn: an earlier one saw something else. Valid until
 * the next add. */
const struct nd_exec_look *nd_exec_plans_find(const struct nd_exec_plans *plans,
        const struct nd_exec_plan_key *key, int64_t now_ms, bool *ret_is_torn);
void nd_exec_plans_forget(struct nd_exec_plans *plans, const struct nd_exec_plan_key *key);

#endif
