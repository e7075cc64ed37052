/* What becomes of a run whose connection went in the middle: asked for again by its key, which never starts it twice on a
 * node of ours, and otherwise an honest "unknown". */
#ifndef CLI_RUN_RUN_AGAIN_H
#define CLI_RUN_RUN_AGAIN_H

#include "cli/run/live_run.h"

#define OC_RUN_RECONNECT_MS 60000

/* The gateway went, and with it the answer; the node may go on, and keeps the result under the key. */
bool oc_run_lost_gateway(const struct oc_cli *cli, const struct oc_error *err);
/* Nobody can say whether it finished: we lost the gateway, or the gateway the node. */
bool oc_run_is_unknown(const struct oc_cli *cli, const struct oc_error *err);

/* Connects anew and repeats `invoke` (borrowed; its key is live->key) until somebody answers, or for_ms are over. What
 * fails then says that the outcome is unknown, and why. */
enum oc_code oc_run_ask_again(struct oc_live_run *live, const cJSON *invoke, int64_t wait_ms,
        int64_t for_ms, struct oc_rpc_reply *ret, struct oc_error *err) OC_MUST_USE;

/* "…; whether the command finished is unknown, last seen …", code OUTCOME_UNKNOWN. The fix is the caller's. */
int oc_run_fail_unknown(struct oc_cli *cli, const struct oc_error *err, int64_t last_seen_ms);

#endif
