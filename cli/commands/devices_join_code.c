/* openclaw devices join-code: a setup code as text, with the one command to paste on the new
 * machine. */
#include "cli/command.h"

#include "cli/output.h"
#include "cli/pairing/setup_call.h"
#include "cli/text.h"
#include "lib/base/mem.h"

static void devices_join_code_print(const cJSON *answer, bool is_node) {
    OC_AUTO_SECRET char *code = cli_shown(oc_json_get_str(answer, "setupCode"));
    OC_AUTO_SECRET char *command = cli_setup_command(answer);
    if (is_node && !command) {
        cli_note("The gateway's code is not plain text: do not use it.");
        return;
    }
    if (is_node) {
        cli_out_line("Paste this on the machine that is to become a node:");
        cli_out_text("\n");
        cli_out_line("  %s", command);
    } else {
        cli_out_line("Setup code for an OpenClaw app that is to use this gateway:");
        cli_out_text("\n");
        cli_out_line("  %s", code);
    }
    cli_out_text("\n");
    cli_setup_print_facts(answer);
}

static int devices_join_code_run(struct cli_cli *cli) {
    struct oc_error err;
    const char *role = cli_args_text(&cli->args, "role");
    bool is_node = !role || oc_streq(role, "node");
    if (is_node && cli_args_has(&cli->args, "scope")) {
        return cli_usage(cli, "--scope is for --role operator; a node has no scopes");
    }
    cJSON *params = cli_params_str("role", is_node ? "node" : role);
    if (is_node) {
        oc_json_set_bool(params, "approveCommands", !cli_args_has(&cli->args, "pairing-only"));
    }
    if (cli_args_has(&cli->args, "scope")) {
        OC_AUTO_STRV struct oc_strv scopes = { 0 };
        cli_args_list(&cli->args, "scope", &scopes);
        oc_json_set_strv(params, "scopes", &scopes);
    }
    OC_AUTO_JSON cJSON *answer = NULL;
    if (cli_setup_call(cli, params, &answer, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        OC_AUTO_SECRET char *command = cli_setup_command(answer);
        oc_json_set_str(answer, "command", is_node ? command : NULL);
        cli_out_json(answer);
    } else {
        devices_join_code_print(answer, is_node);
    }
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "role", 0, CLI_OPT_CHOICE, "role", "what the new device will be",
            .choices = "node|operator" },
    { "scope", 0, CLI_OPT_TEXT, "scope",
            "what an operator may do: operator.read, .write, .approvals, .pairing, or .admin for "
            "everything; repeatable",
            .flags = CLI_OPT_REPEATS },
    { "pairing-only", 0, CLI_OPT_FLAG, NULL,
            "let the node in, but leave its commands to be approved by hand" },
    CLI_PUBLIC_URL_OPTION,
    CLI_PIN_OPTION,
    { 0 },
};

const struct cli_command cli_command_devices_join_code = {
    .path = "devices join-code",
    .summary = "Make a code that lets one new machine in, once, within 10 minutes",
    .details = "The code carries the gateway's address, its TLS pin and a token: whoever uses it\n"
               "first is paired, so treat it like a password.",
    .examples = "openclaw devices join-code",
    .options = options,
    .calls_gateway = true,
    .run = devices_join_code_run,
};
