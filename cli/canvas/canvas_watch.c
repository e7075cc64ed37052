#include "cli/canvas/canvas_watch.h"

#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/pairing/qr.h"
#include "cli/text.h"
#include "lib/base/mem.h"

#include <string.h>

#define MAX_DRAWING_BYTES 262144

static void draw(const char *url) {
    OC_AUTO_BUF struct oc_buf drawing = OC_BUF_INIT(MAX_DRAWING_BYTES);
    struct oc_error err;
    if (oc_qr_encode(url, &drawing, &err) == OC_OK) {
        oc_out_bytes(false, drawing.data, drawing.len);
        oc_out_text("\n");
    } else {
        oc_note("%s", err.text);
    }
}

/* The address goes to stdout, what there is to know about it to stderr. */
static void print(const struct oc_cli *cli, const cJSON *answer) {
    OC_AUTO_SECRET char *url = oc_shown(oc_json_get_str(answer, "url"));
    bool is_read_only = oc_json_get_bool(answer, "readOnly", false);
    if (oc_args_has(&cli->args, "qr")) {
        draw(url);
    }
    oc_out_line("%s", url);
    oc_note("Whoever has this address can %s. It ends after 30 minutes without use, 12 "
            "hours, or with --end.",
            is_read_only ? "look at the canvas" : "look at the canvas, press and type there");
    if (strstr(url, "://127.0.0.1:") || strstr(url, "://[::1]:")) {
        oc_note("It works on the gateway's own machine only; for others: openclaw config set "
                "gateway.bind lan");
    } else if (oc_starts_with(url, "http:")) {
        oc_note("It is not encrypted on its way; with gateway.tls.enabled it is.");
    }
}

static int end(struct oc_cli *cli, const cJSON *node) {
    OC_AUTO_JSON cJSON *answer = NULL;
    struct oc_error err;
    cJSON *params = oc_params_str("nodeId", oc_json_get_str(node, "nodeId"));
    if (oc_cli_call_tree(cli, "canvas.watch.close", params, &answer, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    int64_t ended = oc_json_get_int(answer, "ended", 0, OC_JSON_MAX_EXACT, 0);
    if (cli->is_json) {
        oc_out_json(answer);
    } else {
        oc_out_line("%lld %s ended", (long long)ended, ended == 1 ? "address" : "addresses");
    }
    return OC_EXIT_OK;
}

int oc_cli_canvas_watch(struct oc_cli *cli) {
    OC_AUTO_JSON cJSON *list = NULL, *answer = NULL;
    const cJSON *node;
    struct oc_error err;
    if (oc_cli_find_node(cli, &list, &node, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (oc_args_has(&cli->args, "end")) {
        return end(cli, node);
    }
    cJSON *params = oc_params_str("nodeId", oc_json_get_str(node, "nodeId"));
    oc_json_set_bool(params, "readOnly", oc_args_has(&cli->args, "read-only"));
    if (oc_cli_call_tree(cli, "canvas.watch.open", params, &answer, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    if (cli->is_json) {
        oc_out_json(answer);
    } else {
        print(cli, answer);
    }
    return OC_EXIT_OK;
}
