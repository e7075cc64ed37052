/* openclaw nodes runs: what a node runs, by handle. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    POLL_MS = 20000,   /* one poll waits this long on the node */
    MARGIN_MS = 10000, /* and we a little longer */
    PIECE = 32768,     /* of standard input */
    AGAIN_MS = 50,     /* between two polls when the first gave nothing, whatever the node does */
};

struct run_target {
    struct cli_cli *cli;
    cJSON *list;
    const cJSON *node;
    char *handle; /* NULL: of all of them */
};

/* One command of the node; its payload is owned by the caller. */
static enum oc_code nodes_runs_ask(struct run_target *t, const char *command, cJSON *take_params,
        int64_t node_ms, cJSON **ret, struct oc_error *err) {
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    cJSON *invoke = cJSON_CreateObject();
    oc_json_set_str(take_params, "handle", t->handle);
    oc_json_set_str(invoke, "nodeId", oc_json_get_str(t->node, "nodeId"));
    oc_json_set_str(invoke, "command", command);
    oc_json_set(invoke, "params", take_params);
    oc_json_set_int(invoke, "timeoutMs", node_ms + MARGIN_MS);
    oc_json_set_str(invoke, "idempotencyKey", key);
    struct cli_rpc_reply reply;
    enum oc_code rc = cli_call(
            t->cli, "node.invoke", invoke, cli_answer_ms(t->cli, node_ms + MARGIN_MS), &reply, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *answer = NULL;
    rc = oc_json_parse(reply.payload.ptr, reply.payload.len, &answer, err);
    cli_rpc_reply_finish(&reply);
    cJSON *payload = cJSON_DetachItemFromObjectCaseSensitive(answer, "payload");
    if (rc == OC_OK && !cJSON_IsObject(payload)) {
        rc = oc_fail(err, OC_E_INVALID, "the node's answer to %s holds no result", command);
        cJSON_Delete(payload);
        return rc;
    }
    *ret = payload;
    return rc;
}

/* The beginning of a handle will do. What the list does not show is left to the node to refuse. */
static enum oc_code complete_handle(struct run_target *t, struct oc_error *err) {
    if (!t->handle || strlen(t->handle) >= OC_RUN_HANDLE_LEN) {
        return OC_OK;
    }
    OC_AUTO_FREE char *query = oc_take(&t->handle);
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_STRV struct oc_strv handles = { 0 };
    enum oc_code rc = nodes_runs_ask(t, "system.runs.list", cJSON_CreateObject(), 0, &payload, err);
    if (rc != OC_OK) {
        return rc;
    }
    const cJSON *run;
    cJSON_ArrayForEach(run, oc_json_get(payload, "runs")) {
        const char *handle = oc_json_get_str(run, "handle");
        if (handle) {
            oc_strv_add_unique(&handles, handle);
        }
    }
    bool is_several;
    const char *found = cli_id_pick(&handles, query, 1, &is_several);
    t->handle = oc_strdup(found ? found : query);
    if (is_several) {
        OC_AUTO_FREE char *shown = oc_printable(query, strlen(query), 60);
        cli_set_fix(t->cli, "openclaw nodes runs list");
        return oc_fail(err, OC_E_INVALID, "several runs have a handle that begins with %s", shown);
    }
    return OC_OK;
}

static void put_cell(struct cli_table *t, const char *text) {
    OC_AUTO_FREE char *shown = cli_shown(text);
    cli_table_add(t, shown);
}

static void print_table(const cJSON *runs) {
    static const struct cli_column columns[] = {
        { "Handle", CLI_COLUMN_FIXED, 0 },
        { "State", CLI_COLUMN_TEXT, 0 },
        { "Exit", CLI_COLUMN_FIXED, 2 },
        { "Started", CLI_COLUMN_FIXED, 1 },
        { "Command", CLI_COLUMN_TEXT, 0 },
    };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    int64_t now = oc_wall_ms(&oc_clock_system);
    const cJSON *run;
    cJSON_ArrayForEach(run, runs) {
        char age[24], code[32] = "";
        cli_age(now, oc_json_get_ms(run, "startedAtMs", 0), age);
        if (oc_json_get(run, "exitCode")) {
            snprintf(code, sizeof(code), "%lld",
                    (long long)oc_json_get_int(run, "exitCode", INT32_MIN, UINT32_MAX, 0));
        } else if (oc_json_get(run, "signal")) {
            snprintf(code, sizeof(code), "signal %d",
                    (int)oc_json_get_int(run, "signal", 0, 127, 0));
        }
        put_cell(t, oc_json_get_str(run, "handle"));
        put_cell(t, oc_json_get_str(run, "state"));
        cli_table_add(t, code);
        cli_table_add(t, age);
        put_cell(t, oc_json_get_str(run, "command"));
    }
    cli_out_table(t);
}

static int nodes_runs_show(struct cli_cli *cli, const cJSON *payload) {
    if (cli->is_json) {
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    const cJSON *runs = oc_json_get(payload, "runs");
    int64_t others = oc_json_get_int(payload, "others", 0, OC_JSON_MAX_EXACT, 0);
    if (others > 0) {
        cli_note("%lld more of other clients; operator.admin sees them.", (long long)others);
    }
    if (runs && !runs->child) {
        cli_out_line("No runs.");
        return CLI_EXIT_OK;
    }
    OC_AUTO_JSON cJSON *one = runs ? NULL : cJSON_CreateArray();
    if (one) {
        cJSON_AddItemToArray(one, cJSON_Duplicate(oc_json_get(payload, "run"), true));
    }
    print_table(runs ? runs : one);
    return CLI_EXIT_OK;
}

static bool is_running(const cJSON *payload) {
    return oc_streq(oc_json_get_str(oc_json_get(payload, "run"), "state"), "running");
}

/* What it left behind may have more to say. */
static bool may_write(const cJSON *payload) {
    return is_running(payload) ||
           oc_streq(oc_json_get_str(oc_json_get(payload, "run"), "state"), "left-behind");
}

static cJSON *poll_params(int64_t from, int64_t max, int64_t wait_ms) {
    cJSON *p = cJSON_CreateObject();
    oc_json_set_int(p, "from", from);
    oc_json_set_int(p, "maxBytes", max);
    oc_json_set_int(p, "waitMs", wait_ms);
    return p;
}

/* The code `nodes run` would have ended with. */
static int exit_code_of(const cJSON *run) {
    if (oc_streq(oc_json_get_str(run, "state"), "timed-out")) {
        return CLI_EXIT_TIMEOUT;
    }
    if (oc_json_get(run, "exitCode")) {
        return (int)(oc_json_get_int(run, "exitCode", INT32_MIN, UINT32_MAX, 1) & 0xff);
    }
    return 128 + (int)(oc_json_get_int(run, "signal", 0, 127, 0) & 0x7f);
}

static int run_poll(struct run_target *t) {
    struct oc_error err;
    bool waits = cli_args_has(&t->cli->args, "wait");
    int64_t from = 0;
    for (;;) {
        OC_AUTO_JSON cJSON *payload = NULL;
        /* Waiting for output where none will ever be is waiting for the end. */
        if (nodes_runs_ask(t, "system.runs.poll",
                    poll_params(from, 0, waits && from > 0 ? POLL_MS : 0), POLL_MS, &payload,
                    &err) != OC_OK) {
            return cli_fail(t->cli, &err);
        }
        const cJSON *run = oc_json_get(payload, "run");
        if (!waits || !is_running(payload)) {
            cJSON_DeleteItemFromObjectCaseSensitive(payload, "output");
            int shown = nodes_runs_show(t->cli, payload);
            return waits ? exit_code_of(run) : shown;
        }
        from = OC_JSON_MAX_EXACT;
    }
}

static void print_output(const cJSON *output) {
    const char *data = oc_json_get_str(output, "data");
    size_t len = data ? strlen(data) : 0;
    int64_t skipped = oc_json_get_int(output, "skipped", 0, OC_JSON_MAX_EXACT, 0);
    if (skipped > 0) {
        cli_note("... (%lld earlier bytes are not kept)", (long long)skipped);
    }
    if (oc_streq(oc_json_get_str(output, "encoding"), "base64")) {
        OC_AUTO_FREE uint8_t *bytes = oc_alloc(len + 1);
        if (oc_base64_decode(data, len, bytes, len, &len)) {
            cli_out_bytes(false, (const char *)bytes, len);
        }
    } else if (data) {
        cli_out_bytes(false, data, len);
    }
    cli_out_flush();
}

static int run_log(struct run_target *t) {
    struct oc_error err;
    bool follows = cli_args_has(&t->cli->args, "follow");
    if (follows && t->cli->is_json) {
        return cli_usage(t->cli, "--follow and --json do not go together");
    }
    for (int64_t from = 0;;) {
        OC_AUTO_JSON cJSON *payload = NULL;
        if (nodes_runs_ask(t, "system.runs.poll",
                    poll_params(from, INT32_MAX, follows ? POLL_MS : 0), POLL_MS, &payload,
                    &err) != OC_OK) {
            return cli_fail(t->cli, &err);
        }
        if (t->cli->is_json) {
            cli_out_json(payload);
            return CLI_EXIT_OK;
        }
        const cJSON *output = oc_json_get(payload, "output");
        int64_t next = oc_json_get_int(output, "next", from, OC_JSON_MAX_EXACT, from);
        print_output(output);
        if (!follows || (!may_write(payload) && next == from) || cli_out_reader_is_gone()) {
            return CLI_EXIT_OK;
        }
        if (next == from) {
            cli_rpc_sleep(t->cli->rpc, AGAIN_MS);
        }
        from = next;
    }
}

/* Sends it piece by piece: the node takes what it has room for. */
static enum oc_code write_all(
        struct run_target *t, const char *bytes, size_t len, bool ends, struct oc_error *err) {
    do {
        size_t piece = len < PIECE ? len : PIECE;
        OC_AUTO_FREE char *encoded = oc_base64(bytes, piece);
        OC_AUTO_JSON cJSON *payload = NULL;
        cJSON *params = cli_params_str("data", encoded);
        oc_json_set_str(params, "encoding", "base64");
        oc_json_set_bool(params, "eof", ends && piece == len);
        enum oc_code rc = nodes_runs_ask(t, "system.runs.write", params, 0, &payload, err);
        if (rc != OC_OK) {
            return rc;
        }
        int64_t taken = oc_json_get_int(payload, "taken", 0, (int64_t)piece, -1);
        if (taken < 0) {
            return oc_fail(err, OC_E_INVALID,
                    "the node's answer to system.runs.write does not say how much of %zu bytes it "
                    "took",
                    piece);
        }
        bytes += taken;
        len -= (size_t)taken;
        if (len > 0 && taken == 0) {
            cli_rpc_sleep(t->cli->rpc, 50); /* the program reads slowly */
        }
    } while (len > 0);
    return OC_OK;
}

static enum oc_code write_stdin(struct run_target *t, struct oc_error *err) {
    static char bytes[PIECE];
    for (;;) {
        ssize_t n = read(0, bytes, sizeof(bytes));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return oc_fail(err, OC_E_IO, "standard input: %s", strerror(errno));
        }
        bool ends = n == 0 && cli_args_has(&t->cli->args, "eof");
        enum oc_code rc = n > 0 || ends ? write_all(t, bytes, (size_t)n, ends, err) : OC_OK;
        if (n == 0 || rc != OC_OK) {
            return rc;
        }
    }
}

static int run_write(struct run_target *t) {
    struct oc_error err;
    const struct oc_strv *rest = &t->cli->args.rest;
    bool ends = cli_args_has(&t->cli->args, "eof");
    enum oc_code rc;
    if (rest->count > 2) {
        OC_AUTO_BUF struct oc_buf line = OC_BUF_INIT((size_t)1 << 20);
        for (size_t i = 2; i < rest->count; i++) {
            oc_buf_printf(&line, "%s%s", i > 2 ? " " : "", rest->items[i]);
        }
        oc_buf_putc(&line, '\n');
        rc = write_all(t, line.data, line.len, ends, &err);
    } else if (ends && isatty(0)) {
        rc = write_all(t, "", 0, true, &err);
    } else {
        rc = write_stdin(t, &err);
    }
    return rc == OC_OK ? CLI_EXIT_OK : cli_fail(t->cli, &err);
}

static int run_simple(struct run_target *t, const char *command) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *payload = NULL;
    if (nodes_runs_ask(t, command, cJSON_CreateObject(), 0, &payload, &err) != OC_OK) {
        return cli_fail(t->cli, &err);
    }
    if (oc_json_get_bool(payload, "alreadyEnded", false)) {
        cli_note("It had ended already: there was nothing to kill.");
    }
    return nodes_runs_show(t->cli, payload);
}

static int run_verb(struct run_target *t, const char *verb) {
    if (strcmp(verb, "list") == 0) {
        return run_simple(t, "system.runs.list");
    }
    if (strcmp(verb, "kill") == 0) {
        return run_simple(t, "system.runs.kill");
    }
    if (strcmp(verb, "poll") == 0) {
        return run_poll(t);
    }
    return strcmp(verb, "log") == 0 ? run_log(t) : run_write(t);
}

static int nodes_runs_run(struct cli_cli *cli) {
    static const char *const verbs[] = { "list", "poll", "log", "write", "kill" };
    const struct oc_strv *rest = &cli->args.rest;
    const char *verb = rest->items[0];
    bool is_known = false;
    for (size_t i = 0; i < OC_COUNT(verbs); i++) {
        is_known = is_known || strcmp(verb, verbs[i]) == 0;
    }
    bool is_list = strcmp(verb, "list") == 0;
    if (!is_known) {
        return cli_usage(cli, "say what to do: list, poll, log, write or kill");
    }
    /* Behind a handle to write to there is text. */
    int code = strcmp(verb, "write") == 0 ? CLI_EXIT_OK : cli_node_word(cli, 1, is_list ? 0 : 1);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    struct run_target t = { .cli = cli };
    t.handle = rest->count > 1 ? oc_strdup(rest->items[1]) : NULL;
    if (is_list == (t.handle != NULL) || (rest->count > 2 && strcmp(verb, "write") != 0)) {
        oc_free(t.handle);
        return cli_usage(cli,
                is_list ? "list takes no handle"
                        : "%s needs one handle; see: openclaw nodes runs list",
                verb);
    }
    const char *wrong = cli_misplaced(cli, verb);
    struct oc_error err;
    if (wrong) {
        code = cli_usage(cli, "--%s does not go with %s", wrong, verb);
    } else if (cli_find_node(cli, &t.list, &t.node, &err) != OC_OK ||
               complete_handle(&t, &err) != OC_OK) {
        code = cli_fail(cli, &err);
    } else {
        code = run_verb(&t, verb);
    }
    cJSON_Delete(t.list);
    oc_free(t.handle);
    return code;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "follow", 'f', CLI_OPT_FLAG, NULL, "go on printing until the run ends", .actions = "log" },
    { "wait", 0, CLI_OPT_FLAG, NULL, "wait until the run has ended", .actions = "poll" },
    { "eof", 0, CLI_OPT_FLAG, NULL, "end of input behind the text", .actions = "write" },
    { 0 },
};

static const struct cli_action actions[] = {
    { "list", "What runs on a node, and which background runs ended lately", "[node]" },
    { "poll", "How a background run is", "[node] <handle>" },
    { "log", "Print the last 128 KiB of a run's output", "[node] <handle>" },
    { "write", "Give a run a line of input", "<handle> [text…]" },
    { "kill", "End a run and all it started", "[node] <handle>" },
    { 0 },
};

const struct cli_command cli_command_nodes_runs = {
    .path = "nodes runs",
    .summary = "Runs of a node by their handles",
    .operands = "list|poll|log|write|kill [node] [handle] [text…]",
    .details =
            "list shows what runs, and which background runs ended lately. poll says how a "
            "background run is;\n"
            "with --wait it waits for the end, and the run's exit code becomes ours. log prints "
            "the last 128 KiB\n"
            "of its output. write gives it a line of input, or standard input when no text is "
            "given; the node\n"
            "must have security=full. kill ends a run and all it started.\n"
            "The beginning of a handle will do when only one run has it. write takes --node, the "
            "others a word.\n"
            "A background run ends with the node process; the last 32 that ended are remembered.",
    .examples = "openclaw nodes runs list\n"
                "openclaw nodes runs log workshop 3fa9\n"
                "openclaw nodes runs kill 3fa9",
    .options = options,
    .actions = actions,
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = (size_t)-1,
    .run = nodes_runs_run,
};
