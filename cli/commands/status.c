/* openclaw status: the gateway, its nodes, what waits, and this machine, at a glance. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/node_local.h"
#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/config/config.h"
#include "lib/files/file.h"

#include <time.h>
#include <unistd.h>

#define MAX_SHOWN_NODES 8
#define MAX_STATUS_BYTES 65536
#define WATCH_S 2

/* A call that failed is no reason for others to go without their own. */
static void forget_failure(struct cli_cli *cli) {
    oc_free(oc_take(&cli->fix));
    oc_free(oc_take(&cli->error_code));
}

static cJSON *status_nodes(const cJSON *nodes) {
    cJSON *o = cJSON_CreateObject(), *names = cJSON_CreateArray();
    int64_t known = 0, connected = 0;
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        known++;
        if (cli_node_is_connected(node)) {
            connected++;
            cJSON_AddItemToArray(names, cJSON_CreateString(cli_node_label(node)));
        }
    }
    oc_json_set_int(o, "known", known);
    oc_json_set_int(o, "connected", connected);
    oc_json_set(o, "names", names);
    return o;
}

/* How much waits for somebody; who may not see it is told nothing. */
static cJSON *status_waiting(struct cli_cli *cli) {
    cJSON *o = cJSON_CreateObject();
    struct oc_error ignored;
    CLI_AUTO_WAITING struct cli_waiting requests = { 0 };
    OC_AUTO_JSON cJSON *approvals = NULL;
    if (cli_waiting_load(cli, &requests, &ignored) == OC_OK) {
        oc_json_set_int(o, "requests", (int64_t)requests.count);
    }
    if (cli_call_tree(cli, "exec.approval.list", cJSON_CreateObject(), &approvals, &ignored) ==
            OC_OK) {
        const cJSON *list =
                cJSON_IsArray(approvals) ? approvals : oc_json_get(approvals, "approvals");
        oc_json_set_int(o, "commands", cJSON_GetArraySize(list));
    }
    forget_failure(cli);
    return o;
}

static void status_gateway(struct cli_cli *cli, cJSON *doc) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes = NULL;
    cJSON *gateway = cJSON_AddObjectToObject(doc, "gateway");
    bool is_ok = cli_node_list(cli, &list, &nodes, &err) == OC_OK;
    oc_json_set_bool(gateway, "ok", is_ok);
    if (!is_ok) {
        oc_json_set_str(gateway, "error", err.text);
        oc_json_set_str(gateway, "fix", cli->fix);
        forget_failure(cli);
        return;
    }
    const cJSON *hello = cli_rpc_hello(cli->rpc);
    oc_json_set_str(gateway, "url", cli_rpc_target(cli->rpc)->url);
    oc_json_set_str(gateway, "version", oc_json_get_str(oc_json_get(hello, "server"), "version"));
    oc_json_set(doc, "nodes", status_nodes(nodes));
    oc_json_set(doc, "waiting", status_waiting(cli));
}

/* What its own files say; a config that cannot be read has a command of its own. */
static cJSON *status_here(void) {
    OC_AUTO_FREE char *state_dir = oc_dir_state(), *home = oc_dir_home(),
                      *config_path = oc_path_config();
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error ignored;
    if (oc_config_load(config_path, &config, &ignored) != OC_OK) {
        config = NULL;
    }
    OC_AUTO_JSON cJSON *local = cli_node_local(&(struct cli_node_local_opts){
            .state_dir = state_dir, .home = home, .config = config });
    cJSON *o = cJSON_CreateObject();
    bool is_running = oc_json_get_bool(local, "running", false);
    oc_json_set_bool(o, "running", is_running);
    if (is_running) {
        const cJSON *node = oc_json_get(local, "node");
        oc_json_set_str(o, "text", oc_json_get_str(node, "text"));
        oc_json_set_str(o, "name", oc_json_get_str(node, "name"));
    }
    return o;
}

static cJSON *status_gather(struct cli_cli *cli) {
    cJSON *doc = cJSON_CreateObject();
    status_gateway(cli, doc);
    oc_json_set(doc, "node", status_here());
    return doc;
}

static void put_gateway(struct oc_buf *out, const cJSON *gateway) {
    OC_AUTO_FREE char *url = cli_shown(oc_json_get_str(gateway, "url"));
    OC_AUTO_FREE char *version = cli_shown(oc_json_get_str(gateway, "version"));
    OC_AUTO_FREE char *error = cli_shown(oc_json_get_str(gateway, "error"));
    const char *fix = oc_json_get_str(gateway, "fix");
    if (oc_json_get_bool(gateway, "ok", false)) {
        oc_buf_printf(out, "Gateway  %s answers%s%s\n", url, *version ? ", version " : "", version);
    } else {
        oc_buf_printf(out, "Gateway  %s\n", error);
    }
    if (fix) {
        oc_buf_printf(out, "           fix: %s\n", fix);
    }
}

static void put_nodes(struct oc_buf *out, const cJSON *nodes) {
    int64_t connected = oc_json_get_int(nodes, "connected", 0, OC_JSON_MAX_EXACT, 0);
    OC_AUTO_STRV struct oc_strv shown = { 0 };
    const cJSON *name;
    cJSON_ArrayForEach(name, oc_json_get(nodes, "names")) {
        if (shown.count < MAX_SHOWN_NODES) {
            OC_AUTO_FREE char *text = cli_shown(name->valuestring);
            oc_strv_add(&shown, text);
        }
    }
    if (connected > (int64_t)shown.count) {
        oc_strv_add(&shown, "…");
    }
    OC_AUTO_FREE char *names = oc_strv_join(&shown, ", ");
    oc_buf_printf(out, "Nodes    %lld connected of %lld%s%s\n", (long long)connected,
            (long long)oc_json_get_int(nodes, "known", 0, OC_JSON_MAX_EXACT, 0),
            shown.count > 0 ? ": " : "", names);
}

static void put_waiting(struct oc_buf *out, const cJSON *waiting) {
    static const struct {
        const char *key, *one, *many, *command;
    } rows[] = {
        { "requests", "node asks to be let in", "nodes ask to be let in",
                "openclaw nodes pending" },
        { "commands", "command waits for approval", "commands wait for approval",
                "openclaw approvals pending" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        int64_t count = oc_json_get_int(waiting, rows[i].key, 0, OC_JSON_MAX_EXACT, 0);
        if (count > 0) {
            oc_buf_printf(out, "Waiting  %lld %s: %s\n", (long long)count,
                    count == 1 ? rows[i].one : rows[i].many, rows[i].command);
        }
    }
}

static void put_here(struct oc_buf *out, const cJSON *node) {
    OC_AUTO_FREE char *text = cli_shown(oc_json_get_str(node, "text"));
    if (!oc_json_get_bool(node, "running", false)) {
        oc_buf_puts(out, "Here     no node runs on this machine (openclaw node run)\n");
    } else {
        oc_buf_printf(out, "Here     node: %s\n", *text ? text : "runs");
    }
}

static void status_render(const cJSON *doc, struct oc_buf *out) {
    put_gateway(out, oc_json_get(doc, "gateway"));
    if (oc_json_get(doc, "nodes")) {
        put_nodes(out, oc_json_get(doc, "nodes"));
        put_waiting(out, oc_json_get(doc, "waiting"));
    }
    put_here(out, oc_json_get(doc, "node"));
}

/* A terminal shows the newest only; elsewhere every change is one more text, or one more line. */
static void status_show(const struct cli_cli *cli, const cJSON *doc, const char *text) {
    bool is_watch = cli_args_has(&cli->args, "watch");
    if (cli->is_json && is_watch) {
        cli_out_json_line(doc);
    } else if (cli->is_json) {
        cli_out_json(doc);
    } else {
        cli_out_text(is_watch && isatty(1) ? "\033[H\033[J" : "");
        cli_out_text(text);
    }
    cli_out_flush();
}

static int status_run(struct cli_cli *cli) {
    OC_AUTO_FREE char *last = NULL;
    bool is_watch = cli_args_has(&cli->args, "watch");
    for (;;) {
        OC_AUTO_JSON cJSON *doc = status_gather(cli);
        OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_STATUS_BYTES);
        status_render(doc, &text);
        if (!oc_streq(last, text.data)) {
            status_show(cli, doc, text.data);
            oc_free(last);
            last = oc_strdup(text.data);
        }
        bool is_ok = oc_json_get_bool(oc_json_get(doc, "gateway"), "ok", false);
        if (!is_watch || cli_out_reader_is_gone()) {
            return is_ok ? CLI_EXIT_OK : CLI_EXIT_FAILED;
        }
        if (is_ok) {
            cli_rpc_sleep(cli->rpc, (int64_t)WATCH_S * 1000);
        } else {
            cli_rpc_close(oc_take(&cli->rpc)); /* the next call makes another */
            nanosleep(&(struct timespec){ .tv_sec = WATCH_S }, NULL);
        }
    }
}

static const struct cli_option options[] = {
    { "watch", 'w', CLI_OPT_FLAG, NULL, "go on, and show every change; Ctrl-C ends it" },
    { 0 },
};

const struct cli_command cli_command_status = {
    .path = "status",
    .summary = "The gateway, its nodes, what waits, and this machine, at a glance",
    .details = "Exit code: 0 when the gateway answers, 1 when it does not.",
    .examples = "openclaw status\n"
                "openclaw status --watch",
    .options = options,
    .calls_gateway = true,
    .run = status_run,
};
