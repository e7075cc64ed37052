/* The short ones: openclaw devices reject, remove, rename, rotate and revoke. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

/* One call with one id; "<done> <deviceId>". */
static int devices_edit_change(
        struct cli_cli *cli, const char *method, const char *key, const char *done) {
    struct oc_error err;
    const char *id = cli->args.rest.items[0];
    OC_AUTO_JSON cJSON *payload = NULL;
    if (cli_call_tree(cli, method, cli_params_str(key, id), &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    const char *device = oc_json_get_str(payload, "deviceId");
    OC_AUTO_FREE char *shown = cli_shown(device ? device : id);
    cli_out_line("%s %s", done, shown);
    return CLI_EXIT_OK;
}

static int run_reject(struct cli_cli *cli) {
    return devices_edit_change(cli, "device.pair.reject", "requestId", "Rejected");
}

static int run_remove(struct cli_cli *cli) {
    return devices_edit_change(cli, "device.pair.remove", "deviceId", "Removed");
}

static int run_rename(struct cli_cli *cli) {
    struct oc_error err;
    const char *device = cli_args_text(&cli->args, "device");
    const char *name = cli_args_text(&cli->args, "name");
    if (oc_str_blank(device) || oc_str_blank(name)) {
        return cli_usage(cli, "--device and --name are needed");
    }
    cJSON *params = cli_params_str("deviceId", device);
    oc_json_set_str(params, "label", name);
    OC_AUTO_JSON cJSON *payload = NULL;
    if (cli_call_tree(cli, "device.pair.rename", params, &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *shown_id = cli_shown(device);
    OC_AUTO_FREE char *shown_name = cli_shown(oc_json_get_str(payload, "label"));
    cli_out_line("Renamed %s: %s", shown_id, shown_name);
    return CLI_EXIT_OK;
}

/* device.token.*: always JSON, as the reference prints it. */
static int change_token(struct cli_cli *cli, const char *method, bool takes_scopes) {
    struct oc_error err;
    const char *device = cli_args_text(&cli->args, "device");
    const char *role = cli_args_text(&cli->args, "role");
    if (oc_str_blank(device) || oc_str_blank(role)) {
        return cli_usage(cli, "--device and --role are needed");
    }
    cli->is_json = true;
    cJSON *params = cli_params_str("deviceId", device);
    oc_json_set_str(params, "role", role);
    if (takes_scopes && cli_args_has(&cli->args, "scope")) {
        OC_AUTO_STRV struct oc_strv scopes = { 0 };
        cli_args_list(&cli->args, "scope", &scopes);
        oc_json_set_strv(params, "scopes", &scopes);
    }
    OC_AUTO_JSON cJSON *payload = NULL;
    if (cli_call_tree(cli, method, params, &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    cli_out_json(payload);
    return CLI_EXIT_OK;
}

static int run_rotate(struct cli_cli *cli) {
    return change_token(cli, "device.token.rotate", true);
}

static int run_revoke(struct cli_cli *cli) {
    return change_token(cli, "device.token.revoke", false);
}

const struct cli_command cli_command_devices_reject = {
    .path = "devices reject",
    .summary = "Turn a device's request away",
    .operands = "<request>",
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_reject,
};

const struct cli_command cli_command_devices_remove = {
    .path = "devices remove",
    .summary = "Forget a paired device and its tokens",
    .operands = "<device>",
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_remove,
};

static const struct cli_option rename_options[] = {
    { "device", 0, CLI_OPT_TEXT, "id", "the device, whole id" },
    { "name", 0, CLI_OPT_TEXT, "name", "your name for it, at most 64 characters" },
    { 0 },
};

const struct cli_command cli_command_devices_rename = {
    .path = "devices rename",
    .summary = "Give a paired device a name of your own",
    .options = rename_options,
    .calls_gateway = true,
    .run = run_rename,
};

#define TOKEN_OPTIONS                                                            \
    { "device", 0, CLI_OPT_TEXT, "id", "the device, whole id" }, {               \
        "role", 0, CLI_OPT_TEXT, "role", "which of its tokens: operator or node" \
    }

static const struct cli_option rotate_options[] = {
    TOKEN_OPTIONS,
    { "scope", 0, CLI_OPT_TEXT, "scope", "scopes of the new token; repeatable",
            .flags = CLI_OPT_REPEATS },
    { 0 },
};

const struct cli_command cli_command_devices_rotate = {
    .path = "devices rotate",
    .summary = "Replace a device's token; the old one stops working",
    .options = rotate_options,
    .calls_gateway = true,
    .run = run_rotate,
};

static const struct cli_option revoke_options[] = {
    TOKEN_OPTIONS,
    { 0 },
};

const struct cli_command cli_command_devices_revoke = {
    .path = "devices revoke",
    .summary = "Withdraw a device's token",
    .options = revoke_options,
    .calls_gateway = true,
    .run = run_revoke,
};
