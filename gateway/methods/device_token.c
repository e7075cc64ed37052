/* device.token.*: a device proves itself with its token; a new or withdrawn one ends what the old
 * one opened. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"

static const char closed_text[] =
        "unauthorized: device token mismatch (rotate/reissue device token)";

struct token_params {
    const char *device_id, *role;
    const cJSON *scopes;
};
#define T struct token_params
static const struct oc_json_field fields[] = {
    OC_STR(T, device_id, "deviceId", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, role, "role", OC_REQUIRED | OC_NONEMPTY),
    OC_ANY(T, scopes, "scopes", OC_NULLABLE),
};
#undef T

void gw_method_device_token_rotate(const struct gw_call *call) {
    struct token_params p = { 0 };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    OC_AUTO_STRV struct oc_strv scopes = { 0 };
    struct oc_error err;
    if (p.scopes && (!cJSON_IsArray(p.scopes) || cJSON_GetArraySize(p.scopes) > OC_MAX_SCOPES)) {
        oc_fail(&err, OC_E_INVALID, "at /scopes: must be array of at most %d strings",
                OC_MAX_SCOPES);
        gw_call_fail_params(call, &err);
        return;
    }
    oc_json_get_strv(call->params, "scopes", &scopes);
    struct gw_actor actor = gw_conn_actor(call->conn);
    cJSON *payload = NULL;
    if (gw_pairing_rotate(call->gw->pairing, &actor, p.device_id, p.role, p.scopes ? &scopes : NULL,
                &payload, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    oc_log(OC_LOG_INFO, "gateway.pairing", "device token rotated device=%.12s", p.device_id);
    gw_roster_refresh(call->gw->roster, p.device_id); /* a rotation may bring a revoked one back */
    gw_device_close(call->gw, p.device_id, p.role, call->conn, closed_text, closed_text);
    gw_call_ok(call, payload);
}

void gw_method_device_token_revoke(const struct gw_call *call) {
    struct token_params p = { 0 };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    struct gw_actor actor = gw_conn_actor(call->conn);
    cJSON *payload = NULL;
    struct oc_error err;
    if (gw_pairing_revoke(call->gw->pairing, &actor, p.device_id, p.role, &payload, &err) !=
            OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    oc_log(OC_LOG_INFO, "gateway.pairing", "device token revoked device=%.12s", p.device_id);
    gw_roster_refresh(call->gw->roster, p.device_id);
    gw_device_close(call->gw, p.device_id, p.role, call->conn, closed_text, closed_text);
    gw_call_ok(call, payload);
}
