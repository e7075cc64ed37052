#include "cli/canvas/canvas_watch.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/pairing/qr.h"
#include "cli/text.h"
#include "lib/base/mem.h"

#include <string.h>

#define MAX_DRAWING_BYTES 262144

static void canvas_watch_draw(const char *url) {
    OC_AUTO_BUF struct oc_buf drawing = OC_BUF_INIT(MAX_DRAWING_BYTES);
    struct oc_error err;
    if (cli_qr_encode(url, &drawing, &err) == OC_OK) {
        cli_out_bytes(false, drawing.data, drawing.len);
        cli_out_text("\n");
    } else {
        cli_note("%s", err.text);
    }
}

/* The address goes to stdout, what there is to know about it to stderr. */
static void canvas_watch_print(const struct cli_cli *cli, const cJSON *answer) {
    OC_AUTO_SECRET char *url = cli_shown(oc_json_get_str(answer, "url"));
    bool is_read_only = oc_json_get_bool(answer, "readOnly", false);
    if (cli_args_has(&cli->args, "qr")) {
        canvas_watch_draw(url);
    }
    cli_out_line("%s", url);
    cli_note("Whoever has this address can %s. It ends after 30 minutes without use, 12 "
             "hours, or with --end.",
            is_read_only ? "look at the canvas" : "look at the canvas, press and type there");
    if (strstr(url, "://127.0.0.1:") || strstr(url, "://[::1]:")) {
        cli_note("It works on the gateway's own machine only; for others: openclaw config set "
                 "gateway.bind lan");
    } else if (oc_starts_with(url, "http:")) {
        cli_note("It is not encrypted on its way; with gateway.tls.enabled it is.");
    }
}

static int canvas_watch_end(struct cli_cli *cli, const cJSON *node) {
    OC_AUTO_JSON cJSON *answer = NULL;
    struct oc_error err;
    cJSON *params = cli_params_str("nodeId", oc_json_get_str(node, "nodeId"));
    if (cli_call_tree(cli, "canvas.watch.close", params, &answer, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    int64_t ended = oc_json_get_int(answer, "ended", 0, OC_JSON_MAX_EXACT, 0);
    if (cli->is_json) {
        cli_out_json(answer);
    } else {
        cli_out_line("%lld %s ended", (long long)ended, ended == 1 ? "address" : "addresses");
    }
    return CLI_EXIT_OK;
}

int cli_canvas_watch(struct cli_cli *cli) {
    OC_AUTO_JSON cJSON *list = NULL, *answer = NULL;
    const cJSON *node;
    struct oc_error err;
    if (cli_find_node(cli, &list, &node, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli_args_has(&cli->args, "end")) {
        return canvas_watch_end(cli, node);
    }
    cJSON *params = cli_params_str("nodeId", oc_json_get_str(node, "nodeId"));
    oc_json_set_bool(params, "readOnly", cli_args_has(&cli->args, "read-only"));
    if (cli_call_tree(cli, "canvas.watch.open", params, &answer, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(answer);
    } else {
        canvas_watch_print(cli, answer);
    }
    return CLI_EXIT_OK;
}
