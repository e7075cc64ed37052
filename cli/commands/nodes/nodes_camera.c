/* openclaw nodes camera list|snap|clip: the cameras of a node, and what they see as files here. */
#include "cli/run/capture.h"

#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/helper/capture_params.h"

#include <string.h>

#define LIST_INVOKE_MS 30000
#define SNAP_INVOKE_MS 20000
#define CLIP_INVOKE_MS 90000
#define NO_FACING "unknown" /* in file names */

static const char *const pictures[] = { "jpg", "jpeg", "png", NULL };
static const char *const films[] = { "mp4", "mov", "webm", NULL };

static void print_cameras(const cJSON *devices) {
    static const struct cli_column columns[] = {
        { "Name", CLI_COLUMN_TEXT, 0 },
        { "Position", CLI_COLUMN_FIXED, 1 },
        { "ID", CLI_COLUMN_WHOLE, 0 },
    };
    if (!cJSON_IsArray(devices) || !devices->child) {
        cli_out_line("No cameras reported.");
        return;
    }
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    const cJSON *d;
    cJSON_ArrayForEach(d, devices) {
        OC_AUTO_FREE char *name = cli_shown(oc_json_get_str(d, "name"));
        OC_AUTO_FREE char *position = cli_shown(oc_json_get_str(d, "position"));
        OC_AUTO_FREE char *id = cli_shown(oc_json_get_str(d, "id"));
        cli_table_add(t, *name ? name : "Unknown Camera");
        cli_table_add_styled(t, *position ? position : "unspecified",
                *position ? CLI_STYLE_PLAIN : CLI_STYLE_DIM);
        cli_table_add(t, id);
    }
    cli_out_heading("Cameras");
    cli_out_table(t);
}

static enum oc_code nodes_camera_list(struct cli_capture *c, struct oc_error *err) {
    struct cli_captured r;
    enum oc_code rc = cli_capture_ask(c, "camera.list", cJSON_CreateObject(), NULL, 0, &r, err);
    if (rc != OC_OK) {
        return rc;
    }
    const cJSON *devices = oc_json_get(r.fields, "devices");
    if (!c->cli->is_json) {
        print_cameras(devices);
    } else if (cJSON_IsArray(devices)) {
        cli_out_json(devices);
    } else {
        OC_AUTO_JSON cJSON *none = cJSON_CreateArray();
        cli_out_json(none);
    }
    cli_captured_finish(&r);
    return OC_OK;
}

static void copy_fields(cJSON *to, const cJSON *from, const char *const *keys) {
    for (size_t i = 0; keys[i]; i++) {
        const cJSON *value = oc_json_get(from, keys[i]);
        oc_json_set(to, keys[i], value ? cJSON_Duplicate(value, true) : NULL);
    }
}

static char *stem_of(const char *kind, const char *facing) {
    return oc_strfmt("openclaw-camera-%s-%s", kind, facing ? facing : NO_FACING);
}

/* null: a camera was named, and nobody asked which way it looks. */
static void set_facing(cJSON *file, const char *facing) {
    oc_json_set(file, "facing", facing ? cJSON_CreateString(facing) : cJSON_CreateNull());
}

/* One picture; its entry is added to files. */
static enum oc_code snap_one(struct cli_capture *c, const cJSON *params, const char *facing,
        cJSON *files, struct oc_error *err) {
    static const char *const echoed[] = { "width", "height", "bothSides", "clamped", NULL };
    struct cli_captured r;
    struct cli_saved saved = { 0 };
    OC_AUTO_FREE char *stem = stem_of("snap", facing);
    cJSON *own = cJSON_Duplicate(params, true);
    oc_json_set_str(own, "facing", facing);
    enum oc_code rc = cli_capture_ask(c, "camera.snap", own, NULL, 0, &r, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (!cJSON_IsNumber(oc_json_get(r.fields, "width")) ||
            !cJSON_IsNumber(oc_json_get(r.fields, "height"))) {
        rc = oc_fail(err, OC_E_INVALID, "invalid camera.snap payload");
    }
    rc = rc == OC_OK ? cli_capture_save(c->cli, "camera.snap", &r, stem, pictures, &saved, err)
                     : rc;
    if (rc == OC_OK) {
        cJSON *file = cJSON_CreateObject();
        set_facing(file, facing);
        oc_json_set_str(file, "path", saved.path);
        copy_fields(file, r.fields, echoed);
        cJSON_AddItemToArray(files, file);
    }
    /* What was taken stays when a later one fails, so it is named at once. */
    if (rc == OC_OK && !c->cli->is_json) {
        cli_capture_print(&saved, r.fields);
    }
    oc_free(saved.path);
    cli_captured_finish(&r);
    return rc;
}

/* The camera of the first picture stands in for the other side, too. */
static bool is_both_sides(const cJSON *files) {
    return oc_json_get_bool(files->child, "bothSides", false);
}

/* Unless one is named both are photographed, as the reference does; a file or a camera that is
 * named is one. A camera that is all there is for both sides is asked once. */
static enum oc_code nodes_camera_snap(
        struct cli_capture *c, const cJSON *params, struct oc_error *err) {
    const struct cli_args *args = &c->cli->args;
    const char *facing = cli_args_text(args, "facing");
    bool is_one = cli_args_has(args, "device-id") || cli_args_has(args, "out");
    bool is_both = facing ? strcmp(facing, "both") == 0 : !is_one;
    OC_AUTO_JSON cJSON *files = cJSON_CreateArray();
    enum oc_code rc = snap_one(c, params, is_both ? "front" : facing, files, err);
    if (rc == OC_OK && is_both && is_both_sides(files)) {
        cli_note("note: this node has one camera for both sides: one picture");
    } else if (rc == OC_OK && is_both) {
        rc = snap_one(c, params, "back", files, err);
    }
    if (rc == OC_OK && c->cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set(doc, "files", oc_take(&files));
        cli_out_json(doc);
    }
    return rc;
}

static enum oc_code nodes_camera_clip(
        struct cli_capture *c, cJSON *take_params, int64_t duration_ms, struct oc_error *err) {
    static const char *const echoed[] = { "durationMs", "hasAudio", "clamped", "note", NULL };
    const char *facing = cli_args_text(&c->cli->args, "facing");
    if (!facing && !cli_args_has(&c->cli->args, "device-id")) {
        facing = "front";
    }
    struct cli_captured r;
    struct cli_saved saved = { 0 };
    OC_AUTO_FREE char *stem = stem_of("clip", facing);
    oc_json_set_str(take_params, "facing", facing);
    enum oc_code rc = cli_capture_ask(
            c, "camera.clip", take_params, "Recording a clip", duration_ms, &r, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = cli_capture_save(c->cli, "camera.clip", &r, stem, films, &saved, err);
    if (rc == OC_OK && c->cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        cJSON *file = cJSON_AddObjectToObject(doc, "file");
        set_facing(file, facing);
        oc_json_set_str(file, "path", saved.path);
        copy_fields(file, r.fields, echoed);
        cli_out_json(doc);
    } else if (rc == OC_OK) {
        cli_capture_print(&saved, r.fields);
    }
    oc_free(saved.path);
    cli_captured_finish(&r);
    return rc;
}

static bool snap_params(const struct cli_cli *cli, cJSON *params) {
    const char *format = cli_capture_out_format(cli, pictures);
    oc_json_set_str(params, "format", oc_streq(format, "png") ? format : "jpg");
    if (cli_args_has(&cli->args, "max-width")) {
        oc_json_set_int(params, "maxWidth", cli_args_int(&cli->args, "max-width", 0));
    }
    if (cli_args_has(&cli->args, "delay-ms")) {
        oc_json_set_int(params, "delayMs", cli_args_int(&cli->args, "delay-ms", 0));
    }
    return cli_capture_number(cli, "quality", 0, 1, params, "quality");
}

static int nodes_camera_check(const struct cli_cli *cli, const char *verb) {
    bool is_both = oc_streq(cli_args_text(&cli->args, "facing"), "both");
    const char *wrong = cli_misplaced(cli, verb);
    if (wrong) {
        return cli_usage(cli, "--%s does not go with %s", wrong, verb);
    }
    if (is_both && strcmp(verb, "clip") == 0) {
        return cli_usage(cli, "a clip shows one side: --facing front or --facing back");
    }
    if (is_both && (cli_args_has(&cli->args, "out") || cli_args_has(&cli->args, "device-id"))) {
        return cli_usage(cli, "--facing both makes two pictures: leave out --out and --device-id");
    }
    static const char *const made_films[] = { "mp4", NULL };
    bool is_clip = strcmp(verb, "clip") == 0;
    return cli_capture_check_args(cli, is_clip ? made_films : pictures,
            is_clip ? cli_args_int(&cli->args, "duration", OC_CLIP_MS) : 0,
            cli_args_int(&cli->args, "invoke-timeout", CLIP_INVOKE_MS));
}

static enum oc_code run_verb(struct cli_cli *cli, const char *verb, cJSON *take_params,
        struct cli_capture *c, struct oc_error *err) {
    OC_AUTO_JSON cJSON *params = take_params;
    int64_t duration_ms = cli_args_int(&cli->args, "duration", OC_CLIP_MS);
    bool is_list = strcmp(verb, "list") == 0, is_snap = strcmp(verb, "snap") == 0;
    enum oc_code rc = cli_capture_begin(c, cli,
            is_list   ? LIST_INVOKE_MS
            : is_snap ? SNAP_INVOKE_MS
                      : CLIP_INVOKE_MS,
            err);
    if (rc != OC_OK || is_list) {
        return rc != OC_OK ? rc : nodes_camera_list(c, err);
    }
    rc = cli_capture_check_out(cli, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc_json_set_str(params, "deviceId", cli_args_text(&cli->args, "device-id"));
    if (is_snap) {
        return nodes_camera_snap(c, params, err);
    }
    oc_json_set_int(params, "durationMs", duration_ms);
    oc_json_set_bool(params, "includeAudio", !cli_args_has(&cli->args, "no-audio"));
    oc_json_set_str(params, "format", "mp4");
    return nodes_camera_clip(c, oc_take(&params), duration_ms, err);
}

static int nodes_camera_run(struct cli_cli *cli) {
    static const char *const verbs[] = { "list", "snap", "clip" };
    const char *verb = cli->args.rest.items[0];
    bool is_known = false;
    for (size_t i = 0; i < OC_COUNT(verbs); i++) {
        is_known = is_known || strcmp(verb, verbs[i]) == 0;
    }
    if (!is_known) {
        return cli_usage(cli, "say what to do: list, snap or clip");
    }
    int code = cli_node_word(cli, 1, 0);
    code = code == CLI_EXIT_OK ? nodes_camera_check(cli, verb) : code;
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    if (code == CLI_EXIT_OK && strcmp(verb, "snap") == 0 && !snap_params(cli, params)) {
        code = CLI_EXIT_USAGE;
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    struct oc_error err;
    struct cli_capture c;
    if (run_verb(cli, verb, oc_take(&params), &c, &err) != OC_OK) {
        code = cli_capture_fail(&c, &err);
    }
    cli_capture_end(&c);
    return code;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "facing", 0, CLI_OPT_CHOICE, "side",
            "which way the camera looks; both is for snap (snap: both, clip: front unless given)",
            .choices = "front|back|both", .actions = "snap|clip" },
    { "device-id", 0, CLI_OPT_TEXT, "id", "this camera, whatever it faces; list shows the ids",
            .actions = "snap|clip" },
    { "max-width", 0, CLI_OPT_INT, "px", "not wider than this, up to 16384 (1600 unless given)",
            .min = 1, .max = OC_PICTURE_MAX_WIDTH, .actions = "snap" },
    { "quality", 0, CLI_OPT_TEXT, "0-1", "of a JPEG, 0.05 to 1 (0.9 unless given)",
            .actions = "snap" },
    { "delay-ms", 0, CLI_OPT_DURATION, "ms",
            "time for the camera to adapt, up to 10 s (2000 unless given)",
            .max = OC_SNAP_MAX_DELAY_MS, .actions = "snap" },
    { "duration", 0, CLI_OPT_DURATION, "ms|10s|1m",
            "how long, 250 ms to 1 minute (3000 unless given)", .min = OC_FILM_MIN_MS,
            .max = OC_FILM_MAX_MS, .actions = "clip" },
    { "no-audio", 0, CLI_OPT_FLAG, NULL, "without sound", .actions = "clip" },
    { "out", 'o', CLI_OPT_PATH, "file",
            "where to put it: .jpg or .png, .mp4 for clip, - for stdout (a new file in "
            "/tmp/openclaw)",
            .actions = "snap|clip" },
    CLI_INVOKE_TIMEOUT_OPTION("30000 for list, 20000 for snap, 90000 for clip,"),
    { 0 },
};

static const struct cli_action actions[] = {
    { "list", "Which cameras a node has", "[node]" },
    { "snap", "Take a picture with a camera of a node", "[node]" },
    { "clip", "Record a short film with a camera of a node", "[node]" },
    { 0 },
};

const struct cli_command cli_command_nodes_camera = {
    .path = "nodes camera",
    .summary = "The cameras of a node: list them, take a picture, record a clip",
    .operands = "list|snap|clip [node]",
    .details = "snap and clip say where each file is; into a pipe as MEDIA:<path>. Ctrl-C ends a "
               "recording on the "
               "node, too; "
               "nothing is kept then.\n"
               "The node's owner must have switched it on there: openclaw node enable camera.",
    .examples = "openclaw nodes camera list workshop\n"
                "openclaw nodes camera snap workshop --out kitchen.jpg\n"
                "openclaw nodes camera clip --duration 5s",
    .options = options,
    .actions = actions,
    .calls_gateway = true,
    .timeout_ms = 90000,
    .min_operands = 1,
    .max_operands = 2,
    .run = nodes_camera_run,
};
