/* openclaw nodes list: pending requests and paired nodes. */
#include "cli/command.h"

#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

static cJSON *find_node(cJSON *array, const char *node_id) {
    cJSON *node;
    cJSON_ArrayForEach(node, array) {
        if (oc_streq(oc_json_get_str(node, "nodeId"), node_id)) {
            return node;
        }
    }
    return NULL;
}

/* What node.pair.list calls paired, completed with what node.list knows: some gateways keep paired
 * nodes only there. */
static cJSON *merge_paired(const cJSON *paired, const cJSON *nodes) {
    cJSON *all = cJSON_CreateArray();
    const cJSON *node;
    cJSON_ArrayForEach(node, paired) {
        cJSON_AddItemToArray(all, cJSON_Duplicate(node, true));
    }
    cJSON_ArrayForEach(node, nodes) {
        cJSON *known = find_node(all, oc_json_get_str(node, "nodeId"));
        if (!known && oc_json_get_bool(node, "paired", false)) {
            cJSON_AddItemToArray(all, cJSON_Duplicate(node, true));
        }
        const cJSON *member;
        for (member = known ? node->child : NULL; member; member = member->next) {
            if (!oc_json_get(known, member->string)) {
                oc_json_set(known, member->string, cJSON_Duplicate(member, true));
            }
        }
    }
    return all;
}

static void print_paired(const cJSON *paired) {
    static const struct cli_column columns[] = {
        { "Node", CLI_COLUMN_NAME, 0 },
        { "ID", CLI_COLUMN_ID, 3 },
        { "IP", CLI_COLUMN_FIXED, 1 },
        { "Status", CLI_COLUMN_TEXT, 0 },
        { "Last Connect", CLI_COLUMN_FIXED, 2 },
    };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    int64_t now = oc_wall_ms(&oc_clock_system);
    const cJSON *node;
    cJSON_ArrayForEach(node, paired) {
        bool is_up = cli_node_is_connected(node);
        OC_AUTO_FREE char *name = cli_shown(cli_node_label(node));
        OC_AUTO_FREE char *id = cli_shown(oc_json_get_str(node, "nodeId"));
        OC_AUTO_FREE char *ip = cli_shown(oc_json_get_str(node, "remoteIp"));
        int64_t at = oc_json_get_ms(node, "lastConnectedAtMs", 0);
        char age[24];
        cli_age(now, at > 0 ? at : oc_json_get_ms(node, "connectedAtMs", 0), age);
        cli_table_add_styled(t, name, CLI_STYLE_BOLD);
        cli_table_add(t, id);
        cli_table_add(t, ip);
        cli_table_add_styled(
                t, is_up ? "connected" : "disconnected", is_up ? CLI_STYLE_GOOD : CLI_STYLE_DIM);
        cli_table_add(t, *age ? age : "never");
    }
    cli_out_text("\n");
    cli_out_heading("Paired");
    cli_out_table(t);
}

static int nodes_list_run(struct cli_cli *cli) {
    struct oc_error err;
    CLI_AUTO_WAITING struct cli_waiting requests = { 0 };
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes;
    if (cli_waiting_load(cli, &requests, &err) != OC_OK ||
            cli_node_list(cli, &list, &nodes, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    OC_AUTO_JSON cJSON *paired = merge_paired(oc_json_get(requests.nodes, "paired"), nodes);
    cli_nodes_filter(cli, paired);
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set(doc, "pending", cli_waiting_json(&requests));
        oc_json_set(doc, "paired", oc_take(&paired));
        cli_out_json(doc);
        return CLI_EXIT_OK;
    }
    cli_out_line("Pending: %zu · Paired: %d", requests.count, cJSON_GetArraySize(paired));
    if (requests.count > 0) {
        cli_out_text("\n");
        cli_out_heading("Pending");
        cli_waiting_print_table(&requests);
        cli_out_line("Approve with: openclaw nodes approve <request>");
    }
    if (paired->child) {
        print_paired(paired);
    }
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_nodes_list = {
    .path = "nodes list",
    .summary = "Pending requests and paired nodes",
    .examples = "openclaw nodes list\n"
                "openclaw nodes ls -o json",
    .options = cli_nodes_filter_options,
    .calls_gateway = true,
    .run = nodes_list_run,
};
