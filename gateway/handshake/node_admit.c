/* A device that connected as a node becomes one: declared → allowed by policy → approved by the
 * owner. */
#include "gateway/handshake/handshake.h"

#include "gateway/conn/conn.h"
#include "gateway/handshake/node_surface.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/connect.h"

#define TAG "gateway.nodes"

static void take_over(const struct gw_handshake_uses *uses, struct gw_conn *c) {
    struct gw_node *old = gw_nodes_register(uses->nodes, c->node);
    if (!old) {
        return;
    }
    OC_AUTO_FREE char *label = gw_conn_label(c);
    oc_log(OC_LOG_INFO, TAG, "replaces an older connection %s", label);
    gw_invokes_node_lost(uses->invokes, c->node->id);
    /* A close frame has nothing but its text: lib/protocol/foreign_errors.c reads it. */
    gw_conn_close(old->conn, 1008, "replaced by a newer connection of this device");
}

void gw_node_admit(
        const struct gw_handshake_uses *uses, struct gw_conn *c, const struct oc_connect *connect) {
    struct gw_node *n = oc_new(struct gw_node);
    n->conn = c;
    n->id = c->device_id;
    n->client = &c->client;
    n->from = &c->from;
    n->display_name = oc_strdup(c->client.display_name);
    n->permissions = c->client.permissions;
    n->platform_class = gw_platform_classify(c->client.platform, c->client.device_family);
    n->connected_at_ms = oc_wall_ms(c->all->clock);
    oc_strv_copy(&n->declared, &connect->commands);
    oc_strv_sort_unique(&n->declared);
    oc_strv_copy(&n->declared_caps, &connect->caps);
    oc_strv_sort_unique(&n->declared_caps);
    c->node = n;
    take_over(uses, c);
    gw_node_surface_refresh(uses, n);
    gw_roster_seen(uses->roster, n->id, n->connected_at_ms, "connect");
}
