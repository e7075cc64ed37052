/* One system.run after the decision: started, watched, answered, reported.
 *
 *   create ──▶ deny ───────────────────────────────┐
 *     │     └▶ not_started ────────────────────────┤
 *     └──────▶ start ──▶ runs ──▶ end, timeout, ───┴─▶ event, answer, report ─▶ freed
 *                 │               cancel, orphaned
 *                 └ background: answered with a handle at once; ends with event and report, then kept (node/run/runs.h)
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

#define OC_RUN_ORPHAN_MS \
    120000 /* how long a run goes on without anybody to answer to; node.exec.orphanMs */

struct oc_run_log;    /* node/run/run_log.h */
struct oc_exec_notes; /* node/policy/exec_notes.h */
struct oc_exec_verdict;
struct oc_looks; /* node/looks/looks.h */
struct oc_run;
struct oc_run_entry;
struct oc_run_end_facts;
struct oc_runs;        /* node/run/runs.h */
struct oc_unconfirmed; /* node/run/unconfirmed.h */

/* What runs need of their node, and where they are written down. */
struct oc_runner {
    const struct oc_machine *machine;
    struct oc_uplink *uplink;
    struct oc_exec_notes *notes;
    struct oc_looks *looks;
    struct oc_call_memory *call_memory;
    struct oc_runs *runs;          /* every run, and those that ended lately */
    struct oc_run_log *log;        /* of what ran; NULL: none */
    struct oc_unconfirmed *unconfirmed; /* ends that the gateway may not know; NULL: nobody cares */
    /* Told once about every run and every refusal; NULL: nobody is. */
    void (*on_run)(struct oc_runner *runner, const struct oc_run_end_facts *report);
};

/* What the decision came to. Borrowed for the call. */
struct oc_run_plan {
    const char *path;           /* the file to execute */
    const struct oc_strv *argv; /* NULL: what the caller sent */
    const struct oc_strv *env;  /* "NAME=value", all the program gets */
    const struct oc_strv
            *env_dropped; /* names of what the caller wanted in it beyond that; NULL: nothing */
    const struct oc_exec_verdict *verdict; /* what is noted once it has started */
    bool allows_input; /* it may be written to. What was allowed for what it does by itself may do anything when
                                   somebody talks to it */
};

/* How a run ended, for the run log. Everything is borrowed for the call. */
struct oc_run_end_facts {
    const struct oc_run_params *params;
    const struct oc_run_entry *entry;
    const char *invoke_id;               /* what the gateway calls it */
    const cJSON *caller;                 /* who the gateway says asked; NULL: it does not say */
    const char *gate, *gate_entry;       /* what let it through, or stopped it; NULL: not known */
    const char *run_id, *session_key;    /* as in the exec.* events */
    const char *denied;                  /* what the caller was told; NULL: it was allowed */
    enum oc_cause cause;                 /* of that */
    const char *log_id;                  /* its line in the log; "": it has none yet */
    const struct oc_run_result *outcome; /* NULL: refused */
    bool was_cancelled, node_stopped;
    int64_t began_ms, took_ms; /* wall clock; how long */
    uint64_t bytes,
            err_bytes; /* that the program wrote, also those that were cut; of these to stderr */
};

/* Takes the params. */
struct oc_run *oc_run_create(
        struct oc_runner *runner, struct oc_node_call *call, struct oc_run_params *take_params);
const struct oc_run_params *oc_run_params(const struct oc_run *r);

/* Which gate decides; says so in the run log. */
void oc_run_note_gate(struct oc_run *r, const struct oc_exec_verdict *v);
void oc_run_set_gate(struct oc_run *r, const char *gate, const char *entry); /* NULL: none */

/* Each of these answers the call, now or later, and takes the run. */
/* reason: for the exec.denied event. */
void oc_run_deny(struct oc_run *take_run, const char *reason, const char *text,
        const struct oc_grounds *grounds);
void oc_run_not_started(struct oc_run *take_run, int errnum);
void oc_run_start(struct oc_run *take_run, const struct oc_run_plan *plan);

/* For node/run/runs.c. A run that has not ended is killed. */
void oc_run_free(struct oc_run_entry *e);
/* False: no answer to this run. */
bool oc_run_answered(struct oc_run_entry *e, const struct oc_frame *frame);
/* Kills it as if its caller had cancelled. */
void oc_run_kill(struct oc_run_entry *e);

#endif
