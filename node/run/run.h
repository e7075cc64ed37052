/* One system.run after the decision: started, watched, answered, reported.
 *
 *   create ──▶ deny ───────────────────────────────┐
 *     │     └▶ not_started ────────────────────────┤
 *     └──────▶ start ──▶ runs ──▶ end, timeout, ───┴─▶ its end (log/run_end.h) is filled in
 *                 │               cancel, orphaned     once ─▶ event, run log, answer ─▶ freed
 *                 └ background: answered with a handle at once; ends the same without an answer,
 *                   then kept (node/run/runs.h)
 *
 * commands/system_run.c decodes and decides; everything from the decision on is here. */
#ifndef NODE_RUN_RUN_H
#define NODE_RUN_RUN_H

#include "lib/base/str.h"
#include "lib/protocol/frame.h"
#include "node/argv/paths/exec_mounts.h"
#include "node/argv/run_params.h"
#include "node/call/call.h"
#include "node/link/uplink.h"
#include "node/machine.h"
#include "node/run/run_result.h"

#include <stdbool.h>
#include <stdint.h>

#define ND_RUN_ORPHAN_MS \
    120000 /* how long a run goes on without anybody to answer to; node.exec.orphanMs */

struct nd_run_log;    /* node/run/log/run_log.h */
struct nd_exec_notes; /* node/policy/exec_notes.h */
struct nd_exec_verdict;
struct nd_looks; /* node/looks/looks.h */
struct nd_run;
struct nd_run_entry;
struct nd_runs;        /* node/run/runs.h */
struct nd_unconfirmed; /* node/run/unconfirmed.h */

/* What runs need of their node, and where they are written down. */
struct nd_runner {
    const struct nd_machine *machine;
    struct nd_uplink *uplink;
    struct nd_exec_notes *notes;
    struct nd_looks *looks;
    struct nd_call_memory *call_memory;
    struct nd_exec_mounts mounts;
    struct nd_runs *runs;               /* every run, and those that ended lately */
    struct nd_run_log *log;             /* of what ran; NULL: none */
    struct nd_unconfirmed *unconfirmed; /* ends that the gateway may not know; NULL: nobody cares */
};

/* What the decision came to. Borrowed for the call. */
struct nd_run_plan {
    const char *path;           /* the file to execute */
    const struct oc_strv *argv; /* NULL: what the caller sent */
    const struct oc_strv *env;  /* "NAME=value", all the program gets */
    const struct oc_strv
            *env_dropped; /* names of what the caller wanted in it beyond that; NULL: nothing */
    const struct nd_exec_verdict *verdict; /* what is noted once it has started */
    bool allows_input; /* it may be written to. What was allowed for what it does by itself may do
                          anything when somebody talks to it */
};

/* Takes the params. */
struct nd_run *nd_run_create(
        struct nd_runner *runner, struct nd_call *call, struct nd_run_params *take_params);
const struct nd_run_params *nd_run_params_of(const struct nd_run *r);

/* Which gate decides; says so in the run log. */
void nd_run_note_gate(struct nd_run *r, const struct nd_exec_verdict *v);
void nd_run_set_gate(struct nd_run *r, enum oc_run_gate gate, const char *entry); /* NULL: none */

/* Each of these answers the call, now or later, and takes the run. */
void nd_run_deny(struct nd_run *take_run, enum oc_run_gate by, const char *text,
        const struct oc_grounds *grounds);
void nd_run_not_started(struct nd_run *take_run, int errnum);
void nd_run_start(struct nd_run *take_run, const struct nd_run_plan *plan);

/* For node/run/runs.c. A run that has not ended is killed. */
void nd_run_free(struct nd_run_entry *e);
/* False: no answer to this run. */
bool nd_run_answered(struct nd_run_entry *e, const struct oc_frame *frame);
/* Kills it as if its caller had cancelled. */
void nd_run_kill(struct nd_run_entry *e);

#endif
