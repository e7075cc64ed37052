/* node.list, node.describe, node.rename. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/node_entry.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

void gw_method_node_list(const struct gw_call *call) {
    struct oc_buf payload = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    struct gw_node_records all = gw_gateway_node_records(call->gw);
    gw_node_entries_put(&all, &payload);
    gw_call_ok_text(call, &payload);
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

void gw_method_node_describe(const struct gw_call *call) {
    struct params p = { 0 };
    if (!gw_call_decode(call, describe_fields, OC_COUNT(describe_fields), &p)) {
        return;
    }
    struct oc_buf payload = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    struct gw_node_records all = gw_gateway_node_records(call->gw);
    struct oc_error err;
    if (gw_node_entry_put(&all, p.node_id, &payload, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    gw_call_ok_text(call, &payload);
}

void gw_method_node_rename(const struct gw_call *call) {
    struct params p = { 0 };
    if (!gw_call_decode(call, rename_fields, OC_COUNT(rename_fields), &p)) {
        return;
    }
    struct gw_actor actor = gw_conn_actor(call->conn);
    struct oc_error err;
    /* A device that names itself makes a claim like any other. */
    bool by_owner = !actor.device_id || gw_actor_require(&actor, OC_SCOPE_ADMIN, &err) == OC_OK;
    if (gw_actor_require_to_remove(&actor, p.node_id, &err) != OC_OK ||
            gw_surface_rename(call->gw->surface, p.node_id, p.display_name, by_owner, &err) !=
                    OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    OC_AUTO_FREE char *copy = oc_strdup(p.display_name);
    const char *name = oc_trim(copy);
    gw_roster_refresh(call->gw->roster, p.node_id);
    struct gw_node *n = gw_nodes_find(call->gw->nodes, p.node_id);
    if (n) {
        oc_free(n->display_name);
        n->display_name = oc_strdup(name);
        n->is_named_by_owner = by_owner;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "nodeId", p.node_id);
    oc_json_set_str(payload, "displayName", name);
    gw_call_ok(call, payload);
}
