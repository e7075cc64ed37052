/* openclaw nodes location get: where a node is. */
#include "cli/run/capture.h"

#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "lib/base/mem.h"

#define DEFAULT_INVOKE_MS 20000
#define DEFAULT_FIX_MS 10000

static void print(const cJSON *place) {
    const cJSON *lat = oc_json_get(place, "lat"), *lon = oc_json_get(place, "lon");
    double accuracy_m;
    if (!cJSON_IsNumber(lat) || !cJSON_IsNumber(lon)) {
        oc_out_json(place);
        return;
    }
    OC_AUTO_FREE char *lat_text = oc_json_print(lat, false), *lon_text = oc_json_print(lon, false);
    if (oc_json_as_num(oc_json_get(place, "accuracyMeters"), 0, 1e9, &accuracy_m)) {
        oc_out_line("%s,%s ±%.1fm", lat_text, lon_text, accuracy_m);
    } else {
        oc_out_line("%s,%s", lat_text, lon_text);
    }
}

static cJSON *build_params(const struct oc_args *args) {
    cJSON *params = cJSON_CreateObject();
    if (oc_args_has(args, "max-age")) {
        oc_json_set_int(params, "maxAgeMs", oc_args_int(args, "max-age", 0));
    }
    oc_json_set_str(params, "desiredAccuracy", oc_args_text(args, "accuracy"));
    oc_json_set_int(params, "timeoutMs", oc_args_int(args, "location-timeout", DEFAULT_FIX_MS));
    return params;
}

static int run(struct oc_cli *cli) {
    struct oc_error err;
    struct oc_capture c;
    struct oc_captured r = { 0 };
    if (!oc_streq(cli->args.rest.items[0], "get")) {
        return oc_cli_usage(cli, "say what to do: get");
    }
    enum oc_code rc = oc_capture_begin(&c, cli, DEFAULT_INVOKE_MS, &err);
    if (rc == OC_OK) {
        rc = oc_capture_ask(&c, "location.get", build_params(&cli->args), NULL, 0, &r, &err);
    }
    int code = OC_EXIT_OK;
    if (rc != OC_OK) {
        code = oc_capture_fail(&c, &err);
    } else if (cli->is_json) {
        oc_out_json(r.fields);
    } else {
        print(r.fields);
    }
    oc_captured_finish(&r);
    oc_capture_end(&c);
    return code;
}

static const struct oc_option options[] = {
    OC_NODE_OPTION,
    { "max-age", 0, OC_OPT_DURATION, "ms",
            "a known place that is not older will do, up to 24 h (0 unless given)" },
    { "accuracy", 0, OC_OPT_CHOICE, "accuracy", "how exactly (balanced unless given)",
            .choices = "coarse|balanced|precise" },
    { "location-timeout", 0, OC_OPT_DURATION, "ms",
            "how long to look for it, 250 ms to 1 minute (10000 unless given)" },
    OC_INVOKE_TIMEOUT_OPTION("20000"),
    { 0 },
};

static const struct oc_cli_action actions[] = {
    { "get", "Where a node is" },
    { 0 },
};

const struct oc_cli_command oc_cli_nodes_location = {
    .path = "nodes location",
    .summary = "Where a node is",
    .operands = "get",
    .details =
            "Prints latitude,longitude and how exact they are; --json prints all that is known.\n"
            "The node's owner must have switched it on there: openclaw node enable location.",
    .options = options,
    .actions = actions,
    .calls_gateway = true,
    .timeout_ms = 30000,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
