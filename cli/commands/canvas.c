/* openclaw canvas render|check: A2UI messages drawn or looked at here, without a node. */
#include "cli/canvas/canvas_program.h"
#include "cli/command.h"
#include "cli/run/capture.h"

#include "lib/base/mem.h"

#include <string.h>

static void pass_on(const struct cli_cli *cli, const char *name, struct oc_strv *args) {
    OC_AUTO_STRV struct oc_strv values = { 0 };
    OC_AUTO_FREE char *option = oc_strfmt("--%s", name);
    cli_args_list(&cli->args, name, &values);
    for (size_t i = 0; i < values.count; i++) {
        oc_strv_add(args, option);
        oc_strv_add(args, values.items[i]);
    }
}

static int run_program(struct cli_cli *cli, const struct oc_strv *args) {
    struct oc_error err;
    int status = CLI_EXIT_FAILED;
    if (cli_canvas_program_run(args, &status, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return status;
}

/* What can be known to be wrong before the other program runs, which would say so in its own
 * name. */
static int check_render(const struct cli_cli *cli) {
    static const char *const made[] = { "png", "jpg", "jpeg", NULL };
    const char *out = cli_args_text(&cli->args, "out");
    OC_AUTO_JSON cJSON *ignored = cJSON_CreateObject();
    if (!out && !cli_args_has(&cli->args, "dump") && !cli_args_has(&cli->args, "activate")) {
        return cli_usage(cli, "where does the picture go? --out FILE, or --dump "
                              "layout|data|list, or --activate ID");
    }
    if (out && strcmp(out, "-") == 0 &&
            (cli_args_has(&cli->args, "dump") || cli_args_has(&cli->args, "activate"))) {
        return cli_usage(cli, "--out - and --%s would both write to stdout",
                cli_args_has(&cli->args, "dump") ? "dump" : "activate");
    }
    if (!cli_capture_number(cli, "scale", 1, 3, ignored, "scale") ||
            !cli_capture_number(cli, "quality", 0, 1, ignored, "quality")) {
        return CLI_EXIT_USAGE;
    }
    return cli_args_has(&cli->args, "format") ? CLI_EXIT_OK
                                              : cli_capture_check_args(cli, made, 0, 0);
}

static int run_render(struct cli_cli *cli) {
    static const char *const names[] = { "out", "width", "height", "scale", "theme", "format",
        "quality", "dump", "activate" };
    OC_AUTO_STRV struct oc_strv args = { 0 };
    int wrong = check_render(cli);
    if (wrong != CLI_EXIT_OK) {
        return wrong;
    }
    oc_strv_add(&args, "render");
    oc_strv_add(&args, cli->args.rest.items[0]);
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        pass_on(cli, names[i], &args);
    }
    return run_program(cli, &args);
}

static int run_check(struct cli_cli *cli) {
    OC_AUTO_STRV struct oc_strv args = { 0 };
    oc_strv_add(&args, "check");
    oc_strv_add(&args, cli->args.rest.items[0]);
    if (cli->is_json) {
        oc_strv_add(&args, "--json");
    }
    return run_program(cli, &args);
}

static const struct cli_option render_options[] = {
    { "out", 'o', CLI_OPT_PATH, "file", "the picture; .jpg and .jpeg are JPEG, others PNG" },
    { "width", 0, CLI_OPT_INT, "px", "of the page (800 unless given)", .min = 16, .max = 8192 },
    { "height", 0, CLI_OPT_INT, "px", "of the view port (as high as the content unless given)",
            .min = 0, .max = 16384 },
    { "scale", 0, CLI_OPT_TEXT, "1-3", "pixels of the picture for each of the page" },
    { "theme", 0, CLI_OPT_CHOICE, "name",
            "openclaw unless given, as a node draws; a window on a light desktop is default",
            .choices = "openclaw|default|default-dark" },
    { "format", 0, CLI_OPT_CHOICE, "format", "png or jpeg, whatever the name says",
            .choices = "png|jpeg|jpg" },
    { "quality", 0, CLI_OPT_TEXT, "0-1", "of a JPEG (0.9 unless given)" },
    { "dump", 0, CLI_OPT_CHOICE, "what",
            "print as JSON where everything is, or the data, or as text what is painted",
            .choices = "layout|data|list" },
    { "activate", 0, CLI_OPT_TEXT, "id",
            "press this component first, and print the action that it sends; may be repeated",
            .flags = CLI_OPT_REPEATS },
    { 0 },
};

static const struct cli_option check_options[] = {
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document" },
    { 0 },
};

const struct cli_command cli_command_canvas_render = {
    .path = "canvas render",
    .summary = "Draw A2UI messages here, without a node",
    .operands = "file.jsonl",
    .details = "The fastest way to see what an agent's messages look like; - is stdin. Diagnostics "
               "go to "
               "stderr; messages\nthat are refused are an exit code of 1. Pictures on private "
               "networks "
               "are not fetched unless\nnode.canvas.allowHosts has their host:port.",
    .examples = "openclaw canvas render form.jsonl --out form.png",
    .options = render_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_render,
};

const struct cli_command cli_command_canvas_check = {
    .path = "canvas check",
    .summary = "Say what is wrong with A2UI messages",
    .operands = "file.jsonl",
    .details = "Every diagnostic with its line and component; - is stdin. The exit code is 1 when "
               "the messages are refused\nor something in them is an error.",
    .examples = "openclaw canvas check form.jsonl",
    .options = check_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_check,
};
