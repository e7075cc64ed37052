/* openclaw nodes requests: what people at nodes ask of an agent, as it comes: a press on a canvas,
 * for instance. Whatever runs the agent reads this with --json, and answers with the canvas
 * commands. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/net/loop/loop.h"

#include <signal.h>

#define STEP_MS 1000
#define EXIT_INTERRUPTED 130

struct hearing {
    struct cli_cli *cli;
    int64_t left; /* requests until it ends; 0: no end */
    bool has_ended, is_interrupted;
};

static void print_request(const struct hearing *h, const cJSON *request) {
    if (h->cli->is_json) {
        cli_out_json_line(request);
    } else {
        const char *name = oc_json_get_str(request, "displayName");
        OC_AUTO_FREE char *node = cli_shown(name ? name : oc_json_get_str(request, "nodeId"));
        OC_AUTO_FREE char *session = cli_shown(oc_json_get_str(request, "sessionKey"));
        OC_AUTO_FREE char *message = cli_shown(oc_json_get_str(request, "message"));
        cli_out_line("%s (session %s): %s", node, *session ? session : "main", message);
    }
    cli_out_flush();
}

static void on_event(void *user, const struct oc_frame *frame) {
    struct hearing *h = user;
    OC_AUTO_JSON cJSON *request = NULL;
    struct oc_error ignored;
    if (h->has_ended || !oc_streq(frame->name, "agent.requested") ||
            oc_json_parse(frame->body.ptr, frame->body.len, &request, &ignored) != OC_OK) {
        return;
    }
    print_request(h, request);
    h->has_ended = h->left > 0 && --h->left == 0;
}

static void on_signal(void *user, int signo) {
    (void)signo;
    ((struct hearing *)user)->is_interrupted = true;
}

static int nodes_requests_run(struct cli_cli *cli) {
    struct hearing h = { .cli = cli, .left = cli_args_int(&cli->args, "count", 0) };
    OC_AUTO_JSON cJSON *answer = NULL;
    struct oc_error err;
    if (cli_reconnect(cli, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    /* Heard from before listening on, so that none falls into the gap. */
    cli_rpc_on_event(cli->rpc, on_event, &h);
    if (cli_call_tree(cli, "agent.requests.listen", NULL, &answer, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    struct oc_loop *loop = cli_rpc_loop(cli->rpc);
    for (size_t i = 0; i < 2; i++) {
        if (oc_loop_on_signal(loop, i ? SIGTERM : SIGINT, on_signal, &h, &err) != OC_OK) {
            return cli_fail(cli, &err);
        }
    }
    if (!cli->is_json) {
        cli_note("Waiting for requests; Ctrl-C ends it.");
    }
    while (!h.has_ended && !h.is_interrupted && !cli_rpc_is_ended(cli->rpc) &&
            !cli_out_reader_is_gone()) {
        oc_loop_step(loop, STEP_MS);
    }
    cli_rpc_on_event(cli->rpc, NULL, NULL);
    if (h.is_interrupted) {
        return EXIT_INTERRUPTED;
    }
    if (!h.has_ended && cli_rpc_is_ended(cli->rpc)) {
        oc_fail(&err, OC_E_CLOSED, "the connection to the gateway is gone");
        cli_set_fix(cli, "openclaw gateway status");
        return cli_fail(cli, &err);
    }
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "count", 0, CLI_OPT_INT, "n", "end after this many", .min = 1, .max = 1000000 },
    { 0 },
};

const struct cli_command cli_command_nodes_requests = {
    .path = "nodes requests",
    .summary = "Hear what people at nodes ask of an agent, for instance on a canvas",
    .details = "This gateway runs no agent: whatever does listens here. While nobody listens, a "
               "person who presses a\n"
               "button is told that it failed. With --json every request is one object on one "
               "line: nodeId, displayName,\n"
               "sessionKey, message, receivedAtMs; of a canvas also action, surfaceId, "
               "sourceComponentId, context.\n"
               "Exit code: 0 after --count requests, 130 by Ctrl-C, 1 when the gateway went away.",
    .examples = "openclaw nodes requests\n"
                "openclaw nodes requests --json --count 1",
    .options = options,
    .calls_gateway = true,
    .prints_lines = true,
    .run = nodes_requests_run,
};
