/* openclaw nodes screen record|snapshot: what is on a node's screen, as a file here. */
#include "cli/run/capture.h"

#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"

#include <string.h>

#define RECORD_INVOKE_MS 120000
#define SNAPSHOT_INVOKE_MS 20000

static const char *const films[] = { "mp4", "webm", NULL };
static const char *const pictures[] = { "png", "jpg", "jpeg", NULL };

struct screen_job {
    const char *command, *stem;
    const char *const *formats;
    const char *const *echoed; /* fields of the answer that --json shows */
    int64_t invoke_ms, shown_ms;
};

static bool record_params(struct cli_cli *cli, cJSON *params, struct screen_job *job) {
    static const char *const echoed[] = { "durationMs", "fps", "screenIndex", "hasAudio", "clamped",
        NULL };
    *job = (struct screen_job){ .command = "screen.record",
        .stem = "openclaw-screen-record",
        .formats = films,
        .echoed = echoed,
        .invoke_ms = RECORD_INVOKE_MS,
        .shown_ms = cli_args_int(&cli->args, "duration", OC_RECORD_MS) };
    oc_json_set_int(params, "durationMs", job->shown_ms);
    oc_json_set_int(params, "screenIndex", cli_args_int(&cli->args, "screen", 0));
    if (!cli_args_has(&cli->args, "fps")) {
        oc_json_set_int(params, "fps", OC_RECORD_FPS);
    }
    oc_json_set_str(params, "format", "mp4");
    oc_json_set_bool(params, "includeAudio", !cli_args_has(&cli->args, "no-audio"));
    return cli_capture_number(cli, "fps", 1, OC_RECORD_MAX_FPS, params, "fps");
}

static bool snapshot_params(struct cli_cli *cli, cJSON *params, struct screen_job *job) {
    static const char *const echoed[] = { "format", "width", "height", "screenIndex", "clamped",
        NULL };
    *job = (struct screen_job){ .command = "screen.snapshot",
        .stem = "openclaw-screen-snapshot",
        .formats = pictures,
        .echoed = echoed,
        .invoke_ms = SNAPSHOT_INVOKE_MS };
    oc_json_set_int(params, "screenIndex", cli_args_int(&cli->args, "screen", 0));
    if (cli_args_has(&cli->args, "max-width")) {
        oc_json_set_int(params, "maxWidth", cli_args_int(&cli->args, "max-width", 0));
    }
    const char *format = cli_args_text(&cli->args, "format");
    oc_json_set_str(params, "format", format ? format : cli_capture_out_format(cli, pictures));
    return cli_capture_number(cli, "quality", 0, 1, params, "quality");
}

static void nodes_screen_show(const struct cli_cli *cli, const struct screen_job *job,
        const cJSON *fields, const struct cli_saved *saved) {
    if (!cli->is_json) {
        cli_capture_print(saved, fields);
        return;
    }
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    cJSON *file = cJSON_AddObjectToObject(doc, "file");
    oc_json_set_str(file, "path", saved->path);
    for (size_t i = 0; job->echoed[i]; i++) {
        const cJSON *value = oc_json_get(fields, job->echoed[i]);
        oc_json_set(file, job->echoed[i], value ? cJSON_Duplicate(value, true) : NULL);
    }
    cli_out_json(doc);
}

static int nodes_screen_capture(
        struct cli_cli *cli, const struct screen_job *job, cJSON *take_params) {
    OC_AUTO_JSON cJSON *params = take_params;
    struct cli_saved saved = { 0 };
    struct oc_error err;
    struct cli_capture c;
    struct cli_captured r = { 0 };
    enum oc_code rc = cli_capture_begin(&c, cli, job->invoke_ms, &err);
    rc = rc == OC_OK ? cli_capture_check_out(cli, &err) : rc;
    if (rc == OC_OK) {
        rc = cli_capture_ask(&c, job->command, oc_take(&params), "Recording the screen",
                job->shown_ms, &r, &err);
    }
    rc = rc == OC_OK
                 ? cli_capture_save(cli, job->command, &r, job->stem, job->formats, &saved, &err)
                 : rc;
    int code = rc == OC_OK ? CLI_EXIT_OK : cli_capture_fail(&c, &err);
    if (rc == OC_OK) {
        nodes_screen_show(cli, job, r.fields, &saved);
    }
    oc_free(saved.path);
    cli_captured_finish(&r);
    cli_capture_end(&c);
    return code;
}

static int nodes_screen_run(struct cli_cli *cli) {
    const char *verb = cli->args.rest.items[0];
    bool is_record = strcmp(verb, "record") == 0;
    if (!is_record && strcmp(verb, "snapshot") != 0) {
        return cli_usage(cli, "say what to do: record or snapshot");
    }
    const char *wrong = cli_misplaced(cli, verb);
    if (wrong) {
        return cli_usage(cli, "--%s does not go with %s", wrong, verb);
    }
    int code = cli_node_word(cli, 1, 0);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    struct screen_job job;
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    bool ok = is_record ? record_params(cli, params, &job) : snapshot_params(cli, params, &job);
    code = CLI_EXIT_USAGE;
    if (ok) {
        static const char *const made[] = { "mp4", NULL };
        code = cli_capture_check_args(cli, is_record ? made : pictures, job.shown_ms,
                cli_args_int(&cli->args, "invoke-timeout", job.invoke_ms));
    }
    return code != CLI_EXIT_OK ? code : nodes_screen_capture(cli, &job, oc_take(&params));
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "screen", 0, CLI_OPT_INT, "index", "which screen (0 is the first)", .min = 0, .max = 63 },
    { "duration", 0, CLI_OPT_DURATION, "ms|10s",
            "how long, 250 ms to 1 minute (10000 unless given)", .min = OC_FILM_MIN_MS,
            .max = OC_FILM_MAX_MS, .actions = "record" },
    { "fps", 0, CLI_OPT_TEXT, "fps", "pictures per second, 1 to 60 (10 unless given)",
            .actions = "record" },
    { "no-audio", 0, CLI_OPT_FLAG, NULL, "without sound", .actions = "record" },
    { "max-width", 0, CLI_OPT_INT, "px", "not wider than this, up to 16384 (as it is unless given)",
            .min = 1, .max = OC_PICTURE_MAX_WIDTH, .actions = "snapshot" },
    { "quality", 0, CLI_OPT_TEXT, "0-1", "of a JPEG, 0.05 to 1 (0.9 unless given)",
            .actions = "snapshot" },
    { "format", 0, CLI_OPT_CHOICE, "format", "png or jpg (as --out ends, else jpg)",
            .choices = "png|jpg|jpeg", .actions = "snapshot" },
    { "out", 'o', CLI_OPT_PATH, "file",
            "where to put it: .mp4, or .jpg or .png for snapshot, - for stdout (a new file in "
            "/tmp/openclaw)" },
    CLI_INVOKE_TIMEOUT_OPTION("120000 for record, 20000 for snapshot,"),
    { 0 },
};

static const struct cli_action actions[] = {
    { "record", "Record a film of a screen of a node", "[node]" },
    { "snapshot", "Take a picture of a screen of a node", "[node]" },
    { 0 },
};

const struct cli_command cli_command_nodes_screen = {
    .path = "nodes screen",
    .summary = "Record or photograph the screen of a node",
    .operands = "record|snapshot [node]",
    .details = "Says where the file is; into a pipe as MEDIA:<path>. Ctrl-C ends a recording on "
               "the node, too; nothing is "
               "kept then.\n"
               "The node's owner must have switched it on there: openclaw node enable screen.",
    .examples = "openclaw nodes screen snapshot workshop --out desk.png\n"
                "openclaw nodes screen record --duration 10s",
    .options = options,
    .actions = actions,
    .calls_gateway = true,
    .timeout_ms = 180000,
    .min_operands = 1,
    .max_operands = 2,
    .run = nodes_screen_run,
};
