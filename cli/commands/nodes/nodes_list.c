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
    static const char *const headers[] = { "Node", "#ID", "IP", "Status", "Last Connect" };
    OC_AUTO_TABLE struct oc_table *t = oc_table_create(headers, OC_COUNT(headers));
    int64_t now = oc_wall_ms(&oc_clock_system);
    const cJSON *node;
    cJSON_ArrayForEach(node, paired) {
        bool is_up = oc_node_is_connected(node);
        OC_AUTO_FREE char *name = oc_shown(oc_node_label(node));
        OC_AUTO_FREE char *id = oc_shown(oc_json_get_str(node, "nodeId"));
        OC_AUTO_FREE char *ip = oc_shown(oc_json_get_str(node, "remoteIp"));
        int64_t at = oc_json_get_ms(node, "lastConnectedAtMs", 0);
        char age[24];
        oc_age(now, at > 0 ? at : oc_json_get_ms(node, "connectedAtMs", 0), age);
        oc_table_add_styled(t, name, OC_STYLE_BOLD);
        oc_table_add(t, id);
        oc_table_add(t, ip);
        oc_table_add_styled(
                t, is_up ? "connected" : "disconnected", is_up ? OC_STYLE_GOOD : OC_STYLE_DIM);
        oc_table_add(t, *age ? age : "never");
    }
    oc_out_text("\n");
    oc_out_heading("Paired");
    oc_out_table(t);
}

static int run(struct oc_cli *cli) {
    struct oc_error err;
    OC_AUTO_WAITING struct oc_waiting requests = { 0 };
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes;
    if (oc_waiting_load(cli, &requests, &err) != OC_OK ||
            oc_cli_node_list(cli, &list, &nodes, &err) != OC_OK) {
        return oc_cli_fail(cli, &err);
    }
    OC_AUTO_JSON cJSON *paired = merge_paired(oc_json_get(requests.nodes, "paired"), nodes);
    oc_nodes_filter(cli, paired);
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set(doc, "pending", oc_waiting_json(&requests));
        oc_json_set(doc, "paired", oc_take(&paired));
        oc_out_json(doc);
        return OC_EXIT_OK;
    }
    oc_out_line("Pending: %zu · Paired: %d", requests.count, cJSON_GetArraySize(paired));
    if (requests.count > 0) {
        oc_out_text("\n");
        oc_out_heading("Pending");
        oc_waiting_print_table(&requests);
        oc_out_line("Approve with: openclaw nodes approve <request>");
    }
    if (paired->child) {
        print_paired(paired);
    }
    return OC_EXIT_OK;
}

const struct oc_cli_command oc_cli_nodes_list = {
    .path = "nodes list",
    .summary = "Pending requests and paired nodes",
    .options = oc_nodes_filter_options,
    .calls_gateway = true,
    .run = run,
};
