/* canvas.watch.close: all addresses of a node's canvas end, whoever made them.
 * canvas.watch.open: an address where a browser sees the canvas of a node, and touches it. It does what whoever asks for it may do
 * with that canvas anyway, no more. Ours; the reference has no such methods. */
#include "gateway/canvas/canvas_caps.h"
#include "gateway/canvas/canvas_host.h"
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/exec/run_caller.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/gates.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
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
static bool pass(const struct oc_call *call, const struct oc_node *node, const char *command) {
    struct oc_gate_refusal refusal = { 0 };
    if (oc_gates_pass(node, node->client->platform, &call->gw->cfg.policy, command, &refusal)) {
        return true;
    }
    oc_call_fail_with(call, OC_WIRE_INVALID, refusal.message, refusal.details, -1);
    return false;
}

/* Of nodes that are not connected, too. */
void oc_method_canvas_watch_close(const struct oc_call *call) {
    struct params p = { 0 };
    struct oc_canvas_caps *caps = oc_canvas_host_caps(call->gw->canvas);
    if (!oc_call_decode(call, fields, 1, &p)) {
        return;
    }
    unsigned ended = caps ? oc_canvas_caps_end_node(caps, p.node_id) : 0;
    cJSON *answer = cJSON_CreateObject();
    oc_json_set_str(answer, "nodeId", p.node_id);
    oc_json_set_int(answer, "ended", ended);
    oc_log(OC_LOG_INFO, "gateway.canvas", "addresses to watch a canvas ended node=%.12s by=%.12s",
            p.node_id, oc_run_actor(call->conn));
    oc_call_ok(call, answer);
}

void oc_method_canvas_watch_open(const struct oc_call *call) {
    struct params p = { 0 };
    struct oc_gateway *gw = call->gw;
    struct oc_canvas_caps *caps = oc_canvas_host_caps(gw->canvas);
    if (!oc_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    if (!caps) {
        oc_call_fail_with(call, OC_WIRE_UNAVAILABLE,
                "the canvas host is switched off; on the gateway run: openclaw config set "
                "canvasHost.enabled true",
                NULL, -1);
        return;
    }
    const struct oc_node *node = oc_nodes_find(gw->nodes, p.node_id);
    if (!node) {
        oc_node_invoke_not_connected(call, p.node_id, "canvas.view");
        return;
    }
    if (!pass(call, node, "canvas.view") || (!p.read_only && !pass(call, node, "canvas.input"))) {
        return;
    }
    struct oc_canvas_cap like = { .node_id = (char *)p.node_id,
        .actor = (char *)oc_run_actor(call->conn),
        .device_id = call->conn->device_id,
        .is_read_only = p.read_only };
    struct oc_canvas_cap *cap;
    struct oc_error err;
    if (oc_canvas_cap_open(caps, oc_loop_now_ms(gw->loop), &like, &cap, &err) != OC_OK) {
        oc_call_fail(call, &err);
        return;
    }
    OC_AUTO_SECRET char *url = oc_canvas_host_watch_url(gw->canvas, call->conn, cap);
    cJSON *answer = cJSON_CreateObject();
    oc_json_set_str(answer, "nodeId", p.node_id);
    oc_json_set_str(answer, "url", url);
    oc_json_set_bool(answer, "readOnly", p.read_only);
    oc_json_set_int(answer, "expiresAtMs", oc_wall_ms(gw->clock) + OC_CANVAS_WATCH_MS);
    oc_log(OC_LOG_INFO, "gateway.canvas", "address to watch a canvas node=%.12s by=%.12s%s",
            p.node_id, oc_run_actor(call->conn), p.read_only ? " read-only" : "");
    oc_call_ok(call, answer);
}
