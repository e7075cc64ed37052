/* canvas.watch.close: all addresses of a node's canvas end, whoever made them. canvas.watch.open:
 * an address where a browser sees the canvas of a node, and touches it. It does what whoever asks
 * for it may do with that canvas anyway, no more. Ours; the reference has no such methods. */
#include "gateway/canvas/canvas_caps.h"
#include "gateway/canvas/canvas_host.h"
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/exec/run_caller.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/gates.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"

struct params {
    const char *node_id;
    bool read_only;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
    OC_BOOL(T, read_only, "readOnly", OC_NULLABLE),
};
#undef T

/* Said now, to who can do something about it; the page is asked again each time. */
static bool canvas_watch_pass(
        const struct gw_call *call, const struct gw_node *node, const char *command) {
    struct gw_gate_refusal refusal = { 0 };
    if (gw_gates_pass(node, node->client->platform, &call->gw->cfg.policy, command, &refusal)) {
        return true;
    }
    gw_call_fail_with(call, OC_WIRE_INVALID, refusal.message, refusal.details, -1);
    return false;
}

/* Of nodes that are not connected, too. */
void gw_method_canvas_watch_close(const struct gw_call *call) {
    struct params p = { 0 };
    struct gw_canvas_caps *caps = gw_canvas_host_caps(call->gw->canvas);
    if (!gw_call_decode(call, fields, 1, &p)) {
        return;
    }
    unsigned ended = caps ? gw_canvas_caps_end_node(caps, p.node_id) : 0;
    cJSON *answer = cJSON_CreateObject();
    oc_json_set_str(answer, "nodeId", p.node_id);
    oc_json_set_int(answer, "ended", ended);
    oc_log(OC_LOG_INFO, "gateway.canvas", "addresses to watch a canvas ended node=%.12s by=%.12s",
            p.node_id, gw_run_actor(call->conn));
    gw_call_ok(call, answer);
}

void gw_method_canvas_watch_open(const struct gw_call *call) {
    struct params p = { 0 };
    struct gw_gateway *gw = call->gw;
    struct gw_canvas_caps *caps = gw_canvas_host_caps(gw->canvas);
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    if (!caps) {
        struct oc_error off;
        (void)oc_fail(&off, OC_E_UNAVAILABLE, "the canvas host is switched off");
        off.grounds.cause = OC_CAUSE_SWITCHED_OFF;
        off.grounds.remedy = OC_REMEDY_ENABLE_CANVAS_HOST;
        gw_call_fail_said(call, OC_WIRE_UNAVAILABLE, &off);
        return;
    }
    const struct gw_node *node = gw_nodes_find(gw->nodes, p.node_id);
    if (!node) {
        gw_node_invoke_not_connected(call, p.node_id, "canvas.view");
        return;
    }
    if (!canvas_watch_pass(call, node, "canvas.view") ||
            (!p.read_only && !canvas_watch_pass(call, node, "canvas.input"))) {
        return;
    }
    struct gw_canvas_cap like = { .node_id = (char *)p.node_id,
        .actor = (char *)gw_run_actor(call->conn),
        .device_id = call->conn->device_id,
        .is_read_only = p.read_only };
    struct gw_canvas_cap *cap;
    struct oc_error err;
    if (gw_canvas_cap_open(caps, oc_loop_now_ms(gw->loop), &like, &cap, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    OC_AUTO_SECRET char *url = gw_canvas_host_watch_url(gw->canvas, call->conn, cap, gw_port(gw));
    cJSON *answer = cJSON_CreateObject();
    oc_json_set_str(answer, "nodeId", p.node_id);
    oc_json_set_str(answer, "url", url);
    oc_json_set_bool(answer, "readOnly", p.read_only);
    oc_json_set_int(answer, "expiresAtMs", oc_wall_ms(gw->clock) + GW_CANVAS_WATCH_MS);
    oc_log(OC_LOG_INFO, "gateway.canvas", "address to watch a canvas node=%.12s by=%.12s%s",
            p.node_id, gw_run_actor(call->conn), p.read_only ? " read-only" : "");
    gw_call_ok(call, answer);
}
