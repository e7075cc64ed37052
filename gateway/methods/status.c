/* Small methods that only read: health, status, system-presence, skills.bins. */
#include "gateway/core.h"
#include "gateway/health.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"

void gw_method_health(const struct gw_call *call) {
    gw_call_ok(call, gw_health_build(call->gw));
}

void gw_method_status(const struct gw_call *call) {
    gw_call_ok(call, gw_status_build(call->gw));
}

void gw_method_system_presence(const struct gw_call *call) {
    gw_call_ok(call, gw_presence_list(call->gw->presence));
}

/* This gateway has no skills, so no binary is allowed because of one. */
void gw_method_skills_bins(const struct gw_call *call) {
    cJSON *payload = cJSON_CreateObject();
    cJSON_AddArrayToObject(payload, "bins");
    gw_call_ok(call, payload);
}
