#include "gateway/health.h"

#include "gateway/core.h"

static cJSON *empty_sessions(void) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "path", "");
    oc_json_set_int(o, "count", 0);
    cJSON_AddArrayToObject(o, "recent");
    return o;
}

cJSON *gw_health_build(const struct gw_gateway *gw) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "ok", true);
    oc_json_set_int(o, "ts", oc_wall_ms(gw->clock));
    oc_json_set_int(o, "durationMs", 0);
    cJSON_AddObjectToObject(o, "channels");
    cJSON_AddArrayToObject(o, "channelOrder");
    cJSON_AddObjectToObject(o, "channelLabels");
    oc_json_set_int(o, "heartbeatSeconds", 0);
    oc_json_set_str(o, "defaultAgentId", "main");
    cJSON_AddArrayToObject(o, "agents");
    oc_json_set(o, "sessions", empty_sessions());
    return o;
}

cJSON *gw_status_build(const struct gw_gateway *gw) {
    cJSON *o = cJSON_CreateObject();
    cJSON *heartbeat = cJSON_AddObjectToObject(o, "heartbeat");
    oc_json_set_str(heartbeat, "defaultAgentId", "main");
    cJSON_AddArrayToObject(heartbeat, "agents");
    cJSON_AddArrayToObject(o, "channelSummary");
    cJSON_AddArrayToObject(o, "queuedSystemEvents");
    cJSON *sessions = cJSON_AddObjectToObject(o, "sessions");
    cJSON_AddArrayToObject(sessions, "paths");
    oc_json_set_int(sessions, "count", 0);
    cJSON *defaults = cJSON_AddObjectToObject(sessions, "defaults");
    cJSON_AddNullToObject(defaults, "model");
    cJSON_AddNullToObject(defaults, "contextTokens");
    cJSON_AddArrayToObject(sessions, "recent");
    cJSON_AddArrayToObject(sessions, "byAgent");
    cJSON *nodes = cJSON_AddObjectToObject(o, "nodes");
    oc_json_set_int(nodes, "connected", (int64_t)gw_nodes_count(gw->nodes));
    oc_json_set_str(o, "runtimeVersion", OC_VERSION);
    return o;
}
