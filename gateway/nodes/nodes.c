#include "gateway/nodes/nodes.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/protocol/switches.h"

struct gw_nodes {
    struct oc_map *by_id; /* struct gw_node */
};

struct gw_nodes *gw_nodes_create(void) {
    struct gw_nodes *n = oc_new(struct gw_nodes);
    n->by_id = oc_map_create();
    return n;
}

void gw_nodes_destroy(struct gw_nodes *n) {
    if (n) {
        oc_map_destroy(n->by_id);
        oc_free(n);
    }
}

struct gw_node *gw_nodes_register(struct gw_nodes *n, struct gw_node *node) {
    return oc_map_put(n->by_id, node->id, node);
}

bool gw_nodes_unregister(struct gw_nodes *n, const struct gw_node *node) {
    if (oc_map_get(n->by_id, node->id) != node) {
        return false;
    }
    oc_map_remove(n->by_id, node->id);
    return true;
}

struct gw_node *gw_nodes_find(const struct gw_nodes *n, const char *id) {
    return oc_map_get(n->by_id, id);
}

size_t gw_nodes_count(const struct gw_nodes *n) {
    return oc_map_count(n->by_id);
}

struct gw_node *gw_nodes_next(const struct gw_nodes *n, size_t *pos) {
    const char *key;
    void *value;
    return oc_map_next(n->by_id, pos, &key, &value) ? value : NULL;
}

void gw_node_destroy(struct gw_node *node) {
    if (!node) {
        return;
    }
    oc_free(node->display_name);
    oc_free(node->pending_request_id);
    oc_strv_finish(&node->declared_caps);
    oc_strv_finish(&node->declared);
    oc_strv_finish(&node->caps);
    oc_strv_finish(&node->commands);
    oc_strv_finish(&node->approved);
    cJSON_Delete(node->host_stats);
    oc_free(node);
}

const char *gw_node_approval_state(const struct gw_node *node) {
    return node->is_approved ? "approved" : "pending-approval";
}

/* A node says either that a command is not permitted or that it is not denied, see
 * node/declare/permissions.c. */
static enum gw_local_gate local_gate(const cJSON *permissions, const char *command) {
    OC_AUTO_FREE char *denied = oc_strfmt("%s.denied", command);
    if (oc_json_get(permissions, command)) {
        return oc_json_get_bool(permissions, command, false) ? GW_LOCAL_OPEN : GW_LOCAL_SHUT;
    }
    if (oc_json_get(permissions, denied)) {
        return oc_json_get_bool(permissions, denied, true) ? GW_LOCAL_SHUT : GW_LOCAL_OPEN;
    }
    const struct oc_switch *s = oc_switch_of(command);
    switch (s ? oc_switch_read(permissions, s) : OC_SWITCH_UNKNOWN) {
    case OC_SWITCH_OFF:
    case OC_SWITCH_NOT_INSTALLED:
        return GW_LOCAL_SHUT;
    case OC_SWITCH_ON:
        return GW_LOCAL_OPEN;
    case OC_SWITCH_UNKNOWN:
        break;
    }
    return GW_LOCAL_UNKNOWN;
}

struct gw_command_gates gw_node_gates(
        const struct gw_node *node, const struct gw_policy *p, const char *command) {
    struct gw_command_gates g = {
        .declared = oc_strv_has(&node->declared, command),
        .policy = gw_policy_allows(p, node->platform_class, command),
    };
    /* The policy may refuse what was approved while it did not: that is still approved. */
    g.approved = oc_strv_has(&node->commands, command) || oc_strv_has(&node->approved, command);
    g.local = local_gate(node->permissions, command);
    return g;
}
