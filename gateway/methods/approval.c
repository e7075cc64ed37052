/* approval.*: the names under which newer clients (2026.9.6) look at and decide approvals of every
 * kind. Here all are of commands; there are no plugins or agents that ask. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/exec/approval_refusal.h"
#include "gateway/exec/approvals.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"

static cJSON *presentation_of(const struct gw_approval *a) {
    bool is_unbound = gw_approval_is_unbound(a);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "kind", "exec");
    oc_json_set_str(o, "commandText", oc_json_get_str(a->request, "command"));
    oc_json_set_str_or_null(o, "host", oc_json_get_str(a->request, "host"));
    oc_json_set_str_or_null(o, "nodeId", oc_json_get_str(a->request, "nodeId"));
    oc_json_set_str_or_null(o, "agentId", oc_json_get_str(a->request, "agentId"));
    cJSON *allowed = cJSON_AddArrayToObject(o, "allowedDecisions");
    for (int i = 1; i < OC_DECISION_COUNT; i++) {
        if (i != OC_DECISION_ALLOW_ALWAYS || !is_unbound) {
            cJSON_AddItemToArray(
                    allowed, cJSON_CreateString(oc_decision_name((enum oc_decision)i)));
        }
    }
    return o;
}

static cJSON *snapshot_of(const struct gw_approval *a) {
    cJSON *o = cJSON_CreateObject();
    OC_AUTO_FREE char *path = oc_strfmt("/approvals/%s", a->id);
    oc_json_set_str(o, "id", a->id);
    oc_json_set_str(o, "urlPath", path);
    oc_json_set_int(o, "createdAtMs", a->created_at_ms);
    oc_json_set_int(o, "expiresAtMs", a->expires_at_ms);
    oc_json_set(o, "presentation", presentation_of(a));
    if (!a->is_settled) {
        oc_json_set_str(o, "status", "pending");
        return o;
    }
    oc_json_set_int(o, "resolvedAtMs", a->resolved_at_ms);
    if (!a->decision) {
        oc_json_set_str(o, "status", "expired");
        oc_json_set_str(o, "reason", "timeout");
        return o;
    }
    oc_json_set_str(o, "status", a->decision == OC_DECISION_DENY ? "denied" : "allowed");
    oc_json_set_str(o, "decision", oc_decision_name(a->decision));
    oc_json_set_str(o, "reason", "user");
    cJSON *resolver = cJSON_AddObjectToObject(o, "resolver");
    oc_json_set_str(resolver, "kind", "device");
    const char *device = oc_json_get_str(a->decider, "deviceId");
    oc_json_set_str(resolver, "id", device ? device : a->resolved_by);
    return o;
}

/* Answers when there is none. */
static const struct gw_approval *approval_find(const struct gw_call *call) {
    const char *id = oc_json_get_str(call->params, "id");
    const struct gw_approval *a = id ? gw_approvals_find(call->gw->approvals, id) : NULL;
    a = a && a->is_looking ? NULL : a;
    if (!a) {
        gw_conn_answer_error(call->conn, call->id, gw_approval_not_found("approval not found"));
    }
    return a;
}

void gw_method_approval_get(const struct gw_call *call) {
    const struct gw_approval *a = approval_find(call);
    if (a) {
        cJSON *o = cJSON_CreateObject();
        oc_json_set(o, "approval", snapshot_of(a));
        gw_call_ok(call, o);
    }
}

static void answer_resolved(
        const struct gw_call *call, const struct gw_approval *a, bool is_applied) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "applied", is_applied);
    oc_json_set(o, "approval", snapshot_of(a));
    gw_call_ok(call, o);
}

void gw_method_approval_resolve(const struct gw_call *call) {
    enum oc_decision decision = oc_decision_named(oc_json_get_str(call->params, "decision"));
    const char *kind = oc_json_get_str(call->params, "kind");
    if (!decision || !oc_streq(kind, "exec")) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "invalid approval.resolve params", NULL, -1);
        return;
    }
    const struct gw_approval *a = approval_find(call);
    if (a) {
        gw_approval_resolve(call, a, decision, answer_resolved);
    }
}

/* What was decided a moment ago: an approval is forgotten soon after it is settled. The newest, as
 * many as fit into an answer. */
void gw_method_approval_history(const struct gw_call *call) {
    const char *kind = oc_json_get_str(call->params, "kind");
    int64_t limit = oc_json_clamp_int(call->params, "limit", 0, 10000, 100);
    size_t shown = 0;
    cJSON *items = cJSON_CreateArray();
    const struct gw_approval *a = NULL;
    while (limit > 0 && (!kind || oc_streq(kind, "exec")) &&
            (a = gw_approvals_before(call->gw->approvals, a)) != NULL) {
        if (!a->is_settled) {
            continue;
        }
        shown += a->shown;
        if (shown > OC_MAX_APPROVAL_LIST) {
            break;
        }
        cJSON_AddItemToArray(items, snapshot_of(a));
        limit--;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "items", items);
    gw_call_ok(call, o);
}

/* The older name, which knows only those that wait. */
void gw_method_exec_approval_get(const struct gw_call *call) {
    const char *id = oc_json_get_str(call->params, "id");
    const struct gw_approval *a = id ? gw_approvals_find(call->gw->approvals, id) : NULL;
    if (!id || !*id) {
        gw_call_fail_with(call, OC_WIRE_INVALID,
                "invalid exec.approval.get params: must have required property 'id'", NULL, -1);
        return;
    }
    if (!a || a->is_settled || a->is_looking) {
        gw_conn_answer_error(
                call->conn, call->id, gw_approval_not_found("unknown or expired approval id"));
        return;
    }
    cJSON *o = presentation_of(a);
    cJSON_DeleteItemFromObjectCaseSensitive(o, "kind");
    oc_json_set_str(o, "id", a->id);
    oc_json_set_str_or_null(o, "commandPreview", NULL);
    oc_json_set_int(o, "expiresAtMs", a->expires_at_ms);
    gw_call_ok(call, o);
}

/* Standing grants belong to scheduled jobs of agents. There are none, so that none can be
 * withdrawn. */
void gw_method_no_grants(const struct gw_call *call) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "grants", cJSON_CreateArray());
    gw_call_ok(call, o);
}

void gw_method_no_grant_to_revoke(const struct gw_call *call) {
    const char *id = oc_json_get_str(call->params, "grantId");
    if (!id || !*id) {
        gw_call_fail_with(call, OC_WIRE_INVALID,
                "invalid exec.approval.grants.revoke params: must have required property 'grantId'",
                NULL, -1);
        return;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "outcome", "not-found");
    gw_call_ok(call, o);
}

/* Plugins and agents ask for nothing here. */
void gw_method_no_approvals(const struct gw_call *call) {
    gw_call_ok(call, cJSON_CreateArray());
}
