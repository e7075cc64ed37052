/* openclaw gateway health: one call, one line. */
#include "cli/command.h"

#include "cli/output.h"

static int run(struct oc_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *health = NULL;
    if (oc_cli_call_tree(cli, "health", cJSON_CreateObject(), &health, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    bool ok = oc_json_get_bool(health, "ok", false);
    if (cli->is_json) {
        oc_out_json(health);
    } else {
        oc_out_heading("Gateway Health");
        oc_out_line("%s (%lldms)", ok ? "OK" : "NOT OK",
                (long long)oc_json_get_ms(health, "durationMs", 0));
    }
    return ok ? OC_EXIT_OK : OC_EXIT_FAILED;
}

const struct oc_cli_command oc_cli_gateway_health = {
    .path = "gateway health",
    .summary = "Ask the gateway whether it is well",
    .calls_gateway = true,
    .run = run,
};
