/* What a client learns with hello-ok. Nodes are told only what they need: no paths, and not who
 * else is here. */
#include "gateway/canvas/canvas_host.h"
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/health.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/voicewake.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

static cJSON *hello_features(void) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "methods", gw_method_names());
    cJSON *events = cJSON_AddArrayToObject(o, "events");
    for (int e = 0; e < GW_EVENT_COUNT; e++) {
        cJSON_AddItemToArray(events, cJSON_CreateStringReference(gw_event_name((enum gw_event)e)));
    }
    return o;
}

static cJSON *session_defaults(void) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "defaultAgentId", "main");
    oc_json_set_str(o, "mainKey", "main");
    oc_json_set_str(o, "mainSessionKey", "agent:main:main");
    oc_json_set_str(o, "scope", "per-sender");
    return o;
}

static cJSON *hello_snapshot(const struct gw_conn *c) {
    const struct gw_gateway *gw = c->all->gw;
    /* Who else is here, and where our files are, is for those who could ask for it. */
    bool may_read = oc_streq(c->role, OC_ROLE_OPERATOR) && oc_scope_held(&c->scopes, OC_SCOPE_READ);
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "presence", may_read ? gw_presence_list(gw->presence) : cJSON_CreateArray());
    oc_json_set(o, "health", may_read ? gw_health_build(gw) : cJSON_CreateObject());
    cJSON *version = cJSON_AddObjectToObject(o, "stateVersion");
    oc_json_set_int(version, "presence", gw_presence_version(gw->presence));
    oc_json_set_int(version, "health", gw->conns.health_version);
    oc_json_set_int(o, "uptimeMs", gw_uptime_ms(gw));
    if (may_read) {
        oc_json_set_str(o, "configPath", gw->config_path);
        oc_json_set_str(o, "stateDir", gw->state_dir);
    }
    oc_json_set(o, "sessionDefaults", session_defaults());
    oc_json_set_str(o, "authMode", gw_auth_mode_name(gw->cfg.auth_mode));
    return o;
}

/* What a node whose commands wait for an approval is told next, so that it can tell its owner; NULL
 * when nothing waits. Ours alone: hello-ok is a closed object. */
static cJSON *hello_waiting(const struct gw_conn *c) {
    const struct gw_node *n = c->node;
    if (!n || n->is_approved) {
        return NULL;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "nodeId", n->id);
    oc_json_set_str(o, "approvalState", gw_node_approval_state(n));
    oc_json_set_str(o, "requestId", n->pending_request_id);
    oc_json_set_strv(o, "commands", &n->commands);
    return o;
}

/* Where a node that shows web pages finds ours: under the name of its protocol. */
static void add_canvas(struct gw_conn *c, cJSON *o) {
    OC_AUTO_FREE char *url =
            oc_streq(c->role, OC_ROLE_NODE) ? gw_canvas_host_url(c->all->gw->canvas, c) : NULL;
    if (url && c->protocol >= 4) {
        oc_json_set_str(cJSON_AddObjectToObject(o, "pluginSurfaceUrls"), "canvas", url);
    } else if (url) {
        oc_json_set_str(o, "canvasHostUrl", url);
    }
}

static cJSON *hello_build(struct gw_conn *c, cJSON *take_auth) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "type", "hello-ok");
    oc_json_set_int(o, "protocol", c->protocol);
    cJSON *server = cJSON_AddObjectToObject(o, "server");
    oc_json_set_str(server, "version", OC_VERSION);
    oc_json_set_str(server, "bootId", c->all->gw->boot_id);
    oc_json_set_str(server, "connId", c->id);
    oc_json_set(o, "features", hello_features());
    oc_json_set(o, "snapshot", hello_snapshot(c));
    oc_json_set(o, "auth", take_auth);
    add_canvas(c, o);
    cJSON *policy = cJSON_AddObjectToObject(o, "policy");
    oc_json_set_int(policy, "maxPayload", OC_MAX_MESSAGE_BYTES);
    oc_json_set_int(policy, "maxBufferedBytes", OC_MAX_QUEUED_BYTES);
    oc_json_set_int(policy, "tickIntervalMs", OC_TICK_INTERVAL_MS);
    return o;
}

void gw_hello(struct gw_conn *c, const char *request_id, cJSON *take_auth) {
    gw_conn_answer(c, request_id, hello_build(c, take_auth));
    if (!c->node) {
        gw_event_send(c, GW_EVENT_HEALTH, gw_health_build(c->all->gw));
        return;
    }
    gw_event_send(c, GW_EVENT_VOICEWAKE_CHANGED, gw_voicewake_build(c->all->gw->store));
    cJSON *waiting = hello_waiting(c);
    if (waiting) {
        gw_event_send(c, GW_EVENT_NODE_PAIR_REQUESTED, waiting);
    }
}
