#include "gateway/handshake/node_surface.h"

#include "gateway/conn/conn.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/text/fix.h"

#define TAG "gateway.nodes"

static void forget_surface(struct gw_node *n) {
    oc_strv_finish(&n->caps);
    oc_strv_finish(&n->commands);
    oc_strv_finish(&n->approved);
    oc_free(n->pending_request_id);
    n->pending_request_id = NULL;
    n->is_approved = false;
}

/* The name it was given wins over the one it brings. */
static void read_record(const struct gw_handshake_uses *uses, struct gw_node *n) {
    OC_AUTO_JSON cJSON *record = NULL;
    struct oc_error err;
    if (gw_surface_node(uses->surface, n->id, &record, &err) != OC_OK) {
        return;
    }
    const char *name = oc_json_get_str(record, "displayName");
    const char *source = oc_json_get_str(record, "displayNameSource");
    if (name && source) {
        oc_free(n->display_name);
        n->display_name = oc_strdup(name);
        n->is_named_by_owner = strcmp(source, "owner") == 0;
    }
    n->approved_at_ms = oc_json_get_ms(record, "approvedAtMs", 0);
    if (n->approved_at_ms > 0) {
        oc_json_get_strv(record, "commands", &n->approved);
    }
}

void gw_node_surface_refresh(const struct gw_handshake_uses *uses, struct gw_node *n) {
    struct gw_conn *c = n->conn;
    forget_surface(n);
    OC_AUTO_STRV struct oc_strv allowed = { 0 };
    gw_policy_filter(&uses->conns->cfg->policy, n->platform_class, &n->declared, &allowed);
    struct gw_surface_claim claim = {
        .node_id = n->id,
        .display_name = c->client.display_name,
        .platform = c->client.platform,
        .version = c->client.version,
        .device_family = c->client.device_family,
        .client_id = c->client.id,
        .client_mode = c->client.mode,
        .remote_ip = c->from.is_loopback ? NULL : c->from.ip,
        .caps = &n->declared_caps,
        .commands = &allowed,
    };
    struct gw_surface_outcome o;
    struct oc_error err;
    if (gw_surface_check(uses->surface, &claim, &o, &err) != OC_OK) {
        OC_AUTO_FREE char *fix = oc_fix_text(&err.grounds);
        OC_AUTO_FREE char *why = oc_fix_sentence(err.text, &err.grounds, fix);
        oc_log(OC_LOG_ERROR, TAG, "node stays without commands node=%.12s: %s", n->id, why);
        return;
    }
    n->is_approved = o.is_approved;
    oc_strv_copy(&n->caps, &o.caps);
    oc_strv_sort_unique(&n->caps);
    oc_strv_copy(&n->commands, &o.commands);
    oc_strv_sort_unique(&n->commands);
    n->pending_request_id = oc_strdup(oc_json_get_str(o.request, "requestId"));
    if (n->commands.count > 0) {
        gw_conn_give_room(c);
    }
    if (o.is_new_request) {
        oc_log(OC_LOG_INFO, TAG, "node waits for approval node=%.12s request=%s", n->id,
                n->pending_request_id ? n->pending_request_id : "-");
        gw_event_broadcast(
                uses->conns, GW_EVENT_NODE_PAIR_REQUESTED, cJSON_Duplicate(o.request, true));
    }
    gw_surface_outcome_finish(&o);
    read_record(uses, n);
    gw_roster_refresh(uses->roster, n->id);
}

void gw_node_surface_resolved(const struct gw_handshake_uses *uses, const char *request_id,
        const char *node_id, const char *decision) {
    oc_log(OC_LOG_INFO, TAG, "node surface %s node=%.12s request=%s", decision, node_id,
            request_id);
    cJSON *event = cJSON_CreateObject();
    oc_json_set_str(event, "requestId", request_id);
    oc_json_set_str(event, "nodeId", node_id);
    oc_json_set_str(event, "decision", decision);
    oc_json_set_int(event, "ts", oc_wall_ms(uses->conns->clock));
    gw_roster_refresh(uses->roster, node_id);
    struct gw_node *n = gw_nodes_find(uses->nodes, node_id);
    if (n) {
        if (oc_streq(decision, "approved")) {
            gw_node_surface_refresh(uses, n);
        } else { /* asking again at once would make the refusal pointless; the next connect may */
            oc_free(n->pending_request_id);
            n->pending_request_id = NULL;
        }
        gw_event_send(n->conn, GW_EVENT_NODE_PAIR_RESOLVED, cJSON_Duplicate(event, true));
    }
    gw_event_broadcast(uses->conns, GW_EVENT_NODE_PAIR_RESOLVED, event);
}
