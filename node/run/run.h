/* One system.run after the decision: started, watched, answered, reported.
 *
 *   create ──▶ deny ───────────────────────────────┐
 *     │     └▶ not_started ────────────────────────┤
 *     └──────▶ start ──▶ runs ──▶ end, timeout, ───┴─▶ event, answer, report ─▶ freed
 *                 │               cancel, orphaned
 *                 └ background: answered with a handle at once; ends with event and report,
 *                               then kept (node/run/runs.h)
 *
 * commands/system_run.c decodes and decides; everything from the decision on is here. */
#ifndef NODE_RUN_RUN_H
#define NODE_RUN_RUN_H

#include "lib/base/str.h"
#include "lib/protocol/frame.h"
#include "node/argv/run_params.h"
#include "node/call/call.h"
#include "node/link/uplink.h"
#include "node/machine.h"
#include "node/run/run_result.h"

#include <stdbool.h>
#include <stdint.h>

#define ND_RUN_ORPHAN_MS \
    120000 /* how long a run goes on without anybody to answer to; node.exec.orphanMs */

struct nd_run_log;    /* node/run/run_log.h */
struct nd_exec_notes; /* node/policy/exec_notes.h */
struct nd_exec_verdict;
struct nd_looks; /* node/looks/looks.h */
struct nd_run;
struct nd_run_entry;
struct nd_run_end_facts;
struct nd_runs;        /* node/run/runs.h */
struct nd_unconfirmed; /* node/run/unconfirmed.h */

/* What runs need of their node, and where they are written down. */
struct nd_runner {
    const struct nd_machine *machine;
    struct nd_uplink *uplink;
    struct nd_exec_notes *notes;
    struct nd_looks *looks;
    struct nd_call_memory *call_memory;
    struct nd_runs *runs;               /* every run, and those that ended lately */
    struct nd_run_log *log;             /* of what ran; NULL: none */
    struct nd_unconfirmed *unconfirmed; /* ends that the gateway may not know; NULL: nobody cares */
    /* Told once about every run and every refusal; NULL: nobody is. */
    void (*on_run)(struct nd_runner *runner, const struct nd_run_end_facts *report);
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

/* How a run ended, for the run log. Everything is borrowed for the call. */
struct nd_run_end_facts {
    const struct nd_run_params *params;
    const struct nd_run_entry *entry;
    const char *invoke_id;               /* what the gateway calls it */
    const cJSON *caller;                 /* who the gateway says asked; NULL: it does not say */
    const char *gate, *gate_entry;       /* what let it through, or stopped it; NULL: not known */
    const char *run_id, *session_key;    /* as in the exec.* events */
    const char *denied;                  /* what the caller was told; NULL: it was allowed */
    enum oc_cause cause;                 /* of that */
    const char *log_id;                  /* its line in the log; "": it has none yet */
    const struct nd_run_result *outcome; /* NULL: refused */
    bool was_cancelled, node_stopped;
    int64_t began_ms, took_ms; /* wall clock; how long */
    uint64_t bytes,
            err_bytes; /* that the program wrote, also those that were cut; of these to stderr */
};

/* Takes the params. */
struct nd_run *nd_run_create(
        struct nd_runner *runner, struct nd_call *call, struct nd_run_params *take_params);
const struct nd_run_params *nd_run_params(const struct nd_run *r);

/* Which gate decides; says so in the run log. */
void nd_run_note_gate(struct nd_run *r, const struct nd_exec_verdict *v);
void nd_run_set_gate(struct nd_run *r, const char *gate, const char *entry); /* NULL: none */

/* Each of these answers the call, now or later, and takes the run. */
/* reason: for the exec.denied event. */
void nd_run_deny(struct nd_run *take_run, const char *reason, const char *text,
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
