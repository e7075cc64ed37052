/* openclaw nodes invoke: any command of a node, JSON in and JSON out. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/run/run_again.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define DEFAULT_INVOKE_MS 15000
#define ANSWER_MARGIN_MS 5000

static cJSON *build_params(
        const struct cli_cli *cli, const cJSON *node, cJSON *take_params, int64_t invoke_ms) {
    const char *key = cli_args_text(&cli->args, "idempotency-key");
    char random[OC_UUID_LEN + 1];
    oc_uuid4(random);
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "nodeId", oc_json_get_str(node, "nodeId"));
    oc_json_set_str(params, "command", cli_args_text(&cli->args, "command"));
    oc_json_set(params, "params", take_params);
    oc_json_set_int(params, "timeoutMs", invoke_ms);
    oc_json_set_str(params, "idempotencyKey", key && *key ? key : random);
    return params;
}

/* Whoever says how long the command may take has said how long to wait for it. */
static int64_t invoke_timeout(const struct cli_cli *cli, const cJSON *params) {
    int64_t own_ms = oc_json_get_ms(params, "timeoutMs", 0);
    own_ms = own_ms > 0 && own_ms < OC_MAX_INVOKE_MS - ANSWER_MARGIN_MS ? own_ms + ANSWER_MARGIN_MS
                                                                        : 0;
    return cli_args_int(
            &cli->args, "invoke-timeout", own_ms > DEFAULT_INVOKE_MS ? own_ms : DEFAULT_INVOKE_MS);
}

/* Only nodes of ours answer a repeated key with the first result; elsewhere it would run twice. */
static int fail_unknown(struct cli_cli *cli, const cJSON *node, const char *key, int64_t sent_ms,
        const struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    OC_AUTO_FREE char *shown = cli_shown(key);
    oc_json_get_strv(node, "commands", &commands);
    if (!cli_run_lost_gateway(cli, err)) { /* which remembers that answer under the key */
        cli_set_fix(cli, "see what became of it before calling it again: openclaw approvals "
                         "history");
    } else if (oc_strv_has(&commands, "system.runs.list")) {
        cli_set_fix(cli,
                "the same call with --idempotency-key %s fetches its result within ten minutes and "
                "does not run it twice; what became of runs: openclaw approvals history",
                shown);
    } else {
        cli_set_fix(cli, "look on the node before calling it again: it would run twice there");
    }
    return cli_run_fail_unknown(cli, err, sent_ms);
}

static int nodes_invoke_run(struct cli_cli *cli) {
    struct oc_error err;
    const char *text = cli_args_text(&cli->args, "params");
    int code = cli_node_word(cli, 0, cli_args_has(&cli->args, "command") ? 0 : 1);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli->args.rest.count > 0) {
        cli_args_word_as(&cli->args, 0, "command");
    }
    if (!cli_args_has(&cli->args, "node") || oc_str_blank(cli_args_text(&cli->args, "command"))) {
        return cli_usage(cli, "say which node, and which of its commands");
    }
    OC_AUTO_JSON cJSON *args = NULL, *list = NULL;
    if (oc_json_parse(text ? text : "{}", strlen(text ? text : "{}"), &args, &err) != OC_OK) {
        return cli_usage(cli, "--params is not JSON: %s", err.text);
    }
    const cJSON *node;
    if (cli_find_node(cli, &list, &node, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    int64_t invoke_ms = invoke_timeout(cli, args);
    int64_t wait_ms = cli_answer_ms(cli, invoke_ms);
    struct cli_rpc_reply reply;
    cJSON *params = build_params(cli, node, oc_take(&args), invoke_ms);
    OC_AUTO_FREE char *key = oc_strdup(oc_json_get_str(params, "idempotencyKey"));
    int64_t sent_ms = oc_wall_ms(&oc_clock_system);
    if (cli_call(cli, "node.invoke", params, wait_ms, &reply, &err) != OC_OK) {
        return cli_run_is_unknown(cli, &err) ? fail_unknown(cli, node, key, sent_ms, &err)
                                             : cli_fail(cli, &err);
    }
    cli_out_json_text(reply.payload.len > 0 ? reply.payload : (struct oc_slice){ "{}", 2 });
    cli_rpc_reply_finish(&reply);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "command", 0, CLI_OPT_TEXT, "command", "e.g. system.which" },
    { "params", 0, CLI_OPT_TEXT, "json", "what the command gets, as JSON ({} unless given)" },
    { "invoke-timeout", 0, CLI_OPT_DURATION, "ms",
            "how long the node may take (15000, or a little more than timeoutMs of --params)" },
    { "idempotency-key", 0, CLI_OPT_TEXT, "key",
            "same key, same call: lets a retry be recognised" },
    { 0 },
};

const struct cli_command cli_command_nodes_invoke = {
    .path = "nodes invoke",
    .summary = "Call a command of a node",
    .operands = "[node] [command]",
    .examples = "openclaw nodes invoke workshop device.info\n"
                "openclaw nodes invoke workshop system.which --params '{\"bins\":[\"git\"]}'",
    .options = options,
    .calls_gateway = true,
    .timeout_ms = 30000,
    .max_operands = 2,
    .run = nodes_invoke_run,
};
