/* openclaw gateway discover: gateways that say so on the local network. */
#include "cli/command.h"

#include "cli/child.h"
#include "cli/gateway/mdns.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"

#define MAX_OUTPUT_BYTES 1048576
#define DEFAULT_TIMEOUT_MS 5000

static enum oc_code gateway_discover_browse(
        struct cli_cli *cli, cJSON **ret, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_OUTPUT_BYTES);
    int status = 0;
    cli_mdns_browse_argv(&argv);
    enum oc_code rc = cli_child_collect(
            &argv, cli_args_int(&cli->args, "timeout", DEFAULT_TIMEOUT_MS), &out, &status, err);
    if (rc == OC_E_NOT_FOUND) {
        cli_set_fix(cli, "install the package avahi-utils");
        return rc;
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (status > 0) {
        cli_set_fix(cli, "start the Avahi daemon: systemctl start avahi-daemon");
        return oc_fail(err, OC_E_UNAVAILABLE, "avahi-browse failed (exit status %d)", status);
    }
    OC_AUTO_FREE char *text = oc_strndup(out.data ? out.data : "", out.len);
    *ret = cli_mdns_parse(text);
    return OC_OK;
}

static void gateway_discover_print(const cJSON *beacons) {
    static const char *const headers[] = { "Name", "Host", "Url", "TLS pin (unverified)" };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, OC_COUNT(headers));
    const cJSON *b = NULL;
    cJSON_ArrayForEach(b, beacons) {
        static const char *const keys[] = { "name", "host", "url", "tlsFingerprint" };
        for (size_t i = 0; i < OC_COUNT(keys); i++) {
            OC_AUTO_FREE char *shown = cli_shown(oc_json_get_str(b, keys[i]));
            cli_table_add(t, shown);
        }
    }
    if (cli_table_rows(t) == 0) {
        cli_out_line("No gateway says that it is here.");
        return;
    }
    cli_out_table(t);
    cli_out_line(
            "Anybody on the network can claim to be a gateway: compare the pin, or use a setup "
            "code.");
}

static int gateway_discover_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *beacons = NULL;
    if (gateway_discover_browse(cli, &beacons, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set_int(doc, "count", cJSON_GetArraySize(beacons));
        oc_json_set(doc, "beacons", oc_take(&beacons));
        cli_out_json(doc);
    } else {
        gateway_discover_print(beacons);
    }
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "timeout", 0, CLI_OPT_DURATION, "ms", "how long to listen at most (5s)" },
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command cli_command_gateway_discover = {
    .path = "gateway discover",
    .summary = "Look for gateways on the local network",
    .details = "Asks Avahi (package avahi-utils). A gateway says that it is there when\n"
               "discovery.mdns.mode in its config is minimal or full; it is off unless set.",
    .examples = "openclaw gateway discover",
    .options = options,
    .run = gateway_discover_run,
};
