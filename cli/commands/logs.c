/* openclaw logs: the last lines that the gateway logged. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

#define DEFAULT_LINES 100
#define MAX_LINES 5000
#define FOLLOW_MS 1000

static void logs_print(const struct cli_cli *cli, const cJSON *answer, bool follows) {
    const cJSON *line;
    if (cli->is_json && !follows) {
        cli_out_json(answer);
        return;
    }
    if (oc_json_get_bool(answer, "reset", false)) {
        cli_note("(the gateway was restarted)");
    }
    cJSON_ArrayForEach(line, oc_json_get(answer, "lines")) {
        OC_AUTO_FREE char *shown = cli_shown(cJSON_GetStringValue(line));
        if (cli->is_json) {
            OC_AUTO_JSON cJSON *o = cli_params_str("line", shown);
            cli_out_json_line(o);
        } else {
            cli_out_line("%s", shown);
        }
    }
    cli_out_flush();
}

static int logs_run(struct cli_cli *cli) {
    struct oc_error err;
    bool follows = cli_args_has(&cli->args, "follow");
    int64_t cursor = -1;
    for (;;) {
        OC_AUTO_JSON cJSON *answer = NULL;
        cJSON *params = cJSON_CreateObject();
        if (cursor >= 0) {
            oc_json_set_int(params, "cursor", cursor);
        } else {
            oc_json_set_int(params, "limit", cli_args_int(&cli->args, "lines", DEFAULT_LINES));
        }
        if (cli_call_tree(cli, "logs.tail", params, &answer, &err) != OC_OK) {
            return cli_fail(cli, &err);
        }
        cursor = oc_json_get_int(answer, "cursor", 0, OC_JSON_MAX_EXACT, 0);
        logs_print(cli, answer, follows);
        if (!follows || cli_out_reader_is_gone()) {
            return CLI_EXIT_OK;
        }
        if (cJSON_GetArraySize(oc_json_get(answer, "lines")) == 0) {
            cli_rpc_sleep(cli->rpc, FOLLOW_MS);
        }
    }
}

static const struct cli_option options[] = {
    { "follow", 'f', CLI_OPT_FLAG, NULL, "go on printing; Ctrl-C ends it" },
    { "lines", 'n', CLI_OPT_INT, "n", "how many to begin with (100 unless given)", .min = 1,
            .max = MAX_LINES },
    { 0 },
};

const struct cli_command cli_command_logs = {
    .path = "logs",
    .summary = "What the gateway logged",
    .details = "A gateway keeps its last 1000 lines for this. With --follow and --json every line "
               "is one object.\n"
               "openclaw node status says where the log of a node is that runs as a service.",
    .examples = "openclaw logs\n"
                "openclaw logs -f\n"
                "openclaw logs -n 20 -o json",
    .options = options,
    .calls_gateway = true,
    .run = logs_run,
};
