/* What connections are to the rest of the gateway. */
#include "gateway/conn/conns.h"
#include "gateway/canvas/canvas_caps.h"
#include "gateway/canvas/canvas_host.h"
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/handshake/handshake.h"
#include "gateway/invoke/invoke.h"
#include "gateway/methods/methods.h"
#include "lib/protocol/scopes.h"

static void on_connect(struct gw_conn *c, const struct oc_frame *frame) {
    gw_handshake(&c->all->gw->handshake, c, frame);
}

static void on_unread(struct gw_conn *c, struct oc_slice text) {
    gw_invoke_result_unread(c->all->gw->invokes, c->device_id, text);
}

static void on_detached(struct gw_conn *c) {
    struct gw_gateway *gw = c->all->gw;
    gw_node_invoke_forget(c);
    gw_exec_approval_forget(c);
    if (c->node && gw_nodes_unregister(gw->nodes, c->node)) {
        gw_invokes_node_lost(gw->invokes, c->node->id);
        gw_trim_soon(gw); /* after what it was doing for others */
        gw_roster_seen(gw->roster, c->node->id, oc_wall_ms(gw->clock), "disconnect");
    }
    if (c->is_in_presence) {
        c->is_in_presence = false;
        struct gw_presence_info info = gw_conn_presence(c);
        if (gw_presence_disconnected(gw->presence, &info)) {
            gw_presence_changed(gw);
        }
    }
}

const struct gw_conn_hooks gw_gateway_conn_hooks = {
    .on_connect = on_connect,
    .on_request = gw_method_call,
    .on_unread = on_unread,
    .on_drained = gw_node_invoke_drained,
    .on_detached = on_detached,
    .on_gone = gw_conn_gone,
};

void gw_device_close(struct gw_gateway *gw, const char *device_id, const char *role,
        struct gw_conn *asking, const char *reason_v3, const char *reason_v4) {
    struct gw_canvas_caps *caps = gw_canvas_host_caps(gw->canvas);
    if (caps && (!role || oc_streq(role, OC_ROLE_OPERATOR))) {
        gw_canvas_caps_end_device(caps, device_id);
    }
    if (caps && (!role || oc_streq(role, OC_ROLE_NODE))) { /* it may come back as another's */
        (void)gw_canvas_caps_end_node(caps, device_id);
    }
    gw_conns_close_device(&gw->conns, device_id, role, asking, reason_v3, reason_v4);
}
