#include "gateway/nodes/nodes.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/protocol/switches.h"

struct oc_nodes {
    struct oc_map *by_id; /* struct oc_node */
};

struct oc_nodes *oc_nodes_create(void) {
    struct oc_nodes *n = oc_new(struct oc_nodes);
    n->by_id = oc_map_create();
    return n;
}

void oc_nodes_destroy(struct oc_nodes *n) {
    if (n) {
        oc_map_destroy(n->by_id);
        oc_free(n);
    }
}

struct oc_node *oc_nodes_register(struct oc_nodes *n, struct oc_node *node) {
    return oc_map_put(n->by_id, node->id, node);
}

bool oc_nodes_unregister(struct oc_nodes *n, const struct oc_node *node) {
    if (oc_map_get(n->by_id, node->id) != node) {
        return false;
    }
    oc_map_remove(n->by_id, node->id);
    return true;
}

struct oc_node *oc_nodes_find(const struct oc_nodes *n, const char *id) {
    return oc_map_get(n->by_id, id);
}

size_t oc_nodes_count(const struct oc_nodes *n) {
    return oc_map_count(n->by_id);
}

struct oc_node *oc_nodes_next(const struct oc_nodes *n, size_t *pos) {
    const char *key;
    void *value;
    return oc_map_next(n->by_id, pos, &key, &value) ? value : NULL;
}

void oc_node_destroy(struct oc_node *node) {
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

const char *oc_node_approval_state(const struct oc_node *node) {
    return node->is_approved ? "approved" : "pending-approval";
}

/* A node says either that a command is not permitted or that it is not denied, see node/declare/permissions.c. */
static enum oc_local_gate local_gate(const cJSON *permissions, const char *command) {
    OC_AUTO_FREE char *denied = oc_strfmt("%s.denied", command);
    if (oc_json_get(permissions, command)) {
        return oc_json_get_bool(permissions, command, false) ? OC_LOCAL_OPEN : OC_LOCAL_SHUT;
    }
    if (oc_json_get(permissions, denied)) {
        return oc_json_get_bool(permissions, denied, true) ? OC_LOCAL_SHUT : OC_LOCAL_OPEN;
    }
    const struct oc_switch *s = oc_switch_of(command);
    switch (s ? oc_switch_state(permissions, s) : OC_SWITCH_UNKNOWN) {
    case OC_SWITCH_OFF:
    case OC_SWITCH_NOT_INSTALLED:
        return OC_LOCAL_SHUT;
    case OC_SWITCH_ON:
        return OC_LOCAL_OPEN;
    case OC_SWITCH_UNKNOWN:
        break;
    }
    return OC_LOCAL_UNKNOWN;
}

struct oc_command_gates oc_node_gates(
        const struct oc_node *node, const struct oc_policy *p, const char *command) {
    struct oc_command_gates g = {
        .declared = oc_strv_has(&node->declared, command),
        .policy = oc_policy_allows(p, node->platform_class, command),
    };
    /* The policy may refuse what was approved while it did not: that is still approved. */
    g.approved = oc_strv_has(&node->commands, command) || oc_strv_has(&node->approved, command);
    g.local = local_gate(node->permissions, command);
    return g;
}
