/* openclaw nodes run: a program on a node, as if it ran here: its output, its exit code. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/run/exec_answer.h"
#include "cli/run/live_run.h"
#include "cli/run/run_again.h"
#include "cli/run/run_approval.h"
#include "cli/text.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/limits.h"
#include "lib/text/paste.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_INVOKE_MS 30000
#define ANSWER_MARGIN_MS 5000
#define EXIT_NOT_FOUND 127

static void add_argv(cJSON *params, const char *const *argv, size_t count) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON_AddItemToArray(array, cJSON_CreateString(argv[i]));
    }
    oc_json_set(params, "command", array);
}

/* command, rawCommand, cwd and agentId: what both prepare and run get. */
static cJSON *base_params(const struct cli_cli *cli, const cJSON *node) {
    cJSON *params = cJSON_CreateObject();
    const char *raw = cli_args_text(&cli->args, "raw");
    const char *platform = oc_json_get_str(node, "platform");
    if (!raw) {
        add_argv(params, (const char *const *)cli->args.rest.items, cli->args.rest.count);
    } else if (platform && oc_starts_with(platform, "win")) {
        const char *const argv[] = { "cmd.exe", "/d", "/s", "/c", raw };
        add_argv(params, argv, OC_COUNT(argv));
    } else {
        const char *const argv[] = { "/bin/sh", "-lc", raw };
        add_argv(params, argv, OC_COUNT(argv));
    }
    oc_json_set_str(params, "rawCommand", raw);
    oc_json_set_str(params, "cwd", cli_args_text(&cli->args, "cwd"));
    oc_json_set_str(params, "agentId", cli_args_text(&cli->args, "agent"));
    return params;
}

static cJSON *invoke_params(
        const cJSON *node, const char *command, cJSON *take_params, int64_t invoke_ms) {
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key); /* of its own, unless the caller sets another */
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "nodeId", oc_json_get_str(node, "nodeId"));
    oc_json_set_str(params, "command", command);
    oc_json_set(params, "params", take_params);
    oc_json_set_int(params, "timeoutMs", invoke_ms);
    oc_json_set_str(params, "idempotencyKey", key);
    return params;
}

/* A path that leads nowhere cannot be planned, nor can anything where nothing runs. The run itself
 * says so better, with the right exit code, and is written down. */
static bool is_said_by_the_run(const struct oc_error *err) {
    return err->grounds.cause == OC_CAUSE_UNSTABLE_PROGRAM ||
           err->grounds.cause == OC_CAUSE_RUN_DISABLED;
}

/* Lets the node say what it would run (canonical paths, checked cwd) and runs exactly that. Nodes
 * without prepare get the plain words. *ret_about: what it said for a person who would have to
 * allow it; may stay NULL, caller deletes. */
static enum oc_code nodes_run_prepare(struct cli_cli *cli, const cJSON *node, cJSON *params,
        const cJSON *env, cJSON **ret_about, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(node, "commands", &commands);
    if (!oc_strv_has(&commands, "system.run.prepare")) {
        return OC_OK;
    }
    OC_AUTO_JSON cJSON *answer = NULL;
    cJSON *wanted = cJSON_Duplicate(params, true);
    if (env && oc_strv_has(&commands, "system.runs.list")) { /* one of ours judges them, too */
        oc_json_set(wanted, "env", cJSON_Duplicate(env, true));
    }
    enum oc_code rc = cli_call_tree(cli, "node.invoke",
            invoke_params(node, "system.run.prepare", wanted, DEFAULT_INVOKE_MS), &answer, err);
    if (rc != OC_OK) {
        return is_said_by_the_run(err) ? OC_OK : rc;
    }
    *ret_about = cJSON_Duplicate(oc_json_path(answer, "payload.approval"), true);
    const cJSON *plan = oc_json_path(answer, "payload.plan");
    const cJSON *argv = oc_json_get(plan, "argv");
    if (!cJSON_IsArray(argv) || !argv->child) {
        return oc_fail(err, OC_E_INVALID, "the node gave no plan for system.run.prepare");
    }
    const char *raw = oc_json_get_str(plan, "rawCommand");
    oc_json_set(params, "command", cJSON_Duplicate(argv, true));
    oc_json_set_str(params, "rawCommand", raw ? raw : oc_json_get_str(plan, "commandText"));
    oc_json_set_str(params, "cwd", oc_json_get_str(plan, "cwd"));
    oc_json_set_str(params, "agentId", oc_json_get_str(plan, "agentId"));
    oc_json_set_str(params, "sessionKey", oc_json_get_str(plan, "sessionKey"));
    oc_json_set(params, "systemRunPlan", cJSON_Duplicate(plan, true));
    return OC_OK;
}

/* --env NAME=value, as often as needed. NULL in *ret when none was given; false when one makes no
 * sense. */
static bool parse_env(const struct cli_cli *cli, cJSON **ret) {
    OC_AUTO_STRV struct oc_strv list = { 0 };
    cli_args_list(&cli->args, "env", &list);
    OC_AUTO_JSON cJSON *env = list.count > 0 ? cJSON_CreateObject() : NULL;
    for (size_t i = 0; i < list.count; i++) {
        char *equals = strchr(list.items[i], '=');
        if (!equals || equals == list.items[i]) {
            return false;
        }
        *equals = '\0';
        oc_json_set_str(env, list.items[i], equals + 1);
    }
    *ret = oc_take(&env);
    return true;
}

static void print_body(bool to_stderr, struct oc_slice body, size_t skip) {
    char piece[16384];
    for (size_t n = oc_json_unescape_step(&body, piece, sizeof(piece)); n > 0;
            n = oc_json_unescape_step(&body, piece, sizeof(piece))) {
        size_t seen = skip < n ? skip : n;
        skip -= seen;
        cli_out_bytes(to_stderr, piece + seen, n - seen);
    }
}

static bool is_cut(struct oc_slice body) {
    static const char mark[] = "... (truncated)";
    size_t len = sizeof(mark) - 1;
    return body.len >= len && memcmp(body.ptr + body.len - len, mark, len) == 0;
}

/* What came while we had no connection is in the result, behind what was printed already. */
static void print_output(const struct cli_exec_answer *r, const struct cli_live_run *live) {
    bool is_seen = live->printed[0] + live->printed[1] > 0;
    if (r->was_live && !live->was_lost && is_seen) {
        return;
    }
    if (is_seen && live->has_raw_bytes) {
        cli_note("its output, from the beginning:");
    }
    print_body(false, r->out, live->has_raw_bytes ? 0 : live->printed[0]);
    cli_out_flush();
    print_body(true, r->err, live->has_raw_bytes ? 0 : live->printed[1]);
    if (live->was_lost && is_seen && (is_cut(r->out) || is_cut(r->err))) {
        cli_note("it wrote more than the node keeps; some of it is missing here");
    }
}

/* The command ran without them, which may be why it did something else than was meant. */
static void note_dropped(const char *names) {
    if (names) {
        OC_AUTO_FREE char *shown = cli_shown(names);
        cli_note(
                "the node did not pass on %s: scripts and listed programs get only settings of "
                "language and terminal from callers, and nothing gets what could change which code "
                "runs",
                shown);
    }
}

static int nodes_run_report(const struct cli_cli *cli, struct oc_slice answer,
        struct cli_exec_answer *r, const struct cli_live_run *live) {
    if (cli->is_json) {
        cli_out_json_text(answer);
        return cli_exec_exit_code(r);
    }
    print_output(r, live);
    note_dropped(r->env_dropped);
    if (r->timed_out) {
        cli_note("run timed out");
    } else if (r->error) {
        OC_AUTO_FREE char *shown = cli_shown(r->error);
        cli_note("not run: %s", shown);
    } else if (!r->has_exit_code && r->signal > 0) {
        cli_note("run killed by signal %d", (int)r->signal);
    } else if (!r->has_exit_code) {
        cli_note("run killed");
    }
    if (r->limit) {
        OC_AUTO_FREE char *shown = cli_shown(r->limit);
        cli_note("it used more than the node allows (node.exec.limits.%s)", shown);
    }
    if (r->left_killed) {
        cli_note("what the command left running was killed; to keep a program running: openclaw "
                 "nodes run "
                 "--background (setting on the node: node.exec.leftBehind)");
    } else if (r->left_handle) {
        OC_AUTO_FREE char *command =
                oc_paste("openclaw nodes runs list", "openclaw nodes runs kill %s", r->left_handle);
        cli_note("the command left something running; to end it: %s", command);
    }
    return cli_exec_exit_code(r);
}

static bool is_timeout(const struct oc_error *err) {
    return err->code == OC_E_TIMEOUT || err->grounds.cause == OC_CAUSE_TIMED_OUT;
}

/* Running it again is the one thing not to do before looking. */
static int fail_unknown(
        struct cli_cli *cli, const struct oc_error *err, const struct cli_live_run *live) {
    OC_AUTO_FREE char *id = oc_paste_id(live->node_id);
    OC_AUTO_FREE char *list = oc_paste(
            "openclaw nodes runs list --node <its id>", "openclaw nodes runs list --node %s", id);
    cli_set_fix(cli,
            "before running it again, see what became of it: openclaw approvals history, and %s "
            "for "
            "what still runs",
            list);
    return cli_run_fail_unknown(cli, err, live->last_seen_ms);
}

/* Nothing had been sent to the node again, and nothing runs without us. */
static int fail_unapproved(
        struct cli_cli *cli, struct oc_error *err, const struct cli_live_run *live) {
    if (!live->signo && cli_run_is_unknown(cli, err)) {
        struct oc_error why = *err;
        (void)oc_fail(err, why.code, "%s; the command waited for an approval and was not started",
                why.text);
        cli_set_fix(cli, "openclaw gateway status, then run it again");
    }
    int code = cli_fail(cli, err);
    return live->signo ? 128 + live->signo : code;
}

static int fail_cancelled(
        struct cli_cli *cli, const struct oc_error *err, const struct cli_live_run *live) {
    if (cli->is_json) {
        cli_fail(cli, err);
    }
    return 128 + live->signo;
}

static int nodes_run_fail(struct cli_cli *cli, const struct oc_error *err, int64_t invoke_ms) {
    if (!is_timeout(err)) {
        if (cli_args_has(&cli->args, "cwd") && err->grounds.cause == OC_CAUSE_BAD_DIRECTORY) {
            cli_set_fix(
                    cli, "--cwd must be an existing directory of the node, without symbolic links");
        }
        return cli_fail(cli, err);
    }
    char span[24];
    cli_span(invoke_ms, span);
    cli_set_fix(cli,
            "no answer within %s; the command may still run there. Give it longer: "
            "--invoke-timeout <ms>",
            span);
    cli_fail(cli, err);
    return CLI_EXIT_TIMEOUT;
}

/* A command may take as long as it takes: one can watch it, and Ctrl-C ends it. */
static int64_t invoke_timeout(const struct cli_cli *cli) {
    int64_t command_ms = cli_args_int(&cli->args, "command-timeout", 0);
    int64_t def = command_ms == 0 ? OC_MAX_INVOKE_MS
                  : command_ms + ANSWER_MARGIN_MS > DEFAULT_INVOKE_MS
                          ? command_ms + ANSWER_MARGIN_MS
                          : DEFAULT_INVOKE_MS;
    return cli_args_int(
            &cli->args, "invoke-timeout", def < OC_MAX_INVOKE_MS ? def : OC_MAX_INVOKE_MS);
}

/* As ssh does: what is piped into us is for the program there. From a terminal only when asked to,
 * and with a terminal of its own the program has the keyboard instead. */
static bool passes_stdin(const struct cli_cli *cli) {
    const struct cli_args *args = &cli->args;
    if (cli_args_has(args, "background") || cli_args_has(args, "no-stdin") ||
            (cli_args_has(args, "tty") && isatty(0))) {
        return false;
    }
    return cli_args_has(args, "stdin") || cli_run_input_is_given();
}

/* Neither every gateway nor every node can. */
static void note_unread(const struct cli_cli *cli, const struct cli_live_run *live) {
    if (passes_stdin(cli) && cli_run_input_is_waiting() &&
            !(live->input && live->input->has_begun)) {
        cli_note("standard input was not passed on: this node or its gateway cannot do that");
    }
}

/* What our nodes can do beyond a plain run. Others, and gateways of another kind, leave these
 * members out; a run in the background or on a terminal would then be something else than was asked
 * for. */
static enum oc_code add_extras(struct cli_cli *cli, const cJSON *node, cJSON *params,
        const char *handle, struct oc_error *err) {
    bool is_background = cli_args_has(&cli->args, "background"),
         is_tty = cli_args_has(&cli->args, "tty"), is_stdin = cli_args_has(&cli->args, "stdin");
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(node, "commands", &commands);
    bool can_be_told = oc_strv_has(&commands, "system.runs.list");
    if ((is_background || is_tty || is_stdin) && !can_be_told) {
        cli_set_fix(cli, "it needs system.runs.*, which the node does not offer or the gateway "
                         "does not allow; see: "
                         "openclaw nodes describe");
        return oc_fail(err, OC_E_UNSUPPORTED, "this node cannot do that");
    }
    if (is_background) {
        oc_json_set_bool(params, "background", true);
    } else if (!cli->is_json) {
        oc_json_set_bool(params, "live", true);
    }
    if (can_be_told && passes_stdin(cli)) {
        oc_json_set_bool(params, "stdin", true);
        oc_json_set_str(params, "handle", handle);
    }
    if (is_tty) {
        oc_json_set(params, "tty", cli_live_run_tty());
        oc_json_set_str(params, "handle", handle);
        const char *term = getenv("TERM");
        cJSON *env = cJSON_GetObjectItemCaseSensitive(params, "env");
        if (!env) {
            env = cJSON_CreateObject();
            oc_json_set(params, "env", env);
        }
        if (term && !oc_json_get_str(env, "TERM")) {
            oc_json_set_str(env, "TERM", term);
        }
    }
    return OC_OK;
}

/* The node took it and could not start it. */
static int fail_to_start(struct cli_cli *cli, struct oc_slice answer) {
    struct cli_exec_answer result;
    struct oc_error err;
    int code = CLI_EXIT_FAILED;
    if (cli_exec_answer_decode(answer, &result, &err) == OC_OK) {
        OC_AUTO_FREE char *shown =
                cli_shown(result.error ? result.error : "the node gave no handle");
        (void)oc_fail(&err, OC_E_UNAVAILABLE, "not run: %s", shown);
        code = cli_exec_exit_code(&result);
    }
    cli_exec_answer_finish(&result);
    cli_fail(cli, &err);
    return code;
}

/* The handle, alone on a line: for scripts. */
static int report_background(struct cli_cli *cli, struct oc_slice answer) {
    OC_AUTO_JSON cJSON *tree = NULL;
    struct oc_error err;
    if (oc_json_parse(answer.ptr, answer.len, &tree, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    const char *handle = oc_json_get_str(oc_json_get(tree, "payload"), "handle");
    if (!handle) {
        return fail_to_start(cli, answer);
    }
    if (cli->is_json) {
        cli_out_json_text(answer);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *shown = cli_shown(handle);
    OC_AUTO_STRV struct oc_strv dropped = { 0 };
    oc_json_get_strv(oc_json_get(tree, "payload"), "envDropped", &dropped);
    OC_AUTO_FREE char *names = dropped.count > 0 ? oc_strv_join(&dropped, ", ") : NULL;
    note_dropped(names);
    cli_out_line("%s", shown);
    return CLI_EXIT_OK;
}

/* Our nodes know the key again. To others the same request would be another command. */
static bool can_ask_again(
        struct cli_live_run *live, const cJSON *node, const struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(node, "commands", &commands);
    return !live->signo && cli_run_lost_gateway(live->cli, err) &&
           oc_strv_has(&commands, "system.runs.list");
}

/* Runs it once; every try has its own key, or the second would get the answer of the first. */
static enum oc_code invoke_run(struct cli_live_run *live, const cJSON *node, const cJSON *params,
        int64_t invoke_ms, struct cli_rpc_reply *ret, struct oc_error *err) {
    int64_t for_ms = cli_args_int(&live->cli->args, "reconnect", CLI_RUN_RECONNECT_MS);
    int64_t wait_ms = cli_answer_ms(live->cli, invoke_ms);
    oc_uuid4(live->key);
    OC_AUTO_JSON cJSON *invoke =
            invoke_params(node, "system.run", cJSON_Duplicate(params, true), invoke_ms);
    oc_json_set_str(invoke, "idempotencyKey", live->key);
    cli_live_run_begin(live);
    enum oc_code rc =
            cli_call(live->cli, "node.invoke", cJSON_Duplicate(invoke, true), wait_ms, ret, err);
    cli_live_run_end(live);
    if (rc != OC_OK && for_ms > 0 && can_ask_again(live, node, err)) {
        live->was_lost = true;
        rc = cli_run_ask_again(live, invoke, wait_ms, for_ms, ret, err);
    }
    return rc;
}

static int run_on(struct cli_cli *cli, const cJSON *node, cJSON *take_env) {
    struct oc_error err;
    char handle[OC_UUID_LEN + 1];
    oc_uuid4(handle);
    handle[OC_RUN_HANDLE_LEN] = '\0'; /* as long as those that nodes make */
    int64_t invoke_ms = invoke_timeout(cli);
    OC_AUTO_JSON cJSON *params = base_params(cli, node);
    OC_AUTO_JSON cJSON *env = take_env;
    OC_AUTO_JSON cJSON *about = NULL;
    if (nodes_run_prepare(cli, node, params, env, &about, &err) != OC_OK) {
        return nodes_run_fail(cli, &err, invoke_ms);
    }
    OC_AUTO_JSON cJSON *plan = cJSON_DetachItemFromObjectCaseSensitive(params, "systemRunPlan");
    oc_json_set(params, "env", oc_take(&env));
    if (cli_args_has(&cli->args, "command-timeout")) {
        oc_json_set_int(params, "timeoutMs", cli_args_int(&cli->args, "command-timeout", 0));
    }
    if (add_extras(cli, node, params, handle, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    static struct cli_run_input input;
    input = (struct cli_run_input){
        .cli = cli, .node_id = oc_json_get_str(node, "nodeId"), .handle = handle
    };
    bool is_background = cli_args_has(&cli->args, "background");
    struct cli_rpc_reply reply;
    struct cli_live_run live = {
        .cli = cli,
        .node_id = oc_json_get_str(node, "nodeId"),
        .handle = cli_args_has(&cli->args, "tty") && !is_background ? handle : NULL,
        .input = oc_json_get_bool(params, "stdin", false) ? &input : NULL,
        .prints_output = !cli->is_json && !is_background,
    };
    bool asks_first = cli_run_asks_first(cli, about);
    if (asks_first) {
        cli_live_run_watch(&live); /* Ctrl-C takes the question back */
    }
    enum oc_code rc =
            asks_first ? OC_E_DENIED : invoke_run(&live, node, params, invoke_ms, &reply, &err);
    if (asks_first || (rc != OC_OK && !live.signo && cli_run_needs_approval(&err))) {
        struct cli_run_question question = { .node = node, .plan = plan, .about = about };
        if (cli_run_get_approval(&live, &question, params, &err) != OC_OK) {
            return fail_unapproved(cli, &err, &live);
        }
        rc = invoke_run(&live, node, params, invoke_ms, &reply, &err);
    }
    if (rc != OC_OK && live.is_cancelled) {
        return fail_cancelled(cli, &err, &live);
    }
    if (rc != OC_OK && cli_run_is_unknown(cli, &err)) {
        return fail_unknown(cli, &err, &live);
    }
    if (rc != OC_OK) {
        return nodes_run_fail(cli, &err, invoke_ms);
    }
    if (is_background) {
        int shown = report_background(cli, reply.payload);
        cli_rpc_reply_finish(&reply);
        return shown;
    }
    struct cli_exec_answer result;
    int code;
    if (cli_exec_answer_decode(reply.payload, &result, &err) == OC_OK) {
        code = nodes_run_report(cli, reply.payload, &result, &live);
        if (!result.error) {
            note_unread(cli, &live);
        }
    } else {
        code = cli_fail(cli, &err);
    }
    cli_exec_answer_finish(&result);
    cli_rpc_reply_finish(&reply);
    cli_run_input_finish(&input);
    return code;
}

/* `nodes run workshop uname` is a program called workshop. */
static void note_node_as_program(const struct cli_cli *cli, const cJSON *list, int code) {
    const cJSON *node;
    struct oc_error ignored;
    if (code != EXIT_NOT_FOUND || cli->args.had_separator || cli->args.rest.count < 2 ||
            cli_node_resolve(oc_json_get(list, "nodes"), cli->args.rest.items[0], &node,
                    &ignored) != OC_OK) {
        return;
    }
    OC_AUTO_FREE char *line = oc_paste("openclaw nodes run <its id> -- <program>",
            "openclaw nodes run %s -- <program>", cli->args.rest.items[0]);
    cli_note("there is a node of that name; to run a program on it: %s", line);
}

static int nodes_run_run(struct cli_cli *cli) {
    struct oc_error err;
    int code = cli->args.before_separator == 1 ? cli_node_word(cli, 0, 0) : CLI_EXIT_OK;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    bool has_raw = !oc_str_blank(cli_args_text(&cli->args, "raw"));
    if (has_raw == (cli->args.rest.count > 0)) {
        return cli_usage(cli, "say what to run: -- <program> [args…], or --raw <shell command>");
    }
    if (cli_args_has(&cli->args, "stdin") &&
            (cli_args_has(&cli->args, "no-stdin") || cli_args_has(&cli->args, "background"))) {
        return cli_usage(cli, "--stdin goes with neither --no-stdin nor --background");
    }
    OC_AUTO_JSON cJSON *list = NULL, *env = NULL;
    const cJSON *node;
    if (!parse_env(cli, &env)) {
        return cli_usage(cli, "--env must be NAME=value");
    }
    if (cli_find_node(cli, &list, &node, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    code = run_on(cli, node, oc_take(&env));
    note_node_as_program(cli, list, code);
    return code;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "cwd", 0, CLI_OPT_TEXT, "dir", "directory on the node to run in" },
    { "env", 0, CLI_OPT_TEXT, "NAME=value", "environment for the program; repeatable",
            .flags = CLI_OPT_REPEATS },
    { "raw", 0, CLI_OPT_TEXT, "command", "a shell command line instead of -- <program>" },
    { "agent", 0, CLI_OPT_TEXT, "id", "agent whose exec approvals apply" },
    { "command-timeout", 0, CLI_OPT_DURATION, "ms", "kill the program after this long" },
    { "invoke-timeout", 0, CLI_OPT_DURATION, "ms",
            "wait this long for the node (a day, or a little more than --command-timeout)" },
    { "reconnect", 0, CLI_OPT_DURATION, "ms",
            "when the gateway goes away, ask for the result for so long (60000; 0: do not)" },
    { "stdin", 'i', CLI_OPT_FLAG, NULL,
            "pass on standard input, also from a terminal (otherwise when it is none)" },
    { "no-stdin", 0, CLI_OPT_FLAG, NULL, "the program gets a closed standard input" },
    { "background", 0, CLI_OPT_FLAG, NULL, "print a handle and go on; see nodes runs" },
    { "tty", 't', CLI_OPT_FLAG, NULL,
            "give the program a terminal; the keyboard goes there, Ctrl-] ends it" },
    { 0 },
};

const struct cli_command cli_command_nodes_run = {
    .path = "nodes run",
    .summary = "Run a program on a node",
    .operands = "[node] -- <program> [args…]",
    .details =
            "Its output appears here as it comes and its exit code becomes ours: 124 when it timed "
            "out, 126 or 127\n"
            "when it could not be started, 128+n when signal n ended it. Ctrl-C ends it and all it "
            "started on the\n"
            "node; a second Ctrl-C does not wait for that. With --json the output comes at the "
            "end.\n"
            "One word right in front of -- is the node, which may be left out when only one is "
            "connected; without --\nall words are the program and its arguments.\n"
            "Nodes pass only a few --env names (TERM, LANG, LC_*, …) on to shell commands. A node "
            "that wants an approval first is "
            "waited for;\n"
            "Ctrl-C then takes the request back, and nothing runs.\n"
            "What is piped into us goes to the program, as with ssh; in a loop that reads a file "
            "itself use --no-stdin.\n"
            "When the gateway goes away meanwhile, the run is asked for again once it is back; it "
            "never starts twice.",
    .examples = "openclaw nodes run -- uname -a\n"
                "openclaw nodes run workshop -- df -h\n"
                "openclaw nodes run --tty workshop -- bash\n"
                "echo hello | openclaw nodes run -- cat",
    .options = options,
    .calls_gateway = true,
    .stops_at_word = true,
    .timeout_ms = 35000,
    .max_operands = (size_t)-1,
    .run = nodes_run_run,
};
