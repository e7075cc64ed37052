/* openclaw nodes status: every node at a glance, and what waits for approval. */
#include "cli/command.h"

#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/text/paste.h"

#define SEPARATOR CLI_NO_BREAK_SPACE "· " /* ends a line, begins none */

static char *version_of(const cJSON *node) {
    const char *core = oc_json_get_str(node, "coreVersion");
    const char *ui = oc_json_get_str(node, "uiVersion");
    OC_AUTO_FREE char *shown = cli_shown(core ? core : ui ? ui : oc_json_get_str(node, "version"));
    return *shown ? oc_strfmt("v%s", shown) : oc_strdup("");
}

static char *detail_of(const cJSON *node) {
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    static const char *const keys[] = { "platform", "deviceFamily", "modelIdentifier" };
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        const char *s = oc_json_get_str(node, keys[i]);
        if (!oc_str_blank(s)) {
            OC_AUTO_FREE char *shown = cli_shown(s);
            oc_strv_add_unique(&parts, shown);
        }
    }
    OC_AUTO_FREE char *version = version_of(node);
    if (*version) {
        oc_strv_add(&parts, version);
    }
    return oc_strv_join(&parts, SEPARATOR);
}

static enum cli_style add_status(const cJSON *node, struct oc_strv *parts) {
    bool is_up = cli_node_is_connected(node);
    bool is_paired = oc_json_get_bool(node, "paired", false);
    bool is_pending = oc_json_get_str(node, "pendingRequestId") != NULL;
    char age[24];
    int64_t at = oc_json_get_ms(node, is_up ? "connectedAtMs" : "lastConnectedAtMs", 0);
    cli_age(oc_wall_ms(&oc_clock_system), at, age);
    OC_AUTO_FREE char *state = oc_strfmt("%s%s%s%s", is_up ? "connected" : "disconnected",
            *age ? " (" : "", age, *age ? ")" : "");
    oc_strv_add(parts, is_paired ? "paired" : "unpaired");
    OC_AUTO_FREE char *unbroken = cli_unbroken(state);
    oc_strv_add(parts, unbroken);
    if (is_pending) {
        oc_strv_add(parts, "approval" CLI_NO_BREAK_SPACE "pending");
    }
    return is_pending || !is_paired ? CLI_STYLE_WARN : is_up ? CLI_STYLE_GOOD : CLI_STYLE_DIM;
}

static void print_table(const cJSON *nodes) {
    static const struct cli_column columns[] = {
        { "Node", CLI_COLUMN_NAME, 0 },
        { "ID", CLI_COLUMN_ID, 4 },
        { "IP", CLI_COLUMN_FIXED, 2 },
        { "Detail", CLI_COLUMN_TEXT, 3 },
        { "Status", CLI_COLUMN_TEXT, 0 },
        { "Caps", CLI_COLUMN_TEXT, 1 },
    };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        OC_AUTO_STRV struct oc_strv status = { 0 };
        enum cli_style style = add_status(node, &status);
        OC_AUTO_FREE char *name = cli_shown(cli_node_label(node));
        OC_AUTO_FREE char *id = cli_shown(oc_json_get_str(node, "nodeId"));
        OC_AUTO_FREE char *ip = cli_shown(oc_json_get_str(node, "remoteIp"));
        OC_AUTO_FREE char *detail = detail_of(node);
        OC_AUTO_FREE char *state = oc_strv_join(&status, SEPARATOR);
        OC_AUTO_FREE char *caps = cli_shown_list(oc_json_get(node, "caps"));
        cli_table_add_styled(t, name, CLI_STYLE_BOLD);
        cli_table_add(t, id);
        cli_table_add(t, ip);
        cli_table_add(t, detail);
        cli_table_add_styled(t, state, style);
        cli_table_add(t, caps);
    }
    if (cli_table_rows(t) > 0) {
        cli_out_table(t);
    }
}

/* Not being allowed to see requests is no reason to hide the nodes. */
static void print_waiting(struct cli_cli *cli) {
    CLI_AUTO_WAITING struct cli_waiting requests = { 0 };
    struct oc_error ignored;
    if (cli_waiting_load(cli, &requests, &ignored) != OC_OK) {
        return;
    }
    for (size_t i = 0; i < requests.count && i < CLI_MAX_WAITING_SHOWN; i++) {
        const struct cli_waiting_request *r = &requests.items[i];
        OC_AUTO_FREE char *name = cli_shown(cli_node_label(r->doc));
        OC_AUTO_FREE char *command = oc_paste(CLI_SEE_PENDING, "openclaw nodes approve %s", r->id);
        cli_out_line("Approval pending for %s (%s). Run: %s", name, cli_waiting_gate(r), command);
    }
    cli_waiting_print_rest(&requests, CLI_MAX_WAITING_SHOWN);
    if (requests.count > 0) {
        cli_nodes_remind(cli);
    }
}

static int nodes_status_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes;
    if (cli_node_list(cli, &list, &nodes, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    cli_nodes_filter(cli, cJSON_GetObjectItemCaseSensitive(list, "nodes"));
    if (cli->is_json) {
        cli_out_json(list);
        return CLI_EXIT_OK;
    }
    size_t known = 0, paired = 0, up = 0;
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        known++;
        paired += oc_json_get_bool(node, "paired", false) ? 1 : 0;
        up += cli_node_is_connected(node) ? 1 : 0;
    }
    cli_out_line("Known: %zu · Paired: %zu · Connected: %zu", known, paired, up);
    print_table(nodes);
    print_waiting(cli);
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_nodes_status = {
    .path = "nodes status",
    .summary = "Known nodes: paired, connected, capabilities",
    .details = "Ids are cut to what --node accepts when the table would be too wide; --json and\n"
               "`nodes describe` show them whole.",
    .examples = "openclaw nodes status\n"
                "openclaw nodes status --connected",
    .options = cli_nodes_filter_options,
    .calls_gateway = true,
    .run = nodes_status_run,
};
