/* node.pluginSurface.refresh: a node's address of canvas files anew, with a fresh capability; the
 * last one ends. */
#include "gateway/canvas/canvas_host.h"
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"

void gw_method_node_plugin_surface_refresh(const struct gw_call *call) {
    const char *surface = oc_json_get_str(call->params, "surface");
    if (oc_str_blank(surface)) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "surface required", NULL, -1);
        return;
    }
    bool is_canvas = oc_streq(surface, "canvas");
    OC_AUTO_FREE char *url = is_canvas ? gw_canvas_host_url(call->gw->canvas, call->conn) : NULL;
    if (!url) {
        OC_AUTO_FREE char *shown = oc_printable(surface, strlen(surface), 60);
        OC_AUTO_FREE char *message = oc_strfmt("%s plugin surface unavailable", shown);
        gw_call_fail_with(call, OC_WIRE_UNAVAILABLE, message, NULL, -1);
        return;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "surface", surface);
    oc_json_set_str(cJSON_AddObjectToObject(o, "pluginSurfaceUrls"), surface, url);
    oc_json_set_int(o, "expiresAtMs",
            oc_wall_ms(call->gw->clock) + call->conn->canvas_pass.until_ms -
                    oc_loop_now_ms(call->gw->loop));
    gw_call_ok(call, o);
}
