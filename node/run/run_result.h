/* What system.run says about a finished command: the result, and the exec.* events
 * (docs/PROTOCOL.md#systemrun, docs/PROTOCOL.md#events-of-a-node). */
#ifndef NODE_RUN_RUN_RESULT_H
#define NODE_RUN_RUN_RESULT_H

#include "lib/base/buf.h"
#include "node/link/uplink.h"
#include "node/process/process.h"
#include "node/run/log/run_end.h"

#include <stdbool.h>

#define ND_MAX_EVENT_OUTPUT 20000

/* What a program left besides its end: output as valid UTF-8 (NULs kept), with the truncation line
 * where there was more, and what stood around it. */
struct nd_run_result {
    bool was_live; /* every byte was sent as it came; out and err still hold what fits */
    struct oc_buf out, err;
    const char *sandbox; /* what stood around it; NULL: nothing; borrowed */
    const struct oc_strv
            *env_dropped;    /* variables of the caller that it did not get; NULL: none; borrowed */
    const char *left_behind; /* what became of processes it left: "killed", "running"; NULL: it left
                                none */
    const char *handle;      /* of those that run on; borrowed */
    const cJSON *remembered; /* what "always" put on the list, an array; NULL: nobody said always;
                                borrowed */
};
/* p: NULL when the program was never started. */
void nd_run_result_init(struct nd_run_result *o, const struct nd_process_result *p);
void nd_run_result_finish(struct nd_run_result *o);

/* {"exitCode"?,"signal"?,"timedOut","success","stdout","stderr","error","sandbox"?,"envDropped"?,
 * "limit"?,"leftBehind"?,"handle"?,"remembered"?}; signal and those from sandbox on are ours, the
 * reference has none. */
struct oc_blob *nd_run_result_json(const struct nd_run_end *end, const struct nd_run_result *o);

/* The payload of exec.finished. report: nd_run_end_report; NULL: the gateway has no audit. */
struct oc_blob *nd_run_finished_json(
        const struct nd_run_end *end, const struct nd_run_result *o, const cJSON *report);
/* Sent with node.event; the answer is not waited for. */
void nd_run_send_started(struct nd_uplink *up, const struct nd_run_label *label);
void nd_run_send_finished(struct nd_uplink *up, const struct nd_run_end *end,
        const struct nd_run_result *o, const cJSON *report);
void nd_run_send_denied(struct nd_uplink *up, const struct nd_run_end *end, const cJSON *report);

#endif
