/* openclaw devices join-code: a setup code as text, with the one command to paste on the new machine. */
#include "cli/command.h"

#include "cli/output.h"
#include "cli/pairing/setup_call.h"
#include "cli/text.h"
#include "lib/base/mem.h"

static void print(const cJSON *answer, bool is_node) {
    OC_AUTO_SECRET char *code = oc_shown(oc_json_get_str(answer, "setupCode"));
    OC_AUTO_SECRET char *command = oc_setup_command(answer);
    if (is_node && !command) {
        oc_note("The gateway's code is not plain text: do not use it.");
        return;
    }
    if (is_node) {
        oc_out_line("Paste this on the machine that is to become a node:");
        oc_out_text("\n");
        oc_out_line("  %s", command);
    } else {
        oc_out_line("Setup code for an OpenClaw app that is to use this gateway:");
        oc_out_text("\n");
        oc_out_line("  %s", code);
    }
    oc_out_text("\n");
    oc_setup_print_facts(answer);
}

static int run(struct oc_cli *cli) {
    struct oc_error err;
    const char *role = oc_args_text(&cli->args, "role");
    bool is_node = !role || oc_streq(role, "node");
    if (is_node && oc_args_has(&cli->args, "scope")) {
        return oc_cli_usage(cli, "--scope is for --role operator; a node has no scopes");
    }
    cJSON *params = oc_params_str("role", is_node ? "node" : role);
    if (is_node) {
        oc_json_set_bool(params, "approveCommands", !oc_args_has(&cli->args, "pairing-only"));
    }
    if (oc_args_has(&cli->args, "scope")) {
        OC_AUTO_STRV struct oc_strv scopes = { 0 };
        oc_args_list(&cli->args, "scope", &scopes);
        oc_json_set_strv(params, "scopes", &scopes);
    }
    OC_AUTO_JSON cJSON *answer = NULL;
    if (oc_setup_call(cli, params, &answer, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        OC_AUTO_SECRET char *command = oc_setup_command(answer);
        oc_json_set_str(answer, "command", is_node ? command : NULL);
        oc_out_json(answer);
    } else {
        print(answer, is_node);
    }
    return OC_EXIT_OK;
}

static const struct oc_option options[] = {
    { "role", 0, OC_OPT_CHOICE, "role", "what the new device will be", .choices = "node|operator" },
    { "scope", 0, OC_OPT_TEXT, "scope",
            "what an operator may do: operator.read, .write, .approvals, .pairing, or .admin for "
            "everything; repeatable",
            .flags = OC_OPT_REPEATS },
    { "pairing-only", 0, OC_OPT_FLAG, NULL,
            "let the node in, but leave its commands to be approved by hand" },
    OC_PUBLIC_URL_OPTION,
    OC_PIN_OPTION,
    { 0 },
};

const struct oc_cli_command oc_cli_devices_join_code = {
    .path = "devices join-code",
    .summary = "Make a code that lets one new machine in, once, within 10 minutes",
    .details = "The code carries the gateway's address, its TLS pin and a token: whoever uses it\n"
               "first is paired, so treat it like a password.",
    .options = options,
    .calls_gateway = true,
    .run = run,
};
