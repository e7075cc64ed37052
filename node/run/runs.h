/* Every run of this node: those that run now, and the background runs that ended lately.
 *
 * A background run belongs to the node process: it ends when that does. Of those that have ended
 * the last ND_MAX_ENDED_RUNS are kept, each with the end of its output. */
#ifndef NODE_RUN_RUNS_H
#define NODE_RUN_RUNS_H

#include "lib/base/list.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/limits.h"
#include "node/machine.h"
#include "node/run/run_output.h"

#include <stdbool.h>
#include <stdint.h>

#define ND_MAX_ENDED_RUNS 32
#define ND_MAX_RUNS_DEFAULT 32 /* at a time; node.exec.maxConcurrent */

struct nd_process;
struct nd_run;
struct nd_run_end; /* node/run/log/run_end.h */
struct nd_runs;

/* What others may know of a run. Part of struct nd_run. */
struct nd_run_entry {
    struct oc_list link; /* nd_runs.running or .ended */
    char *handle, *command, *cwd;
    char *agent_id;           /* whose rules it runs under; NULL: main */
    char *owner, *owner_name; /* node/run/run_owner.h */
    char *killed_by;          /* whoever ended it by its handle; NULL: nobody */
    struct nd_run_writer {
        char *id, *name;
        uint64_t bytes;
    } writers[OC_MAX_RUN_WRITERS + 1]; /* who gave it input; the last one is everyone else */
    size_t writer_count;
    uint64_t input_bytes; /* of all of them */
    bool is_background, allows_input, has_tty;
    bool takes_stdin;    /* its caller sends its standard input, and nobody else */
    bool is_left_behind; /* the program has ended and is answered for; what it started runs on */
    struct nd_process *process;   /* NULL when nothing is left of it */
    int64_t began_ms, ended_ms;   /* wall clock; 0: still runs */
    struct nd_run_output log;     /* of background runs */
    struct oc_list watchers;      /* nd_run_watcher.link */
    const struct nd_run_end *end; /* NULL: the program has not ended */
};

/* Told when there is new output, room for input, or the run has ended; embedded in whoever waits,
 * who must leave when it has ended. */
struct nd_run_watcher {
    struct oc_list link;
    void (*on_change)(struct nd_run_watcher *w);
};

struct nd_runs *nd_runs_create(const struct nd_machine *machine);
/* Kills what runs; calls are abandoned before (nd_calls_destroy). */
void nd_runs_destroy(struct nd_runs *runs);

/* False when as many as allowed are running; ret_limit says how many that is. */
bool nd_runs_have_room(const struct nd_runs *runs, int64_t *ret_limit);
struct nd_run_entry *nd_runs_find(struct nd_runs *runs, const char *handle);
/* Running ones first, both in order of their start. NULL: begin; returns NULL at the end. */
struct nd_run_entry *nd_runs_next(struct nd_runs *runs, const struct nd_run_entry *after);
/* A handle nobody has; caller frees. */
char *nd_runs_new_handle(struct nd_runs *runs);
/* The gateway's answer to a frame of ours. */
void nd_runs_answered(struct nd_runs *runs, const struct oc_frame *frame);

/* For node/run/run.c: */
void nd_runs_add(struct nd_runs *runs, struct nd_run_entry *e);
/* Background runs are kept from here on, and freed by the table; others must be freed by the
 * caller. */
void nd_runs_ended(struct nd_runs *runs, struct nd_run_entry *e);
void nd_run_entry_changed(struct nd_run_entry *e);
void nd_run_entry_finish(struct nd_run_entry *e);

#endif
