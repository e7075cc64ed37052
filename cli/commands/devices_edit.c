/* The short ones: openclaw devices reject, remove, rename, rotate and revoke. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/device_find.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

static int run_reject(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_FREE char *id = NULL;
    OC_AUTO_JSON cJSON *list = NULL, *payload = NULL;
    const cJSON *doc;
    if (cli_device_request(cli, cli->args.rest.items[0], &id, &list, &doc, &err) != OC_OK ||
            cli_call_tree(cli, "device.pair.reject", cli_params_str("requestId", id), &payload,
                    &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    const char *device = oc_json_get_str(payload, "deviceId");
    OC_AUTO_FREE char *shown = cli_shown(device ? device : id);
    cli_out_line("Rejected %s", shown);
    return CLI_EXIT_OK;
}

/* The device that is meant by --device or by the word in its place. */
static int find_device(struct cli_cli *cli, size_t own, char **ret_id, char **ret_name) {
    struct oc_error err;
    if (cli->args.rest.count > own) {
        if (cli_args_has(&cli->args, "device")) {
            return cli_usage(cli, "name the device once: --device, or a word");
        }
        cli_args_word_as(&cli->args, 0, "device");
    }
    const char *query = cli_args_text(&cli->args, "device");
    if (oc_str_blank(query)) {
        return cli_usage(cli, "say which device");
    }
    return cli_device_find(cli, query, ret_id, ret_name, &err) == OC_OK ? CLI_EXIT_OK
                                                                        : cli_fail(cli, &err);
}

/* "workshop (<id>)", or the id alone. */
static char *device_shown(const char *id, const char *name) {
    OC_AUTO_FREE char *shown_id = cli_shown(id), *shown_name = cli_shown(name);
    return name ? oc_strfmt("%s (%s)", shown_name, shown_id) : oc_strdup(shown_id);
}

static int run_remove(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_FREE char *id = NULL, *name = NULL;
    int code = find_device(cli, 0, &id, &name);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    OC_AUTO_JSON cJSON *payload = NULL;
    if (cli_call_tree(cli, "device.pair.remove", cli_params_str("deviceId", id), &payload, &err) !=
            OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *shown = device_shown(id, name);
    cli_out_line("Removed %s", shown);
    return CLI_EXIT_OK;
}

static int run_rename(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_FREE char *id = NULL, *before = NULL;
    int code = find_device(cli, cli_args_has(&cli->args, "name") ? 0 : 1, &id, &before);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli->args.rest.count > 0) {
        cli_args_word_as(&cli->args, 0, "name");
    }
    if (oc_str_blank(cli_args_text(&cli->args, "name"))) {
        return cli_usage(cli, "say its new name");
    }
    cJSON *params = cli_params_str("deviceId", id);
    oc_json_set_str(params, "label", cli_args_text(&cli->args, "name"));
    OC_AUTO_JSON cJSON *payload = NULL;
    if (cli_call_tree(cli, "device.pair.rename", params, &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *shown_id = cli_shown(id);
    OC_AUTO_FREE char *shown_name = cli_shown(oc_json_get_str(payload, "label"));
    cli_out_line("Renamed %s: %s", shown_id, shown_name);
    return CLI_EXIT_OK;
}

/* A gateway may keep the new token to itself: the device gets it when it connects. */
static void print_rotated(const cJSON *payload, const char *device) {
    OC_AUTO_FREE char *role = cli_shown(oc_json_get_str(payload, "role"));
    OC_AUTO_FREE char *scopes = cli_shown_list(oc_json_get(payload, "scopes"));
    OC_AUTO_FREE char *token = cli_shown(oc_json_get_str(payload, "token"));
    cli_out_line("New %s token for %s%s%s; the old one has stopped working.", role, device,
            *scopes ? ", scopes " : "", scopes);
    if (*token) {
        cli_out_line("%s", token);
    }
}

static int change_token(struct cli_cli *cli, const char *method, bool is_rotate) {
    struct oc_error err;
    const char *role = cli_args_text(&cli->args, "role");
    OC_AUTO_FREE char *id = NULL, *name = NULL;
    if (oc_str_blank(role)) {
        return cli_usage(cli, "say which of its tokens: --role operator or --role node");
    }
    int code = find_device(cli, 0, &id, &name);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cJSON *params = cli_params_str("deviceId", id);
    oc_json_set_str(params, "role", role);
    if (is_rotate && cli_args_has(&cli->args, "scope")) {
        OC_AUTO_STRV struct oc_strv scopes = { 0 };
        cli_args_list(&cli->args, "scope", &scopes);
        oc_json_set_strv(params, "scopes", &scopes);
    }
    OC_AUTO_JSON cJSON *payload = NULL;
    if (cli_call_tree(cli, method, params, &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    OC_AUTO_FREE char *shown = device_shown(id, name);
    if (cli->is_json) {
        cli_out_json(payload);
    } else if (is_rotate) {
        print_rotated(payload, shown);
    } else {
        OC_AUTO_FREE char *shown_role = cli_shown(role);
        cli_out_line("The %s token of %s has stopped working.", shown_role, shown);
    }
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
    .examples = "openclaw devices reject 7c1b9e",
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_reject,
};

#define DEVICE_OPTION \
    { "device", 0, CLI_OPT_TEXT, "id|name", "the device: id, the beginning of one, or name" }

static const struct cli_option remove_options[] = { DEVICE_OPTION, { 0 } };

const struct cli_command cli_command_devices_remove = {
    .path = "devices remove",
    .summary = "Forget a paired device and its tokens",
    .operands = "[device]",
    .examples = "openclaw devices remove \"Old phone\"",
    .options = remove_options,
    .calls_gateway = true,
    .max_operands = 1,
    .run = run_remove,
};

static const struct cli_option rename_options[] = {
    DEVICE_OPTION,
    { "name", 0, CLI_OPT_TEXT, "name", "your name for it, at most 64 characters" },
    { 0 },
};

const struct cli_command cli_command_devices_rename = {
    .path = "devices rename",
    .summary = "Give a paired device a name of your own",
    .operands = "[device] [name]",
    .examples = "openclaw devices rename 4f2a91 \"My phone\"",
    .options = rename_options,
    .calls_gateway = true,
    .max_operands = 2,
    .run = run_rename,
};

#define TOKEN_OPTIONS                                                            \
    DEVICE_OPTION, {                                                             \
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
    .operands = "[device]",
    .examples = "openclaw devices rotate \"My phone\" --role operator",
    .options = rotate_options,
    .calls_gateway = true,
    .max_operands = 1,
    .run = run_rotate,
};

static const struct cli_option revoke_options[] = {
    TOKEN_OPTIONS,
    { 0 },
};

const struct cli_command cli_command_devices_revoke = {
    .path = "devices revoke",
    .summary = "Withdraw a device's token",
    .operands = "[device]",
    .examples = "openclaw devices revoke \"My phone\" --role operator",
    .options = revoke_options,
    .calls_gateway = true,
    .max_operands = 1,
    .run = run_revoke,
};
