#include "gateway/conn/call.h"

#include "gateway/conn/conn.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/text/fix.h"

void gw_call_ok(const struct gw_call *call, cJSON *take_payload) {
    gw_conn_answer(call->conn, call->id, take_payload);
}

void gw_call_ok_text(const struct gw_call *call, struct oc_buf *take_payload) {
    gw_conn_answer_text(call->conn, call->id, take_payload);
}

void gw_call_fail_with(const struct gw_call *call, const char *wire_code, const char *message,
        cJSON *take_details, int64_t retry_after_ms) {
    gw_conn_answer_error(
            call->conn, call->id, oc_wire_error(wire_code, message, take_details, retry_after_ms));
}

void gw_call_fail_said(
        const struct gw_call *call, const char *wire_code, const struct oc_error *err) {
    gw_conn_answer_error(
            call->conn, call->id, oc_grounds_error(wire_code, err->text, &err->grounds, NULL, -1));
}

void gw_call_fail_scope(const struct gw_call *call, const char *scope) {
    OC_AUTO_FREE char *message = oc_strfmt("missing scope: %s", scope);
    bool is_new = call->conn->protocol >= 4;
    cJSON *d = cJSON_CreateObject();
    if (is_new) {
        oc_json_set_str(d, "code", "MISSING_SCOPE");
        oc_json_set_str(d, "missingScope", scope);
        oc_json_set(d, "requiredScopes", cJSON_CreateStringArray(&scope, 1));
    }
    struct oc_grounds g = {
        .cause = OC_CAUSE_MISSING_SCOPE, .gate = OC_GATE_SCOPE, .remedy = OC_REMEDY_APPROVE_SCOPE
    };
    oc_grounds_set_subject(&g, scope);
    OC_AUTO_FREE char *fix = oc_fix_text(&g);
    oc_grounds_put(d, &g, fix);
    gw_call_fail_with(call, is_new ? OC_WIRE_FORBIDDEN : OC_WIRE_INVALID, message, d, -1);
}

void gw_call_fail(const struct gw_call *call, const struct oc_error *err) {
    if (err->grounds.cause == OC_CAUSE_MISSING_SCOPE) {
        gw_call_fail_scope(call, err->grounds.subject);
        return;
    }
    if (err->grounds.cause == OC_CAUSE_BUSY) {
        gw_call_fail_said(call, oc_wire_code(err), err);
        return;
    }
    if (err->code == OC_E_IO || err->code == OC_E_CORRUPT || err->code == OC_E_INTERNAL) {
        oc_log(OC_LOG_ERROR, "gateway.methods", "%s failed: %s", call->method, err->text);
    }
    gw_conn_answer_error(call->conn, call->id, oc_wire_error_from(err));
}

void gw_call_fail_params(const struct gw_call *call, const struct oc_error *err) {
    OC_AUTO_FREE char *message = oc_strfmt("invalid %s params: %s", call->method, err->text);
    gw_conn_answer_error(call->conn, call->id,
            oc_grounds_error(OC_WIRE_INVALID, message, &err->grounds, NULL, -1));
}

bool gw_call_decode(
        const struct gw_call *call, const struct oc_json_field *fields, size_t n, void *ret) {
    struct oc_error err;
    if (oc_json_decode(call->params, "", fields, n, ret, &err) == OC_OK) {
        return true;
    }
    gw_call_fail_params(call, &err);
    return false;
}
