/* openclaw nodes notify: a notification on the screen of a node. */
#include "cli/run/capture.h"

#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "lib/base/mem.h"

#define DEFAULT_INVOKE_MS 15000

static void set_trimmed(cJSON *params, const char *key, const char *text) {
    OC_AUTO_FREE char *copy = oc_strdup(text ? text : "");
    oc_json_set_str(params, key, oc_trim(copy));
}

static int nodes_notify_run(struct cli_cli *cli) {
    const struct cli_args *args = &cli->args;
    int code = cli_node_word(cli, 0, 0);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (oc_str_blank(cli_args_text(args, "title")) && oc_str_blank(cli_args_text(args, "body"))) {
        return cli_usage(cli, "missing --title or --body");
    }
    struct oc_error err;
    struct cli_capture c;
    struct cli_captured r = { 0 };
    cJSON *params = cJSON_CreateObject();
    const char *delivery = cli_args_text(args, "delivery");
    set_trimmed(params, "title", cli_args_text(args, "title"));
    set_trimmed(params, "body", cli_args_text(args, "body"));
    oc_json_set_str(params, "sound", cli_args_text(args, "sound"));
    oc_json_set_str(params, "priority", cli_args_text(args, "priority"));
    oc_json_set_str(params, "delivery", delivery ? delivery : "system");
    enum oc_code rc = cli_capture_begin(&c, cli, DEFAULT_INVOKE_MS, &err);
    if (rc == OC_OK) {
        rc = cli_capture_ask(&c, "system.notify", oc_take(&params), NULL, 0, &r, &err);
    }
    cJSON_Delete(params);
    if (rc != OC_OK) {
        code = cli_capture_fail(&c, &err);
    } else if (cli->is_json) {
        cli_out_json_text(r.reply.payload);
    } else {
        cli_out_line("notify ok");
    }
    cli_captured_finish(&r);
    cli_capture_end(&c);
    return code;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "title", 0, CLI_OPT_TEXT, "text", "its first line" },
    { "body", 0, CLI_OPT_TEXT, "text", "what it says" },
    { "sound", 0, CLI_OPT_TEXT, "name", "a sound to go with it" },
    { "priority", 0, CLI_OPT_CHOICE, "priority",
            "how much it insists: passive, active or timeSensitive",
            .choices = "passive|active|timeSensitive" },
    { "delivery", 0, CLI_OPT_CHOICE, "way", "system, overlay or auto (system unless given)",
            .choices = "system|overlay|auto" },
    CLI_INVOKE_TIMEOUT_OPTION("15000"),
    { 0 },
};

const struct cli_command cli_command_nodes_notify = {
    .path = "nodes notify",
    .summary = "Show a notification on a node",
    .operands = "[node]",
    .details = "The node may be left out when only one is connected.",
    .examples = "openclaw nodes notify workshop --title \"Dinner is ready\"",
    .options = options,
    .calls_gateway = true,
    .timeout_ms = 30000,
    .max_operands = 1,
    .run = nodes_notify_run,
};
