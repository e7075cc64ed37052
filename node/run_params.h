/* The params of system.run and system.run.prepare (protocol.md §9.1, §9.2). */
#ifndef NODE_RUN_PARAMS_H
#define NODE_RUN_PARAMS_H

#include "base/json.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define OC_MAX_ARGV 16384
#define OC_MAX_ENV 256

struct oc_run_params {
    struct oc_strv argv;
    char *text; /* stands for the command in events and plans; owned */
    char *cwd;  /* NULL: ours; owned */
    const char *raw_command, *cwd_given, *agent_id, *session_key,
            *run_id;                   /* borrowed; NULL when absent or blank */
    const cJSON *env, *timeout, *plan; /* plan: what was approved, from newer gateways */
    int64_t timeout_ms;                /* 0: no limit */
    bool needs_screen_recording;
    const char
            *decision; /* of the approval that the gateway vouches for; NULL when there is none */
    bool approved;     /* so says the gateway: sent alone, or implied by the decision */
};

/* Errors carry the wire code. ret needs oc_run_params_finish in every case. */
enum oc_code oc_run_params_decode(
        const cJSON *params, struct oc_run_params *ret, struct oc_error *err) OC_MUST_USE;
void oc_run_params_finish(struct oc_run_params *p);

#endif
