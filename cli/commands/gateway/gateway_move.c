/* openclaw gateway move: tells the nodes that the gateway goes to another machine, and shows who
 * has heard it. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

static bool was_told(const cJSON *answer, const char *node_id) {
    const cJSON *id = NULL;
    cJSON_ArrayForEach(id, oc_json_get(answer, "told")) {
        if (oc_streq(cJSON_GetStringValue(id), node_id)) {
            return true;
        }
    }
    return false;
}

static void sort_nodes(const cJSON *answer, const cJSON *nodes, struct oc_strv *ret_told,
        struct oc_strv *ret_not) {
    const cJSON *node = NULL;
    cJSON_ArrayForEach(node, nodes) {
        OC_AUTO_FREE char *name = cli_shown(cli_node_label(node));
        oc_strv_add(was_told(answer, oc_json_get_str(node, "nodeId")) ? ret_told : ret_not, name);
    }
}

static void print_moved(const cJSON *answer, const cJSON *nodes) {
    OC_AUTO_STRV struct oc_strv told = { 0 }, others = { 0 };
    sort_nodes(answer, nodes, &told, &others);
    OC_AUTO_FREE char *all_told = oc_strv_join(&told, ", "), *rest = oc_strv_join(&others, ", ");
    OC_AUTO_FREE char *host = cli_shown(oc_json_get_str(answer, "host"));
    if (*host) {
        cli_out_line("The nodes look for the gateway at %s, port %lld, when this one stops.", host,
                (long long)oc_json_get_int(answer, "port", 1, UINT16_MAX, 0));
    } else {
        cli_out_line("The gateway stays here.");
    }
    cli_out_line("Told: %s", told.count > 0 ? all_told : "nobody");
    if (others.count > 0 && *host) {
        cli_out_line("Not told: %s\n  fix: they are told when they connect here; later they need a "
                     "code: openclaw devices join-code",
                rest);
    }
}

static int gateway_move_run(struct cli_cli *cli) {
    const char *host = cli_args_text(&cli->args, "host");
    bool stays = cli_args_has(&cli->args, "stay");
    if (stays == (host != NULL)) {
        return cli_usage(cli, "give the new machine with --host, or --stay");
    }
    OC_AUTO_JSON cJSON *answer = NULL, *list = NULL;
    const cJSON *nodes = NULL;
    struct oc_error err;
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "host", host);
    if (cli_args_has(&cli->args, "port")) {
        oc_json_set_int(params, "port", cli_args_int(&cli->args, "port", 0));
    }
    oc_json_set_str(params, "tlsFingerprint", cli_args_text(&cli->args, "pin"));
    if (stays) {
        oc_json_set_bool(params, "stay", true);
    }
    if (cli_call_tree(cli, "gateway.move", params, &answer, &err) != OC_OK ||
            cli_node_list(cli, &list, &nodes, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(answer);
    } else {
        print_moved(answer, nodes);
    }
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "host", 0, CLI_OPT_TEXT, "host", "the new machine, as nodes reach it" },
    { "port", 'p', CLI_OPT_INT, "port", "its port (the one of now)", .min = 1, .max = 65535 },
    { "pin", 0, CLI_OPT_TEXT, "sha256",
            "its certificate's pin (the one of now: the certificate goes along)" },
    { "stay", 0, CLI_OPT_FLAG, NULL, "take it back: the gateway stays here" },
    { 0 },
};

const struct cli_command cli_command_gateway_move = {
    .path = "gateway move",
    .summary = "Tell the nodes that the gateway goes to another machine",
    .details = "Needs TLS. Nodes that are connected are told at once, others when they connect; "
               "they go\n"
               "there when this gateway is not there any more. To move: openclaw gateway move, "
               "stop the\n"
               "gateway, copy its state directory, start it there.",
    .examples = "openclaw gateway move --host gw.example.org\nopenclaw gateway move --stay",
    .options = options,
    .calls_gateway = true,
    .run = gateway_move_run,
};
