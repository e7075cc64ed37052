/* openclaw gateway call: any method of the gateway. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

#include <string.h>

static int gateway_call_run(struct cli_cli *cli) {
    struct oc_error err;
    const char *method = cli->args.rest.items[0];
    const char *text = cli_args_text(&cli->args, "params");
    cJSON *params = NULL;
    if (oc_json_parse(text ? text : "{}", strlen(text ? text : "{}"), &params, &err) != OC_OK) {
        return cli_usage(cli, "--params is not JSON: %s", err.text);
    }
    struct cli_rpc_reply reply;
    if (cli_call(cli, method, params, 0, &reply, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (!cli->is_json) {
        OC_AUTO_FREE char *shown = cli_shown(method);
        OC_AUTO_FREE char *line = oc_strfmt("Gateway call: %s", shown);
        cli_out_heading(line);
    }
    cli_out_json_text(reply.payload.len > 0 ? reply.payload : (struct oc_slice){ "null", 4 });
    cli_rpc_reply_finish(&reply);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "params", 0, CLI_OPT_TEXT, "json", "what the method gets, as JSON ({} unless given)" },
    { 0 },
};

const struct cli_command cli_command_gateway_call = {
    .path = "gateway call",
    .summary = "Call a method of the gateway and print the answer",
    .operands = "<method>",
    .examples = "openclaw gateway call node.list\n"
                "openclaw gateway call node.describe --params '{\"nodeId\":\"4f2a…\"}'",
    .options = options,
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = gateway_call_run,
};
