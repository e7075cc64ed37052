/* openclaw gateway health: one call, one line. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/output.h"

static int gateway_health_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *health = NULL;
    if (cli_call_tree(cli, "health", cJSON_CreateObject(), &health, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    bool ok = oc_json_get_bool(health, "ok", false);
    if (cli->is_json) {
        cli_out_json(health);
    } else {
        cli_out_heading("Gateway Health");
        cli_out_line("%s (%lldms)", ok ? "OK" : "NOT OK",
                (long long)oc_json_get_ms(health, "durationMs", 0));
    }
    return ok ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

const struct cli_command cli_command_gateway_health = {
    .path = "gateway health",
    .summary = "Ask the gateway whether it is well",
    .examples = "openclaw gateway health",
    .calls_gateway = true,
    .run = gateway_health_run,
};
