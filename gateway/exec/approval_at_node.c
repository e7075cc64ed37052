#include "gateway/exec/approval_at_node.h"

#include "gateway/conn/conn.h"
#include "gateway/conn/conns.h"
#include "gateway/conn/events.h"
#include "gateway/exec/approval_events.h"
#include "gateway/exec/run_caller.h"
#include "lib/base/mem.h"

cJSON *gw_approval_ask_of(const struct gw_approval *a) {
    cJSON *o = cJSON_CreateObject();
    const cJSON *run = oc_json_get(a->request, "run");
    oc_json_set_str(o, "id", a->id);
    oc_json_set_int(o, "timeoutMs", a->expires_at_ms - a->created_at_ms);
    oc_json_set(o, "run", run ? cJSON_Duplicate(run, true) : NULL);
    return o;
}

const char *gw_approval_asked_at(const char *text) {
    return oc_streq(text, "terminal") ? "terminal" : oc_streq(text, "desktop") ? "desktop" : NULL;
}

static bool is_of(const struct gw_approval *a, const struct gw_conn *c) {
    return c->node && oc_streq(oc_json_get_str(a->request, "nodeId"), c->node->id);
}

/* It decides about itself, and gate 4 is its own. What cannot be remembered is allowed once. */
const char *gw_approval_prompted(
        struct gw_approvals *t, const struct gw_conn *node, const cJSON *payload) {
    const char *id = oc_json_get_str(payload, "approvalId");
    const char *decision = gw_approval_decision(oc_json_get_str(payload, "decision"));
    const struct gw_approval *a = id ? gw_approvals_find(t, id) : NULL;
    if (!decision) {
        return "invalid_payload";
    }
    if (!a || !a->asked_at || a->is_looking || a->is_settled || !is_of(a, node)) {
        return "unknown_approval";
    }
    if (oc_streq(decision, "allow-always") && gw_approval_is_unbound(a)) {
        decision = "allow-once";
    }
    OC_AUTO_JSON cJSON *decider = gw_run_caller(node);
    const char *name = node->client.display_name ? node->client.display_name : node->client.id;
    OC_AUTO_FREE char *by = oc_strfmt("somebody at %s", name ? name : "the node");
    if (!gw_approvals_resolve(t, a->id, decision, by, decider)) {
        return "unknown_approval";
    }
    gw_exec_approval_tell_end(node->all, a);
    return NULL;
}

void gw_approval_ask_over(struct gw_conns *all, const struct gw_approval *a) {
    struct gw_conn *c;
    if (!a->asked_at) {
        return;
    }
    oc_list_for_each(c, &all->list, link) {
        if (c->state == GW_CONN_READY && is_of(a, c)) {
            cJSON *payload = cJSON_CreateObject();
            oc_json_set_str(payload, "id", a->id);
            gw_event_send(c, GW_EVENT_EXEC_APPROVAL_RESOLVED, payload);
        }
    }
}
