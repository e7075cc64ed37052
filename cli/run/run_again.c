#include "cli/run/run_again.h"

#include "cli/gateway/call.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

#include <time.h>

#define PAUSE_MS 500L

bool cli_run_lost_gateway(const struct cli_cli *cli, const struct oc_error *err) {
    return err->code == OC_E_CLOSED || !cli->rpc || cli_rpc_is_ended(cli->rpc) ||
           err->grounds.cause == OC_CAUSE_GATEWAY_STOPPING;
}

bool cli_run_is_unknown(const struct cli_cli *cli, const struct oc_error *err) {
    return cli_run_lost_gateway(cli, err) || err->grounds.cause == OC_CAUSE_NODE_DISCONNECTED;
}

/* Ctrl-C ends us here: nothing is connected that could be told. */
static void pause_a_little(void) {
    struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
    nanosleep(&pause, NULL);
}

/* The gateway is back before the node is. */
static bool is_too_early(const struct cli_cli *cli, const struct oc_error *err) {
    return cli_run_lost_gateway(cli, err) || err->grounds.cause == OC_CAUSE_NODE_NOT_CONNECTED;
}

static enum oc_code try_once(struct cli_live_run *live, const cJSON *invoke, int64_t wait_ms,
        struct cli_rpc_reply *ret, struct oc_error *err) {
    enum oc_code rc = cli_reconnect(live->cli, err);
    if (rc != OC_OK) {
        return rc;
    }
    int64_t last_seen_ms = live->last_seen_ms; /* a connection is no sign of life of the command */
    cli_live_run_begin(live);
    live->last_seen_ms = last_seen_ms;
    rc = cli_call(live->cli, "node.invoke", cJSON_Duplicate(invoke, true), wait_ms, ret, err);
    cli_live_run_end(live);
    return rc;
}

enum oc_code cli_run_ask_again(struct cli_live_run *live, const cJSON *invoke, int64_t wait_ms,
        int64_t for_ms, struct cli_rpc_reply *ret, struct oc_error *err) {
    struct oc_error lost = *err;
    char span[24];
    cli_span(for_ms, span);
    cli_note(
            "%s\nThe command may go on there: asking for its result for up to %s; Ctrl-C gives up.",
            lost.text, span);
    int64_t until = oc_mono_ms(&oc_clock_system) + for_ms;
    for (;;) {
        enum oc_code rc = try_once(live, invoke, wait_ms, ret, err);
        if (rc == OC_OK || live->signo) {
            return rc;
        }
        if (!is_too_early(live->cli, err)) {
            break;
        }
        if (oc_mono_ms(&oc_clock_system) >= until) {
            *err = lost; /* says best what happened */
            return rc;
        }
        pause_a_little();
    }
    struct oc_error why = *err;
    return oc_fail(err, OC_E_CLOSED, "%.100s; asked again: %.120s", lost.text, why.text);
}

int cli_run_fail_unknown(struct cli_cli *cli, const struct oc_error *err, int64_t last_seen_ms) {
    char at[32];
    time_t seconds = (time_t)(last_seen_ms / 1000);
    struct tm tm;
    strftime(at, sizeof(at), "%Y-%m-%d %H:%M:%S", localtime_r(&seconds, &tm));
    struct oc_error said;
    (void)oc_fail(&said, err->code, "%.160s; whether the command finished is unknown, last seen %s",
            err->text, at);
    oc_free(cli->error_code);
    cli->error_code = oc_strdup("OUTCOME_UNKNOWN");
    return cli_fail(cli, &said);
}
