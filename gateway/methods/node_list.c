/* node.list, node.describe, node.rename. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/node_entry.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

void oc_method_node_list(const struct oc_call *call) {
    struct oc_buf payload = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    struct oc_node_records all = oc_gateway_node_records(call->gw);
    oc_node_entries_put(&all, &payload);
    oc_call_ok_text(call, &payload);
}

struct params {
    const char *node_id, *display_name;
};
#define T struct params
static const struct oc_json_field describe_fields[] = {
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
};
static const struct oc_json_field rename_fields[] = {
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, display_name, "displayName", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

void oc_method_node_describe(const struct oc_call *call) {
    struct params p = { 0 };
    if (!oc_call_decode(call, describe_fields, OC_COUNT(describe_fields), &p)) {
        return;
    }
    struct oc_buf payload = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    struct oc_node_records all = oc_gateway_node_records(call->gw);
    struct oc_error err;
    if (oc_node_entry_put(&all, p.node_id, &payload, &err) != OC_OK) {
        oc_call_fail(call, &err);
        return;
    }
    oc_call_ok_text(call, &payload);
}

void oc_method_node_rename(const struct oc_call *call) {
    struct params p = { 0 };
    if (!oc_call_decode(call, rename_fields, OC_COUNT(rename_fields), &p)) {
        return;
    }
    struct oc_actor actor = oc_conn_actor(call->conn);
    struct oc_error err;
    /* A device that names itself makes a claim like any other. */
    bool by_owner = !actor.device_id || oc_actor_require(&actor, OC_SCOPE_ADMIN, &err) == OC_OK;
    if (oc_actor_require_to_remove(&actor, p.node_id, &err) != OC_OK ||
            oc_surface_rename(call->gw->surface, p.node_id, p.display_name, by_owner, &err) !=
                    OC_OK) {
        oc_call_fail(call, &err);
        return;
    }
    OC_AUTO_FREE char *copy = oc_strdup(p.display_name);
    const char *name = oc_trim(copy);
    oc_roster_refresh(call->gw->roster, p.node_id);
    struct oc_node *n = oc_nodes_find(call->gw->nodes, p.node_id);
    if (n) {
        oc_free(n->display_name);
        n->display_name = oc_strdup(name);
        n->is_named_by_owner = by_owner;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "nodeId", p.node_id);
    oc_json_set_str(payload, "displayName", name);
    oc_call_ok(call, payload);
}
