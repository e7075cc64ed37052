/* openclaw gateway status: which gateway, does it answer, and what is it. Exit 1 when it does not.
 */
#include "cli/command.h"

#include "cli/gateway/rpc.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/service/service.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/net/tls_cert.h"

static void add_field(struct cli_table *t, const char *name, const char *value) {
    if (value && *value) {
        cli_table_add(t, name);
        cli_table_add(t, value);
    }
}

static size_t count_connected(const cJSON *nodes) {
    size_t up = 0;
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        up += cli_node_is_connected(node) ? 1 : 0;
    }
    return up;
}

/* A pin we got through with is the fingerprint of the gateway's certificate. */
static void add_transport(cJSON *doc, const struct cli_target *target) {
    char pin[OC_TLS_PIN_LEN + 1], shown[OC_TLS_SHOWN_LEN + 1];
    oc_json_set_bool(doc, "tls", target->tls);
    if (target->tls && target->tls_fingerprint &&
            oc_tls_pin_normalize(target->tls_fingerprint, pin)) {
        oc_tls_pin_shown(pin, shown);
        oc_json_set_str(doc, "tlsFingerprint", shown);
    }
}

static cJSON *gateway_status_describe(const struct cli_cli *cli, const cJSON *nodes) {
    const struct cli_target *target = cli_rpc_target(cli->rpc);
    const cJSON *hello = cli_rpc_hello(cli->rpc);
    const cJSON *snapshot = oc_json_get(hello, "snapshot");
    const cJSON *server = oc_json_get(hello, "server");
    cJSON *doc = cJSON_CreateObject();
    oc_json_set_bool(doc, "ok", true);
    oc_json_set_str(doc, "url", target->url);
    oc_json_set_str(doc, "source", cli_target_from_name(target->from));
    oc_json_set_int(doc, "latencyMs", cli_rpc_connect_ms(cli->rpc));
    oc_json_set_str(doc, "version", oc_json_get_str(server, "version"));
    oc_json_set_int(doc, "protocol", oc_json_get_int(hello, "protocol", 1, INT16_MAX, 0));
    oc_json_set_int(doc, "uptimeMs", oc_json_get_ms(snapshot, "uptimeMs", 0));
    oc_json_set_str(doc, "authMode", oc_json_get_str(snapshot, "authMode"));
    add_transport(doc, target);
    oc_json_set_str(doc, "stateDir", oc_json_get_str(snapshot, "stateDir"));
    oc_json_set_str(doc, "configPath", target->config_path);
    oc_json_set_int(doc, "nodesKnown", cJSON_GetArraySize(nodes));
    oc_json_set_int(doc, "nodesConnected", (int64_t)count_connected(nodes));
    return doc;
}

static void gateway_status_print(const cJSON *doc) {
    static const char *const headers[] = { "Field", "Value" };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, OC_COUNT(headers));
    const char *pin = oc_json_get_str(doc, "tlsFingerprint");
    char uptime[24];
    cli_span(oc_json_get_ms(doc, "uptimeMs", 0), uptime);
    OC_AUTO_FREE char *target =
            oc_strfmt("%s (%s)", oc_json_get_str(doc, "url"), oc_json_get_str(doc, "source"));
    OC_AUTO_FREE char *reachable =
            oc_strfmt("yes, in %lldms", (long long)oc_json_get_ms(doc, "latencyMs", 0));
    OC_AUTO_FREE char *version = cli_shown(oc_json_get_str(doc, "version"));
    OC_AUTO_FREE char *protocol =
            oc_strfmt("%lld", (long long)oc_json_get_int(doc, "protocol", 1, INT16_MAX, 0));
    OC_AUTO_FREE char *auth = cli_shown(oc_json_get_str(doc, "authMode"));
    OC_AUTO_FREE char *nodes = oc_strfmt("%lld connected, %lld known",
            (long long)oc_json_get_int(doc, "nodesConnected", 0, OC_JSON_MAX_EXACT, 0),
            (long long)oc_json_get_int(doc, "nodesKnown", 0, OC_JSON_MAX_EXACT, 0));
    OC_AUTO_FREE char *service = cli_service_summary(oc_json_get(doc, "service"));
    add_field(t, "Gateway", target);
    cli_table_add(t, "Reachable");
    cli_table_add_styled(t, reachable, CLI_STYLE_GOOD);
    add_field(t, "Version", version);
    add_field(t, "Protocol", protocol);
    add_field(t, "Uptime", uptime);
    add_field(t, "Auth", auth);
    if (oc_json_get_bool(doc, "tls", false)) {
        add_field(t, "TLS", pin ? pin : "by certificate authority");
    }
    add_field(t, "Nodes", nodes);
    add_field(t, "Service (here)", service);
    add_field(t, "Config (here)", oc_json_get_str(doc, "configPath"));
    cli_out_heading("Gateway");
    cli_out_table(t);
}

/* No answer: the service, if there is one, is the likeliest thing to look at. */
static void tell_service(struct cli_cli *cli, const struct cli_service *service) {
    OC_AUTO_JSON cJSON *state = cli_service_state(service);
    const char *url = cli_args_text(&cli->args, "url");
    if (url || !oc_json_get_bool(state, "installed", false)) {
        return;
    }
    OC_AUTO_FREE char *summary = cli_service_summary(state);
    cli_note("Service: %s: %s", service->unit, summary);
    const char *active = oc_json_get_str(oc_json_get(state, "runtime"), "state");
    if (oc_streq(active, "inactive")) {
        cli_set_fix(cli, "openclaw gateway start");
    } else if (!oc_streq(active, "active")) {
        cli_set_fix(cli, "%s -n 20", oc_json_get_str(state, "logs"));
    }
}

static int gateway_status_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes;
    CLI_AUTO_SERVICE struct cli_service service;
    cli_service_init(&service, "gateway");
    if (cli_node_list(cli, &list, &nodes, &err) != OC_OK) {
        tell_service(cli, &service);
        return cli_fail(cli, &err);
    }
    OC_AUTO_JSON cJSON *doc = gateway_status_describe(cli, nodes);
    oc_json_set(doc, "service", cli_service_state(&service));
    if (cli->is_json) {
        cli_out_json(doc);
    } else {
        gateway_status_print(doc);
    }
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_gateway_status = {
    .path = "gateway status",
    .summary = "Which gateway is used, whether it answers, its version and nodes",
    .examples = "openclaw gateway status\n"
                "openclaw gateway status -o json",
    .calls_gateway = true,
    .run = gateway_status_run,
};
