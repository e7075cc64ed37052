/* node.pair.request: asks on behalf of a node. Nothing opens by it: somebody has to approve. */
#include "gateway/conn/conn.h"
#include "gateway/conn/events.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/pairing/node_requests.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"

struct params {
    struct gw_node_ask ask;
    struct oc_strv caps, commands;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, ask.node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, ask.display_name, "displayName", OC_NONEMPTY),
    OC_STR(T, ask.platform, "platform", OC_NONEMPTY),
    OC_STR(T, ask.version, "version", OC_NONEMPTY),
    OC_STR(T, ask.core_version, "coreVersion", OC_NONEMPTY),
    OC_STR(T, ask.ui_version, "uiVersion", OC_NONEMPTY),
    OC_STR(T, ask.device_family, "deviceFamily", OC_NONEMPTY),
    OC_STR(T, ask.model_identifier, "modelIdentifier", OC_NONEMPTY),
    OC_STR(T, ask.remote_ip, "remoteIp", OC_NONEMPTY),
    OC_STRV(T, caps, "caps", 0, OC_MAX_NODE_COMMANDS),
    OC_STRV(T, commands, "commands", 0, OC_MAX_NODE_COMMANDS),
    OC_BOOL(T, ask.is_silent, "silent", 0),
};
#undef T

static void node_pair_request_make(const struct gw_call *call, struct params *p) {
    struct gw_actor actor = gw_conn_actor(call->conn);
    p->ask.caps = &p->caps;
    p->ask.commands = &p->commands;
    cJSON *request = NULL;
    bool is_new = false;
    struct oc_error err;
    if (gw_node_request_make(call->gw->store, call->gw->clock, &actor, &p->ask, &request, &is_new,
                &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    if (is_new) {
        oc_log(OC_LOG_INFO, "gateway.pairing", "node request made node=%.12s request=%s",
                p->ask.node_id, oc_json_get_str(request, "requestId"));
        gw_event_broadcast(
                &call->gw->conns, GW_EVENT_NODE_PAIR_REQUESTED, cJSON_Duplicate(request, true));
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "status", "pending");
    oc_json_set(payload, "request", request);
    oc_json_set_bool(payload, "created", is_new);
    gw_call_ok(call, payload);
}

void gw_method_node_pair_request(const struct gw_call *call) {
    struct params p = { 0 };
    if (gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        node_pair_request_make(call, &p);
    }
    oc_strv_finish(&p.caps);
    oc_strv_finish(&p.commands);
}
