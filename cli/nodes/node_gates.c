#include "cli/nodes/node_gates.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "gateway/nodes/gates.h"
#include "lib/base/mem.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/switches.h"
#include "lib/text/fix.h"

#include <string.h>

static void node_gates_put(cJSON *row, const struct oc_grounds *g) {
    OC_AUTO_FREE char *fix = oc_fix_text(g);
    oc_grounds_put(row, g, fix);
}

char *cli_node_gate_fix(const cJSON *row) {
    struct oc_grounds g;
    oc_free(oc_grounds_read(&(struct oc_told_error){ .details = row }, &g)); /* it has no text */
    return oc_fix_text(&g);
}

/* shut: NULL: it is not. */
static void put_derived(
        cJSON *all, const char *command, bool is_approved, const struct oc_grounds *shut) {
    if (gw_command_is_exec_approvals(command) || oc_json_get(all, command)) {
        return;
    }
    cJSON *g = cJSON_AddObjectToObject(all, command);
    oc_json_set_bool(g, "declared", true);
    oc_json_set_bool(g, "approved", is_approved);
    oc_json_set_bool(g, "policy", true); /* gateways leave out what their policy refuses */
    if (shut) {
        node_gates_put(g, shut);
    }
}

cJSON *cli_node_gates_derive(const cJSON *node) {
    cJSON *all = cJSON_CreateObject();
    OC_AUTO_STRV struct oc_strv usable = { 0 }, waiting = { 0 };
    oc_json_get_strv(node, "commands", &usable);
    oc_json_get_strv(node, "pendingDeclaredCommands", &waiting);
    for (size_t i = 0; i < usable.count; i++) {
        put_derived(all, usable.items[i], true, NULL);
    }
    struct oc_grounds shut = { .gate = OC_GATE_SURFACE, .remedy = OC_REMEDY_APPROVE_NODE };
    oc_grounds_set_subject(&shut, oc_json_get_str(node, "pendingRequestId"));
    for (size_t i = 0; i < waiting.count; i++) {
        put_derived(all, waiting.items[i], false, &shut);
    }
    return all;
}

cJSON *cli_node_switches_derive(const cJSON *node) {
    const cJSON *permissions = oc_json_get(node, "permissions");
    cJSON *all = cJSON_CreateObject();
    size_t count;
    const struct oc_switch *switches = oc_switches(&count);
    for (size_t i = 0; i < count; i++) {
        enum oc_switch_state state = oc_switch_read(permissions, &switches[i]);
        if (state == OC_SWITCH_UNKNOWN) {
            continue;
        }
        cJSON *s = cJSON_AddObjectToObject(all, switches[i].name);
        struct oc_grounds g =
                oc_switch_grounds(permissions, &switches[i], oc_json_get_str(node, "clientId"));
        oc_json_set_bool(s, "on", state != OC_SWITCH_OFF);
        node_gates_put(s, &g);
    }
    if (!all->child) {
        cJSON_Delete(oc_take(&all));
    }
    return all;
}

static bool gateway_has(const struct cli_cli *cli, const char *method) {
    OC_AUTO_STRV struct oc_strv methods = { 0 };
    oc_json_get_strv(oc_json_get(cli_rpc_hello(cli->rpc), "features"), "methods", &methods);
    return oc_strv_has(&methods, method);
}

/* What the node's own file says, for nodes that do not tell it by themselves; NULL when it does not
 * say. */
static cJSON *ask_local_gate(struct cli_cli *cli, const char *node_id) {
    OC_AUTO_JSON cJSON *answer = NULL;
    struct oc_error err;
    if (!gateway_has(cli, "exec.approvals.node.get") ||
            cli_call_tree(cli, "exec.approvals.node.get", cli_params_str("nodeId", node_id),
                    &answer, &err) != OC_OK) {
        return NULL;
    }
    const cJSON *file = oc_json_get(answer, "file");
    const cJSON *agents = oc_json_get(file, "agents");
    const char *security = oc_json_get_str(oc_json_get(agents, "main"), "security");
    security = security ? security : oc_json_get_str(oc_json_get(agents, "*"), "security");
    security = security ? security : oc_json_get_str(oc_json_get(file, "defaults"), "security");
    return security ? cJSON_CreateBool(!oc_streq(security, "deny")) : NULL;
}

static void complete_local(struct cli_cli *cli, const char *node_id, cJSON *gates) {
    if (!gates || oc_json_get(gates, "local") || !oc_json_get_bool(gates, "approved", false)) {
        return;
    }
    oc_json_set(gates, "local", ask_local_gate(cli, node_id));
    bool is_shut = !oc_json_get_bool(gates, "local", true);
    if (is_shut && !oc_json_get(gates, "gate")) {
        struct oc_grounds g = gw_gates_local(node_id);
        node_gates_put(gates, &g);
    }
}

void cli_node_gates_complete(struct cli_cli *cli, cJSON *node) {
    if (!oc_json_get(node, "gates")) {
        oc_json_set(node, "gates", cli_node_gates_derive(node));
    }
    oc_json_set(node, "switches", cli_node_switches_derive(node));
    if (cli_node_is_connected(node)) {
        cJSON *gates = cJSON_GetObjectItemCaseSensitive(node, "gates");
        complete_local(cli, oc_json_get_str(node, "nodeId"),
                cJSON_GetObjectItemCaseSensitive(gates, "system.run"));
    }
}

bool cli_node_gates_usable(const cJSON *gates) {
    return oc_json_get_bool(gates, "declared", false) && oc_json_get_bool(gates, "policy", false) &&
           oc_json_get_bool(gates, "approved", false) && oc_json_get_bool(gates, "local", true);
}
