#include "gateway/handshake/refusal.h"

#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"
#include "lib/text/fix.h"

#include <stdio.h>

#define RETRY_AFTER_MS 30000

void gw_refusal_finish(struct gw_refusal *r) {
    cJSON_Delete(r->details);
    *r = (struct gw_refusal){ 0 };
}

bool gw_refuse(struct gw_refusal *r, const char *code, const char *message, cJSON *take_details) {
    r->code = code;
    snprintf(r->message, sizeof(r->message), "%s", message);
    r->details = take_details;
    r->retry_after_ms = -1;
    r->close_code = 1008;
    return false;
}

bool gw_refuse_protocol(struct gw_refusal *r, int64_t client_min, int64_t client_max) {
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", "PROTOCOL_MISMATCH");
    oc_json_set_int(d, "clientMinProtocol", client_min);
    oc_json_set_int(d, "clientMaxProtocol", client_max);
    oc_json_set_int(d, "expectedProtocol",
            client_max < OC_PROTOCOL_MIN ? OC_PROTOCOL_MIN : OC_PROTOCOL_MAX);
    oc_json_set_int(d, "minimumProbeProtocol", OC_PROTOCOL_MIN);
    oc_grounds_put(d, &(struct oc_grounds){ .cause = OC_CAUSE_PROTOCOL_MISMATCH }, NULL);
    gw_refuse(r, OC_WIRE_INVALID, "protocol mismatch", d);
    r->close_code = 1002;
    return false;
}

bool gw_refuse_origin(struct gw_refusal *r, int protocol, bool has_origin) {
    cJSON *d = NULL;
    if (protocol >= 4) {
        d = cJSON_CreateObject();
        oc_json_set_str(d, "code", "CONTROL_UI_ORIGIN_NOT_ALLOWED");
        oc_json_set_str(
                d, "reason", has_origin ? "origin not allowed" : "origin missing or invalid");
    }
    return gw_refuse(r, OC_WIRE_INVALID,
            "origin not allowed (open the Control UI from the gateway host or allow it in "
            "gateway.controlUi.allowedOrigins)",
            d);
}

bool gw_refuse_auth(struct gw_refusal *r, enum gw_auth_result why, int protocol,
        const struct oc_connect *c, int64_t retry_after_ms) {
    struct gw_auth_sent sent = { c->token, c->password, c->device_token };
    struct gw_auth_refusal text =
            gw_auth_refuse(why, protocol, c->client_id, c->mode, c->device_id != NULL, &sent);
    gw_refuse(r, OC_WIRE_INVALID, text.message, text.details);
    r->retry_after_ms = retry_after_ms;
    if (retry_after_ms >= 0) {
        oc_json_set_int(r->details, "retryAfterMs", retry_after_ms);
    }
    return false;
}

bool gw_refuse_device(struct gw_refusal *r, enum gw_device_flaw flaw, int protocol) {
    static const struct {
        const char *message, *reason, *code_v4;
    } rows[] = {
        [GW_DEVICE_KEY_INVALID] = { "device public key invalid", "device-public-key",
                "DEVICE_AUTH_PUBLIC_KEY_INVALID" },
        [GW_DEVICE_ID_MISMATCH] = { "device identity mismatch", "device-id-mismatch",
                "DEVICE_AUTH_DEVICE_ID_MISMATCH" },
        [GW_DEVICE_SIGNATURE_STALE] = { "device signature expired", "device-signature-stale",
                "DEVICE_AUTH_SIGNATURE_EXPIRED" },
        [GW_DEVICE_NONCE_MISSING] = { "device nonce required", "device-nonce-missing",
                "DEVICE_AUTH_NONCE_REQUIRED" },
        [GW_DEVICE_NONCE_MISMATCH] = { "device nonce mismatch", "device-nonce-mismatch",
                "DEVICE_AUTH_NONCE_MISMATCH" },
        [GW_DEVICE_SIGNATURE_INVALID] = { "device signature invalid", "device-signature",
                "DEVICE_AUTH_SIGNATURE_INVALID" },
    };
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", protocol >= 4 ? rows[flaw].code_v4 : "DEVICE_AUTH_INVALID");
    oc_json_set_str(d, "reason", rows[flaw].reason);
    oc_grounds_put(d, &(struct oc_grounds){ .cause = OC_CAUSE_BAD_PROOF }, NULL);
    return gw_refuse(r, OC_WIRE_INVALID, rows[flaw].message, d);
}

struct pairing_text {
    const char *reason, *message, *hint;
};

static const struct pairing_text *pairing_text(const char *reason) {
    static const struct pairing_text rows[] = {
        { "not-paired", "pairing required: device is not approved yet",
                "Approve this device from the pending pairing requests." },
        { "role-upgrade",
                "pairing required: device is asking for a higher role than currently approved",
                "Review the requested role upgrade, then approve the pending request." },
        { "scope-upgrade",
                "pairing required: device is asking for more scopes than currently approved",
                "Review the requested scopes, then approve the pending request." },
        { "metadata-upgrade", "pairing required: device identity changed and must be re-approved",
                "Review the refreshed device details, then approve the pending request." },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (oc_streq(reason, rows[i].reason)) {
            return &rows[i];
        }
    }
    return &rows[0];
}

static void set_copy(cJSON *o, const char *key, const cJSON *from, const char *from_key) {
    const cJSON *v = oc_json_get(from, from_key);
    if (v && cJSON_GetArraySize(v) > 0) {
        oc_json_set(o, key, cJSON_Duplicate(v, true));
    }
}

bool gw_refuse_pairing(struct gw_refusal *r, int protocol, const char *reason, const cJSON *request,
        const cJSON *device, const struct oc_connect *c) {
    const struct pairing_text *text = pairing_text(reason);
    const char *id = oc_json_get_str(request, "requestId");
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", "PAIRING_REQUIRED");
    oc_json_set_str(d, "requestId", id);
    oc_json_set_str(d, "reason", text->reason);
    /* Without these two, newer nodes stop trying until somebody restarts them. */
    oc_json_set_str(d, "recommendedNextStep", "wait_then_retry");
    oc_json_set_bool(d, "retryable", true);
    oc_json_set_bool(d, "pauseReconnect", false);
    bool is_node = oc_streq(c->role, OC_ROLE_NODE);
    struct oc_grounds g = { .cause = OC_CAUSE_NOT_PAIRED,
        .gate = OC_GATE_PAIRING,
        .remedy = !id       ? OC_REMEDY_NONE
                  : is_node ? OC_REMEDY_APPROVE_NODE
                            : OC_REMEDY_APPROVE_DEVICE };
    oc_grounds_set_subject(&g, id);
    OC_AUTO_FREE char *fix = oc_fix_text(&g);
    oc_grounds_put(d, &g, fix);
    if (protocol >= 4) {
        oc_json_set_str(d, "remediationHint", text->hint);
        oc_json_set_str(d, "deviceId", c->device_id);
        oc_json_set_str(d, "requestedRole", c->role);
        if (c->scopes.count > 0) {
            oc_json_set_strv(d, "requestedScopes", &c->scopes);
        }
        set_copy(d, "approvedRoles", device, "roles");
        set_copy(d, "approvedScopes", device, "scopes");
    }
    gw_refuse(r, OC_WIRE_NOT_PAIRED, protocol >= 4 ? text->message : "pairing required", d);
    if (protocol >= 4 && id) {
        snprintf(r->close_suffix, sizeof(r->close_suffix), " (requestId: %s)", id);
    }
    return false;
}

bool gw_refuse_crowd(struct gw_refusal *r, bool is_device, unsigned max) {
    OC_AUTO_FREE char *message = oc_strfmt(
            "too many connections: %s %u open already, which is all it may have; close some "
            "of them, or end the programs that hold them",
            is_device ? "this device has" : "the shared secret has", max);
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", "TOO_MANY_CONNECTIONS");
    oc_json_set_int(d, "max", max);
    oc_grounds_put(d, &(struct oc_grounds){ .cause = OC_CAUSE_CROWDED }, NULL);
    gw_refuse(r, OC_WIRE_UNAVAILABLE, message, d);
    r->retry_after_ms = RETRY_AFTER_MS;
    r->close_code = 1013;
    return false;
}

bool gw_refuse_unavailable(
        struct gw_refusal *r, const struct oc_error *err, int64_t retry_after_ms) {
    /* What is wrong with our files is for our log: a stranger reads this. */
    if (err->code == OC_E_UNAVAILABLE) {
        OC_AUTO_FREE char *fix = oc_fix_text(&err->grounds);
        OC_AUTO_FREE char *message = oc_fix_sentence(err->text, &err->grounds, fix);
        cJSON *d = cJSON_CreateObject();
        oc_grounds_put(d, &err->grounds, fix);
        oc_json_set_str(d, "text", err->text);
        gw_refuse(r, OC_WIRE_UNAVAILABLE, message, d);
    } else {
        gw_refuse(r, OC_WIRE_UNAVAILABLE,
                "the gateway cannot use its database at the moment; its log says why", NULL);
    }
    r->retry_after_ms = retry_after_ms;
    r->close_code = 1013;
    return false;
}
