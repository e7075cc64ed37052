/* openclaw qr: a setup code to scan with a phone. */
#include "cli/command.h"

#include "cli/output.h"
#include "cli/pairing/qr.h"
#include "cli/pairing/setup_call.h"
#include "cli/text.h"
#include "lib/base/mem.h"

#define MAX_DRAWING_BYTES 262144

static void qr_print(const cJSON *answer) {
    OC_AUTO_SECRET char *code = cli_shown(oc_json_get_str(answer, "setupCode"));
    OC_AUTO_BUF struct oc_buf drawing = OC_BUF_INIT(MAX_DRAWING_BYTES);
    struct oc_error err;
    if (cli_qr_encode(code, &drawing, &err) == OC_OK) {
        cli_out_bytes(false, drawing.data, drawing.len);
        cli_out_text("\n");
    } else {
        cli_note("%s", err.text);
    }
    cli_out_line("Setup code: %s", code);
    cli_setup_print_facts(answer);
}

static int qr_run(struct cli_cli *cli) {
    struct oc_error err;
    const char *role = cli_args_text(&cli->args, "role");
    bool is_app = !role || oc_streq(role, "app");
    cJSON *params =
            is_app ? cli_params_str("bootstrapProfile", "limited") : cli_params_str("role", role);
    if (oc_streq(role, "node")) {
        oc_json_set_bool(params, "approveCommands", true);
    }
    OC_AUTO_JSON cJSON *answer = NULL;
    if (cli_setup_call(cli, params, &answer, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(answer);
    } else if (cli_args_has(&cli->args, "setup-code-only")) {
        OC_AUTO_SECRET char *code = cli_shown(oc_json_get_str(answer, "setupCode"));
        cli_out_line("%s", code);
    } else {
        qr_print(answer);
    }
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "role", 0, CLI_OPT_CHOICE, "role",
            "what the device will be; app is node and operator without admin rights",
            .choices = "app|node|operator" },
    { "setup-code-only", 0, CLI_OPT_FLAG, NULL, "print the code as text and nothing else" },
    CLI_PUBLIC_URL_OPTION,
    CLI_PIN_OPTION,
    { 0 },
};

const struct cli_command cli_command_qr = {
    .path = "qr",
    .summary = "Show a setup code as a QR code for a phone, and as text",
    .details = "Good once, within 10 minutes. Drawing needs libqrencode (package libqrencode4).",
    .examples = "openclaw qr",
    .options = options,
    .calls_gateway = true,
    .run = qr_run,
};
