/* openclaw nodes canvas …: draw on the canvas of a node, and see what is on it (docs/CANVAS.md).
 * What is wrong with the words or with the messages is said before anybody is asked. */
#include "cli/run/capture.h"

#include "cli/canvas/a2ui_jsonl.h"
#include "cli/canvas/canvas_watch.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/foreign_errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SNAPSHOT_INVOKE_MS 20000
#define INVOKE_MS 30000
#define MAX_JSONL ((size_t)16 * 1024 * 1024)

struct canvas_job {
    const char *command; /* on the wire */
    cJSON *params;       /* NULL: none */
    char *done;          /* what is printed afterwards */
    int code;            /* of a mistake in the words */
};

struct verb {
    const char *name, *command; /* command NULL: what it asks for is asked of the gateway */
    size_t operands;            /* that may follow it */
    bool (*prepare)(struct cli_cli *cli, const char *operand, struct canvas_job *job);
    int (*show)(struct cli_cli *cli, const struct canvas_job *job, const struct cli_captured *r);
};

static int nodes_canvas_fail(struct cli_cli *cli, struct oc_error *err) {
    if (!cli->is_json && !oc_foreign_is_marked(err->text)) { /* a node may have said it */
        oc_error_prefix(err, "Error");
    }
    return cli_fail(cli, err);
}

/* Longer than an error can be. */
static int fail_text(struct cli_cli *cli, const char *text) {
    if (cli->is_json || strlen(text) < 300) {
        struct oc_error err;
        (void)oc_fail(&err, OC_E_INVALID, "%s", text);
        return nodes_canvas_fail(cli, &err);
    }
    cli_note("%s failed: Error: %s", cli->command->path, text);
    return CLI_EXIT_FAILED;
}

/* In the reference's words; but wrong usage is 2 here, as everywhere. */
static bool nodes_canvas_misuse(struct cli_cli *cli, struct canvas_job *job, const char *text) {
    (void)fail_text(cli, text);
    job->code = CLI_EXIT_USAGE;
    return false;
}

static bool prepare_present(struct cli_cli *cli, const char *operand, struct canvas_job *job) {
    static const char *const sides[] = { "x", "y", "width", "height" };
    (void)operand;
    job->params = cJSON_CreateObject();
    oc_json_set_str(job->params, "url", cli_args_text(&cli->args, "target"));
    cJSON *placement = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(sides); i++) {
        const char *text = cli_args_text(&cli->args, sides[i]);
        char *end = NULL;
        double value = text ? strtod(text, &end) : NAN;
        if (text && end != text && isfinite(value)) {
            cJSON_AddNumberToObject(placement, sides[i], value);
        } else if (text) {
            job->code = cli_usage(cli, "--%s takes a number", sides[i]);
            cJSON_Delete(placement);
            return false;
        }
    }
    if (placement->child) {
        oc_json_set(job->params, "placement", placement);
    } else {
        cJSON_Delete(placement);
    }
    return true;
}

static bool prepare_navigate(struct cli_cli *cli, const char *operand, struct canvas_job *job) {
    if (!operand) {
        job->code = cli_usage(cli, "where to? openclaw nodes canvas navigate <url>");
        return false;
    }
    job->params = cli_params_str("url", operand);
    return true;
}

static bool prepare_eval(struct cli_cli *cli, const char *operand, struct canvas_job *job) {
    const char *given = cli_args_text(&cli->args, "js"), *script = given ? given : operand;
    if (oc_str_blank(script)) {
        return nodes_canvas_misuse(cli, job, "missing --js or <js>");
    }
    job->params = cli_params_str("javaScript", script);
    return true;
}

/* A file's name says what it is, unless --format does. */
static bool prepare_snapshot(struct cli_cli *cli, const char *operand, struct canvas_job *job) {
    static const char *const made[] = { "png", "jpg", "jpeg", NULL };
    const char *format = cli_args_text(&cli->args, "format"),
               *max = cli_args_text(&cli->args, "max-width"),
               *quality = cli_args_text(&cli->args, "quality");
    bool is_png = oc_streq(format ? format : cli_capture_out_format(cli, made), "png");
    int64_t width;
    char *end = NULL;
    (void)operand;
    if (format && !is_png && !oc_streq(format, "jpg") && !oc_streq(format, "jpeg")) {
        OC_AUTO_FREE char *text = oc_strfmt("invalid format: %s (expected png|jpg|jpeg)", format);
        return nodes_canvas_misuse(cli, job, text);
    }
    job->code = format ? CLI_EXIT_OK : cli_capture_check_args(cli, made, 0, 0);
    if (job->code != CLI_EXIT_OK) {
        return false;
    }
    job->params = cli_params_str("format", is_png ? "png" : "jpeg");
    if (max && !oc_parse_int(max, 1, 1 << 20, &width)) {
        return nodes_canvas_misuse(cli, job, "--max-width must be a positive integer.");
    }
    if (max) {
        oc_json_set_int(job->params, "maxWidth", width);
    }
    double value = quality ? strtod(quality, &end) : 0;
    if (quality && (end == quality || *end || !(value >= 0 && value <= 1))) {
        return nodes_canvas_misuse(cli, job, "--quality must be between 0 and 1.");
    }
    if (quality) {
        cJSON_AddNumberToObject(job->params, "quality", value);
    }
    return true;
}

static enum oc_code read_jsonl(const char *path, struct oc_buf *ret, struct oc_error *err) {
    if (strcmp(path, "-") == 0) {
        *ret = OC_BUF_INIT(MAX_JSONL);
        return oc_buf_read_fd(ret, 0, err);
    }
    OC_AUTO_FREE char *real = oc_path_user(path);
    return oc_file_read(real, MAX_JSONL, ret, err);
}

static bool prepare_push(struct cli_cli *cli, const char *operand, struct canvas_job *job) {
    const char *path = cli_args_text(&cli->args, "jsonl"),
               *text = cli_args_text(&cli->args, "text");
    OC_AUTO_BUF struct oc_buf jsonl = { 0 };
    OC_AUTO_FREE char *made = text ? cli_a2ui_jsonl_of_text(text) : NULL, *why = NULL;
    struct oc_error err;
    size_t count = 0;
    (void)operand;
    if (!path == !text) {
        return nodes_canvas_misuse(cli, job, "provide exactly one of --jsonl or --text");
    }
    if (path && read_jsonl(path, &jsonl, &err) != OC_OK) {
        (void)nodes_canvas_fail(cli, &err);
        return false;
    }
    const char *all = made ? made : jsonl.data ? jsonl.data : "";
    size_t len = made ? strlen(made) : jsonl.len;
    if (cli_a2ui_jsonl_check(all, len, &count, &why) != OC_OK) {
        (void)fail_text(cli, why);
        return false;
    }
    if (strlen(all) != len) {
        (void)fail_text(cli, "Invalid A2UI JSONL:\n- a NUL byte does not belong there");
        return false;
    }
    OC_AUTO_FREE char *lines = cli_a2ui_jsonl_of(all, len);
    job->params = cli_params_str("jsonl", lines);
    job->done =
            oc_strfmt("canvas a2ui push ok (v0.8, %zu message%s)", count, count == 1 ? "" : "s");
    return true;
}

static int show_reply(
        struct cli_cli *cli, const struct canvas_job *job, const struct cli_captured *r) {
    if (cli->is_json) {
        cli_out_json_text(r->reply.payload);
    } else {
        cli_out_line("%s", job->done);
    }
    return CLI_EXIT_OK;
}

/* A page's words could tell a terminal what to do; lines and tabs stay. A pipe gets every byte. */
static void print_result(const char *text) {
    if (!isatty(STDOUT_FILENO)) {
        cli_out_line("%s", text);
        return;
    }
    OC_AUTO_BUF struct oc_buf shown = OC_BUF_INIT(SIZE_MAX);
    while (*text) {
        size_t n = strcspn(text, "\n\t");
        OC_AUTO_FREE char *part = oc_printable(text, n, SIZE_MAX);
        (void)oc_buf_puts(&shown, part);
        if (text[n]) {
            (void)oc_buf_putc(&shown, text[n++]);
        }
        text += n;
    }
    cli_out_line("%s", shown.data ? shown.data : "");
}

static int show_eval(
        struct cli_cli *cli, const struct canvas_job *job, const struct cli_captured *r) {
    const char *result = oc_json_get_str(r->fields, "result");
    if (cli->is_json || oc_str_blank(result)) {
        return show_reply(cli, job, r);
    }
    print_result(result);
    return CLI_EXIT_OK;
}

static int show_snapshot(
        struct cli_cli *cli, const struct canvas_job *job, const struct cli_captured *r) {
    static const char *const formats[] = { "png", "jpeg", "jpg", NULL };
    struct cli_saved saved = { 0 };
    struct oc_error err;
    if (cli_capture_save(cli, job->command, r, "openclaw-canvas-snapshot", formats, &saved, &err) !=
            OC_OK) {
        return nodes_canvas_fail(cli, &err);
    }
    if (!cli->is_json) {
        cli_capture_print(&saved, r->fields);
        oc_free(saved.path);
        return CLI_EXIT_OK;
    }
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    cJSON *file = cJSON_AddObjectToObject(doc, "file");
    oc_json_set_str(file, "path", saved.path);
    oc_free(saved.path);
    oc_json_set_str(file, "format", oc_json_get_str(r->fields, "format"));
    cli_out_json(doc);
    return CLI_EXIT_OK;
}

static const struct verb verbs[] = {
    { "present", "canvas.present", 0, prepare_present, show_reply },
    { "hide", "canvas.hide", 0, NULL, show_reply },
    { "navigate", "canvas.navigate", 1, prepare_navigate, show_reply },
    { "eval", "canvas.eval", 1, prepare_eval, show_eval },
    { "snapshot", "canvas.snapshot", 0, prepare_snapshot, show_snapshot },
    { "a2ui push", "canvas.a2ui.pushJSONL", 0, prepare_push, show_reply },
    { "a2ui reset", "canvas.a2ui.reset", 0, NULL, show_reply },
    { "watch", NULL, 0, NULL, NULL },
};

static const struct verb *find_verb(const struct oc_strv *words, size_t *ret_used) {
    bool is_a2ui = strcmp(words->items[0], "a2ui") == 0;
    OC_AUTO_FREE char *name = is_a2ui && words->count > 1 ? oc_strfmt("a2ui %s", words->items[1])
                                                          : oc_strdup(words->items[0]);
    *ret_used = is_a2ui ? 2 : 1;
    for (size_t i = 0; i < OC_COUNT(verbs); i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

static int nodes_canvas_invoke(struct cli_cli *cli, const struct verb *v, struct canvas_job *job) {
    struct cli_capture c;
    struct cli_captured r = { 0 };
    struct oc_error err;
    bool is_snapshot = v->show == show_snapshot;
    enum oc_code rc =
            cli_capture_begin(&c, cli, is_snapshot ? SNAPSHOT_INVOKE_MS : INVOKE_MS, &err);
    rc = rc == OC_OK ? cli_capture_ask(&c, v->command, oc_take(&job->params), "", 0, &r, &err) : rc;
    int code;
    if (rc == OC_OK) {
        code = v->show(cli, job, &r);
    } else {
        code = nodes_canvas_fail(cli, &err);
        code = c.node && c.live.signo ? 128 + c.live.signo : code;
    }
    cli_captured_finish(&r);
    cli_capture_end(&c);
    return code;
}

static int run_verb(struct cli_cli *cli, const struct verb *v, const char *operand) {
    struct canvas_job job = { .command = v->command, .code = CLI_EXIT_FAILED };
    bool ready = !v->prepare || v->prepare(cli, operand, &job);
    if (ready && !job.done) {
        job.done = oc_strfmt("canvas %s ok", v->name);
    }
    int code = ready ? nodes_canvas_invoke(cli, v, &job) : job.code;
    cJSON_Delete(job.params);
    oc_free(job.done);
    return code;
}

static int nodes_canvas_run(struct cli_cli *cli) {
    const struct oc_strv *words = &cli->args.rest;
    size_t used;
    const struct verb *v = find_verb(words, &used);
    if (!v) {
        bool is_a2ui = strcmp(words->items[0], "a2ui") == 0;
        return cli_usage(cli,
                "'%s%s%s' is none of these; say what to do: present, hide, navigate <url>, "
                "eval <js>, snapshot, a2ui push, a2ui reset or watch",
                words->items[0], is_a2ui && words->count > 1 ? " " : "",
                is_a2ui && words->count > 1 ? words->items[1] : "");
    }
    const char *wrong = cli_misplaced(cli, v->name);
    if (wrong) {
        return cli_usage(cli, "--%s does not go with %s", wrong, v->name);
    }
    size_t own = cli_args_has(&cli->args, "js") ? 0 : v->operands;
    int code = cli_node_word(cli, used, own);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (words->count > used + v->operands) {
        return cli_usage(cli, "'%s' is too much", words->items[used + v->operands]);
    }
    /* Errors name the whole of it, as the reference's do. */
    OC_AUTO_FREE char *path = oc_strfmt("nodes canvas %s", v->name);
    struct cli_command named = *cli->command;
    const struct cli_command *before = cli->command;
    named.path = path;
    cli->command = &named;
    code = v->command ? run_verb(cli, v, words->count > used ? words->items[used] : NULL)
                      : cli_canvas_watch(cli);
    cli->command = before;
    return code;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "target", 0, CLI_OPT_TEXT, "url|path", "the page to show (the A2UI surfaces unless given)",
            .actions = "present" },
    { "x", 0, CLI_OPT_TEXT, "px", "where the window goes", .actions = "present" },
    { "y", 0, CLI_OPT_TEXT, "px", "where the window goes", .actions = "present" },
    { "width", 0, CLI_OPT_TEXT, "px", "how wide it is", .actions = "present" },
    { "height", 0, CLI_OPT_TEXT, "px", "how high it is", .actions = "present" },
    { "js", 0, CLI_OPT_TEXT, "code", "the script", .actions = "eval" },
    { "format", 0, CLI_OPT_TEXT, "format", "png or jpg (as --out ends, else jpg)",
            .actions = "snapshot" },
    { "max-width", 0, CLI_OPT_TEXT, "px", "not wider than this", .actions = "snapshot" },
    { "quality", 0, CLI_OPT_TEXT, "0-1", "of a JPEG", .actions = "snapshot" },
    { "out", 'o', CLI_OPT_PATH, "file", "where to put it (a new file in /tmp/openclaw)",
            .actions = "snapshot" },
    { "jsonl", 0, CLI_OPT_PATH, "file",
            "the messages: one a line, or JSON of many lines (- is stdin)",
            .actions = "a2ui push" },
    { "text", 0, CLI_OPT_TEXT, "text", "only this text", .actions = "a2ui push" },
    { "read-only", 0, CLI_OPT_FLAG, NULL, "who has the address can only look", .actions = "watch" },
    { "qr", 0, CLI_OPT_FLAG, NULL, "draw the address for a phone, too", .actions = "watch" },
    { "end", 0, CLI_OPT_FLAG, NULL, "no new address: all that there are of this node end",
            .actions = "watch" },
    CLI_INVOKE_TIMEOUT_OPTION("30000, 20000 for snapshot,"),
    { 0 },
};

static const struct cli_action actions[] = {
    { "present", "Show the canvas of a node, or a page on it", "[node]" },
    { "hide", "Take the canvas of a node off the screen", "[node]" },
    { "navigate", "Show a page on the canvas of a node", "[node] <url>" },
    { "eval", "Run a script in the page on the canvas of a node", "[node] <js>" },
    { "snapshot", "Take a picture of the canvas of a node", "[node]" },
    { "a2ui push", "Draw A2UI messages on the canvas of a node", "[node]" },
    { "a2ui reset", "Clear what A2UI messages have drawn", "[node]" },
    { "watch", "Show the canvas of a node live in a browser", "[node]" },
    { 0 },
};

const struct cli_command cli_command_nodes_canvas = {
    .path = "nodes canvas",
    .summary = "Draw on the canvas of a node, and see what is on it",
    .operands = "present|hide|navigate|eval|snapshot|a2ui push|a2ui reset|watch [node] [url|js]",
    .details = "a2ui push takes A2UI v0.8 messages; what is wrong with them is said, line by line, "
               "before anything\nis sent. snapshot says where the file is; into a pipe as "
               "MEDIA:<path>. Try messages "
               "without a node: openclaw canvas render.\n"
               "watch prints an address where a browser shows the canvas live, presses and types "
               "there.\n"
               "The node's owner must have switched it on there: openclaw node enable canvas.",
    .examples = "openclaw nodes canvas present workshop\n"
                "openclaw nodes canvas a2ui push workshop --jsonl form.jsonl\n"
                "openclaw nodes canvas navigate workshop https://example.org\n"
                "openclaw nodes canvas watch --qr",
    .options = options,
    .actions = actions,
    .calls_gateway = true,
    .timeout_ms = 60000,
    .min_operands = 1,
    .max_operands = 4,
    .run = nodes_canvas_run,
};
