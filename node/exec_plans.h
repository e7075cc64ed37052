/* What commands looked like when somebody was to be asked about them: their files, and what "always" would add to the list.
 *
 * system.run.prepare and the refusal "approval required" put it here; the approved run must find it again. Callers carry
 * plans with hashes, too, but those are their words.
 *
 * A gateway of ours says how long ago the approval was asked for. What counts is then the last look before that: what
 * was prepared later, nobody has approved. Other gateways do not say it, and the first look counts until a run has asked
 * for it: otherwise who may prepare and change files could exchange the script behind an approval by preparing once more.
 *
 * In memory: a restart forgets it, old ones fall out, and the run is then refused ("prepare it again"). */
#ifndef NODE_EXEC_PLANS_H
#define NODE_EXEC_PLANS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OC_EXEC_PLANS = 256,
    OC_EXEC_PLANS_EACH = 32, /* of one agent and session: it pushes out its own first */
    OC_EXEC_PLAN_MS = 3600000,
};

struct oc_exec_look {
    char program[65]; /* hash of the real path of what argv[0] is; "": there was no such program */
    char files[65];   /* oc_exec_operand.all; "": it names no file */
    char would[65];   /* hash of what "always" would add */
};

struct oc_exec_plan {
    char key[65]; /* hash of argv and cwd; "": free */
    uint64_t asker;
    int64_t at_ms; /* monotonic */
    uint64_t order;
    struct oc_exec_look look;
};

struct oc_exec_plans { /* a zeroed one is empty */
    struct oc_exec_plan all[OC_EXEC_PLANS];
    uint64_t last;
};

/* Which command it is about. */
struct oc_exec_plan_key {
    const struct oc_strv *argv;         /* as it is asked for, which is what people see */
    const char *cwd;                    /* may be NULL */
    const char *agent_id, *session_key; /* who prepares, as far as it says; may be NULL */
};

/* The same look again keeps its old time. */
void oc_exec_plans_add(struct oc_exec_plans *plans, const struct oc_exec_plan_key *key,
        const struct oc_exec_look *look, int64_t now_ms);
/* approval_age_ms < 0: the gateway did not say it. NULL: there was no look, or none in time. Valid until the next add. */
const struct oc_exec_look *oc_exec_plans_find(const struct oc_exec_plans *plans,
        const struct oc_exec_plan_key *key, int64_t approval_age_ms, int64_t now_ms);
void oc_exec_plans_forget(struct oc_exec_plans *plans, const struct oc_exec_plan_key *key);

#endif
