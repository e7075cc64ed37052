/* openclaw devices list: requests and paired devices of every role. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

static char *roles_of(const cJSON *doc) {
    char *roles = cli_shown_list(oc_json_get(doc, "roles"));
    if (!*roles) {
        oc_free(roles);
        roles = cli_shown(oc_json_get_str(doc, "role"));
    }
    return roles;
}

static void print_pending(const cJSON *pending) {
    static const struct cli_column columns[] = {
        { "Request", CLI_COLUMN_FIXED, 0 },
        { "Device", CLI_COLUMN_NAME, 0 },
        { "Role", CLI_COLUMN_TEXT, 0 },
        { "IP", CLI_COLUMN_FIXED, 1 },
        { "Age", CLI_COLUMN_FIXED, 2 },
        { "Flags", CLI_COLUMN_FIXED, 3 },
    };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    int64_t now = oc_wall_ms(&oc_clock_system);
    const cJSON *doc;
    cJSON_ArrayForEach(doc, pending) {
        OC_AUTO_FREE char *id = cli_shown(oc_json_get_str(doc, "requestId"));
        OC_AUTO_FREE char *device = cli_shown(cli_node_label(doc));
        OC_AUTO_FREE char *roles = roles_of(doc);
        OC_AUTO_FREE char *ip = cli_shown(oc_json_get_str(doc, "remoteIp"));
        char age[24];
        cli_age(now, oc_json_get_ms(doc, "ts", 0), age);
        cli_table_add(t, id);
        cli_table_add_styled(t, device, CLI_STYLE_BOLD);
        cli_table_add(t, roles);
        cli_table_add(t, ip);
        cli_table_add(t, age);
        cli_table_add_styled(
                t, oc_json_get_bool(doc, "isRepair", false) ? "repair" : "", CLI_STYLE_WARN);
    }
    OC_AUTO_FREE char *heading = oc_strfmt("Pending (%zu)", cli_table_rows(t));
    cli_out_heading(heading);
    cli_out_table(t);
    cli_out_line("Approve with: openclaw devices approve <request>");
}

/* "operator.admin, operator.read" says the same in half the width without the repeated word. */
static char *scopes_of(const cJSON *doc) {
    OC_AUTO_STRV struct oc_strv scopes = { 0 }, shorter = { 0 };
    oc_json_get_strv(doc, "scopes", &scopes);
    for (size_t i = 0; i < scopes.count; i++) {
        const char *s = scopes.items[i];
        OC_AUTO_FREE char *shown = cli_shown(oc_starts_with(s, "operator.") ? s + 9 : s);
        oc_strv_add(&shorter, shown);
    }
    return oc_strv_join(&shorter, ", ");
}

static char *tokens_of(const cJSON *doc) {
    OC_AUTO_STRV struct oc_strv tokens = { 0 };
    const cJSON *token;
    cJSON_ArrayForEach(token, oc_json_get(doc, "tokens")) {
        OC_AUTO_FREE char *role = cli_shown(oc_json_get_str(token, "role"));
        bool is_revoked = oc_json_get(token, "revokedAtMs") != NULL;
        OC_AUTO_FREE char *text = oc_strfmt("%s%s", role, is_revoked ? " (revoked)" : "");
        oc_strv_add(&tokens, text);
    }
    return oc_strv_join(&tokens, ", ");
}

/* The owner's name for it comes before its own. */
static const char *name_of(const cJSON *doc) {
    const char *label = oc_json_get_str(doc, "operatorLabel");
    return label ? label : oc_json_get_str(doc, "displayName");
}

static void print_paired(const cJSON *paired) {
    static const struct cli_column columns[] = {
        { "Device", CLI_COLUMN_NAME, 0 },
        { "Device ID", CLI_COLUMN_ID, 0 },
        { "Platform", CLI_COLUMN_NAME, 2 },
        { "Roles", CLI_COLUMN_TEXT, 0 },
        { "Scopes", CLI_COLUMN_TEXT, 4 },
        { "Tokens", CLI_COLUMN_TEXT, 1 },
        { "IP", CLI_COLUMN_FIXED, 3 },
    };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    OC_AUTO_STRV struct oc_strv ids = { 0 };
    const cJSON *doc;
    cJSON_ArrayForEach(doc, paired) {
        OC_AUTO_FREE char *id = cli_shown(oc_json_get_str(doc, "deviceId"));
        OC_AUTO_FREE char *name = cli_shown(name_of(doc));
        OC_AUTO_FREE char *client = cli_shown(oc_json_get_str(doc, "clientId"));
        OC_AUTO_FREE char *platform = cli_shown(oc_json_get_str(doc, "platform"));
        OC_AUTO_FREE char *roles = roles_of(doc);
        OC_AUTO_FREE char *scopes = scopes_of(doc);
        OC_AUTO_FREE char *tokens = tokens_of(doc);
        OC_AUTO_FREE char *ip = cli_shown(oc_json_get_str(doc, "remoteIp"));
        OC_AUTO_FREE char *line = oc_strfmt("  %s  %s", id, *name ? name : client);
        cli_table_add_styled(t, *name ? name : client, CLI_STYLE_BOLD);
        cli_table_add(t, id);
        cli_table_add(t, platform);
        cli_table_add(t, roles);
        cli_table_add(t, scopes);
        cli_table_add(t, tokens);
        cli_table_add(t, ip);
        oc_strv_add(&ids, line);
    }
    OC_AUTO_FREE char *heading = oc_strfmt("Paired (%zu)", cli_table_rows(t));
    cli_out_heading(heading);
    cli_out_table(t);
    cli_out_heading("Full device IDs");
    for (size_t i = 0; i < ids.count; i++) {
        cli_out_line("%s", ids.items[i]);
    }
}

static int devices_list_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL;
    if (cli_call_tree(cli, "device.pair.list", cJSON_CreateObject(), &list, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(list);
        return CLI_EXIT_OK;
    }
    const cJSON *pending = oc_json_get(list, "pending");
    const cJSON *paired = oc_json_get(list, "paired");
    if (cJSON_GetArraySize(pending) > 0) {
        print_pending(pending);
    }
    if (cJSON_GetArraySize(paired) > 0) {
        print_paired(paired);
    }
    if (cJSON_GetArraySize(pending) == 0 && cJSON_GetArraySize(paired) == 0) {
        cli_out_line("No device pairing entries.");
    }
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_devices_list = {
    .path = "devices list",
    .summary = "Devices that wait, and devices that are paired",
    .examples = "openclaw devices list",
    .calls_gateway = true,
    .run = devices_list_run,
};
