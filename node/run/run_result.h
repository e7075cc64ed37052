/* What system.run says about a finished command: the result, and the exec.* events
 * (docs/PROTOCOL.md#systemrun, docs/PROTOCOL.md#events-of-a-node). */
#ifndef NODE_RUN_RUN_RESULT_H
#define NODE_RUN_RUN_RESULT_H

#include "lib/base/buf.h"
#include "node/link/uplink.h"
#include "node/process/process.h"

#include <stdbool.h>

#define ND_MAX_EVENT_OUTPUT 20000

/* The outcome as text: output as valid UTF-8 (NULs kept), with the truncation line where there was
 * more. */
struct nd_run_result {
    bool has_exit_code;
    int exit_code;
    int signal; /* that ended it; 0: none */
    bool timed_out, success;
    bool was_live; /* every byte was sent as it came; out and err still hold what fits */
    struct oc_buf out, err;
    const char *error;   /* NULL: none; borrowed */
    const char *sandbox; /* what stood around it; NULL: nothing; borrowed */
    const struct oc_strv
            *env_dropped;    /* variables of the caller that it did not get; NULL: none; borrowed */
    const char *left_behind; /* what became of processes it left: "killed", "running"; NULL: it left
                                none */
    const char *handle;      /* of those that run on; borrowed */
    const char *limit; /* "memory" or "cpuSeconds" (node.exec.limits.*) of which it used too much
                          and was killed; NULL: none */
    const cJSON *remembered; /* what "always" put on the list, an array; NULL: nobody said always;
                                borrowed */
};
void nd_run_result_init(struct nd_run_result *o, const struct nd_process_result *r);
/* The program was never started. error is borrowed. */
void nd_run_result_init_failed(struct nd_run_result *o, const char *error);
void nd_run_result_finish(struct nd_run_result *o);

/* {"exitCode"?,"signal"?,"timedOut","success","stdout","stderr","error","sandbox"?,"envDropped"?,
 * "limit"?,"leftBehind"?,"handle"?,"remembered"?}; signal and those from sandbox on are ours, the
 * reference has none. */
struct oc_blob *nd_run_result_json(const struct nd_run_result *o);

/* Who and what an event is about. */
struct nd_run_label {
    const char *session_key, *run_id, *command;
    const cJSON *audit; /* ours: what the gateway's audit wants to know; NULL: nothing */
};
/* The payload of exec.finished. */
struct oc_blob *nd_run_finished_json(
        const struct nd_run_label *label, const struct nd_run_result *o);
/* Sent with node.event; the answer is not waited for. */
void nd_run_send_finished(
        struct nd_uplink *up, const struct nd_run_label *label, const struct nd_run_result *o);
void nd_run_send_started(struct nd_uplink *up, const struct nd_run_label *label);
void nd_run_send_denied(struct nd_uplink *up, const struct nd_run_label *label, const char *reason);

#endif
