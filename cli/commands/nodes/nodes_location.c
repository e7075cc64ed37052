/* openclaw nodes location get: where a node is. */
#include "cli/run/capture.h"

#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "lib/base/mem.h"

#define DEFAULT_INVOKE_MS 20000
#define DEFAULT_FIX_MS 10000

static void nodes_location_print(const cJSON *place) {
    const cJSON *lat = oc_json_get(place, "lat"), *lon = oc_json_get(place, "lon");
    double accuracy_m;
    if (!cJSON_IsNumber(lat) || !cJSON_IsNumber(lon)) {
        cli_out_json(place);
        return;
    }
    OC_AUTO_FREE char *lat_text = oc_json_print(lat, false), *lon_text = oc_json_print(lon, false);
    if (oc_json_as_num(oc_json_get(place, "accuracyMeters"), 0, 1e9, &accuracy_m)) {
        cli_out_line("%s,%s ±%.1fm", lat_text, lon_text, accuracy_m);
    } else {
        cli_out_line("%s,%s", lat_text, lon_text);
    }
}

static cJSON *build_params(const struct cli_args *args) {
    cJSON *params = cJSON_CreateObject();
    if (cli_args_has(args, "max-age")) {
        oc_json_set_int(params, "maxAgeMs", cli_args_int(args, "max-age", 0));
    }
    oc_json_set_str(params, "desiredAccuracy", cli_args_text(args, "accuracy"));
    oc_json_set_int(params, "timeoutMs", cli_args_int(args, "location-timeout", DEFAULT_FIX_MS));
    return params;
}

static int nodes_location_run(struct cli_cli *cli) {
    struct oc_error err;
    struct cli_capture c;
    struct cli_captured r = { 0 };
    if (!oc_streq(cli->args.rest.items[0], "get")) {
        return cli_usage(cli, "say what to do: get");
    }
    int code = cli_node_word(cli, 1, 0);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    enum oc_code rc = cli_capture_begin(&c, cli, DEFAULT_INVOKE_MS, &err);
    if (rc == OC_OK) {
        rc = cli_capture_ask(&c, "location.get", build_params(&cli->args), NULL, 0, &r, &err);
    }
    if (rc != OC_OK) {
        code = cli_capture_fail(&c, &err);
    } else if (cli->is_json) {
        cli_out_json(r.fields);
    } else {
        nodes_location_print(r.fields);
    }
    cli_captured_finish(&r);
    cli_capture_end(&c);
    return code;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { "max-age", 0, CLI_OPT_DURATION, "ms",
            "a known place that is not older will do, up to 24 h (0 unless given)" },
    { "accuracy", 0, CLI_OPT_CHOICE, "accuracy", "how exactly (balanced unless given)",
            .choices = "coarse|balanced|precise" },
    { "location-timeout", 0, CLI_OPT_DURATION, "ms",
            "how long to look for it, 250 ms to 1 minute (10000 unless given)" },
    CLI_INVOKE_TIMEOUT_OPTION("20000"),
    { 0 },
};

static const struct cli_action actions[] = {
    { "get", "Where a node is", "[node]" },
    { 0 },
};

const struct cli_command cli_command_nodes_location = {
    .path = "nodes location",
    .summary = "Where a node is",
    .operands = "get [node]",
    .details =
            "Prints latitude,longitude and how exact they are; --json prints all that is known.\n"
            "The node's owner must have switched it on there: openclaw node enable location.",
    .examples = "openclaw nodes location get workshop",
    .options = options,
    .actions = actions,
    .calls_gateway = true,
    .timeout_ms = 30000,
    .min_operands = 1,
    .max_operands = 2,
    .run = nodes_location_run,
};
