/* How a run ended, or why it never began: one record.
 *
 * node/run/run.c fills it once, whatever the end was; after that it is only read: by the run log
 * (node/run/log/run_log.h), by the event for the gateway's audit, which is repeated until the
 * gateway confirms it (node/run/unconfirmed.h), by the answer (node/run/run_result.h) and by the
 * list of runs (node/run/runs.h). */
#ifndef NODE_RUN_LOG_RUN_END_H
#define NODE_RUN_LOG_RUN_END_H

#include "lib/base/grounds.h"
#include "lib/base/str.h"
#include "lib/json/json.h"
#include "lib/protocol/run_words.h"
#include "node/process/process.h"

#include <stdbool.h>
#include <stdint.h>

/* What a run is about, as known before it begins. Borrowed from the run and its call. */
struct nd_run_about {
    const struct oc_strv *argv;
    const char *cwd, *agent_id, *session_key, *run_id, *handle; /* may be NULL */
    const cJSON *env;                                           /* an object, or NULL */
    const char *invoke_id;         /* what the gateway calls it; may be NULL */
    const cJSON *caller;           /* who the gateway says asked; may be NULL */
    const char *gate, *gate_entry; /* what let it through, or stopped it; may be NULL */
    bool is_background, has_tty;
};

/* What the exec.* events call it. Borrowed, too. */
struct nd_run_label {
    const char *session_key, *run_id, *command;
};

/* How the program itself ended. Zeroed: it never ran, or nobody saw its end. */
struct nd_run_exit {
    bool has_code, timed_out;
    bool was_killed; /* for any reason */
    int code;
    int signal;        /* that ended it; 0: none */
    const char *limit; /* "memory" or "cpuSeconds" (node.exec.limits.*) of which it used too much
                          and was killed; NULL: none */
};
struct nd_run_exit nd_run_exit_of(const struct nd_process_result *p);

#define ND_RUN_LOST "the node stopped before it ended"

struct nd_run_end {
    /* Until it is answered: */
    struct nd_run_about about;
    struct nd_run_label label;
    enum oc_decision decision; /* of somebody at this machine; none: nobody was asked here */
    /* As long as the run is kept: */
    const char *log_id; /* its line in the run log; "": it has none. Borrowed */
    enum oc_outcome outcome;
    struct nd_run_exit exit;
    char *reason;              /* in words; NULL: the outcome says all. Owned */
    struct oc_grounds grounds; /* of a refusal */
    const char *handle;        /* of a run in the background; NULL: another one. Borrowed */
    int64_t began_ms;          /* wall clock */
    int64_t took_ms;           /* -1: not known, nor what it wrote */
    bool has_streams;          /* bytes are told apart as well */
    uint64_t bytes;            /* that the program wrote, also those that were cut */
    uint64_t err_bytes;        /* of these to stderr */
    uint64_t input_bytes;      /* that it was given */
    cJSON *input;              /* by whom (node/run/run_owner.h); NULL: nobody. Owned */
};
void nd_run_end_finish(struct nd_run_end *end);

/* Adds {"outcome","exitCode"?,"signal"?,"bytes"?,…}, as the run log and the audit have it
 * (gateway/audit/run_end.h). */
void nd_run_end_put(const struct nd_run_end *end, cJSON *o);
/* The same for the gateway's audit; NULL: it has none. Caller deletes. */
cJSON *nd_run_end_report(const struct nd_run_end *end);

#endif
