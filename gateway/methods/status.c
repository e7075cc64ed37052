/* Small methods that only read: health, status, system-presence, skills.bins. */
#include "gateway/core.h"
#include "gateway/health.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"

void oc_method_health(const struct oc_call *call) {
    oc_call_ok(call, oc_health_build(call->gw));
}

void oc_method_status(const struct oc_call *call) {
    oc_call_ok(call, oc_status_build(call->gw));
}

void oc_method_system_presence(const struct oc_call *call) {
    oc_call_ok(call, oc_presence_list(call->gw->presence));
}

/* This gateway has no skills, so no binary is allowed because of one. */
void oc_method_skills_bins(const struct oc_call *call) {
    cJSON *payload = cJSON_CreateObject();
    cJSON_AddArrayToObject(payload, "bins");
    oc_call_ok(call, payload);
}
