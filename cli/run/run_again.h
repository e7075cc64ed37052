/* What becomes of a run whose connection went in the middle: asked for again by its key, which
 * never starts it twice on a node of ours, and otherwise an honest "unknown". */
#ifndef CLI_RUN_RUN_AGAIN_H
#define CLI_RUN_RUN_AGAIN_H

#include "cli/gateway/rpc.h"
#include "cli/run/live_run.h"

#define CLI_RUN_RECONNECT_MS 60000

/* The gateway went, and with it the answer; the node may go on, and keeps the result under the
 * key. */
bool cli_run_lost_gateway(const struct cli_cli *cli, const struct oc_error *err);
/* Nobody can say whether it finished: we lost the gateway, or the gateway the node. */
bool cli_run_is_unknown(const struct cli_cli *cli, const struct oc_error *err);

/* Connects anew and repeats `invoke` (borrowed; its key is live->key) until somebody answers, or
 * for_ms are over. What fails then says that the outcome is unknown, and why. */
enum oc_code cli_run_ask_again(struct cli_live_run *live, const cJSON *invoke, int64_t wait_ms,
        int64_t for_ms, struct cli_rpc_reply *ret, struct oc_error *err) OC_MUST_USE;

/* "…; whether the command finished is unknown, last seen …", code OUTCOME_UNKNOWN. The fix is the
 * caller's. */
int cli_run_fail_unknown(struct cli_cli *cli, const struct oc_error *err, int64_t last_seen_ms);

#endif
