#include "gateway/exec/approval_guard.h"

#include "gateway/exec/run_binding.h"
#include "gateway/exec/run_manner.h"
#include "gateway/exec/system_run.h"
#include "lib/base/mem.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/text/fix.h"

void gw_guard_verdict_finish(struct gw_guard_verdict *v) {
    oc_blob_unref(v->params);
    cJSON_Delete(v->details);
    *v = (struct gw_guard_verdict){ 0 };
}

/* With what helps, where something does. */
static enum oc_code approval_guard_refuse_for(struct gw_guard_verdict *v, const char *code,
        const char *run_id, struct oc_error *err, const struct oc_grounds *g, const char *message) {
    OC_AUTO_FREE char *fix = oc_fix_text(g);
    cJSON_Delete(v->details);
    v->details = cJSON_CreateObject();
    oc_json_set_str(v->details, "code", code);
    oc_json_set_str(v->details, "runId", run_id);
    oc_grounds_put(v->details, g, fix);
    return oc_fail(err, OC_E_INVALID, "%s", message);
}

static enum oc_code approval_guard_refuse(struct gw_guard_verdict *v, const char *code,
        const char *run_id, struct oc_error *err, const char *message) {
    return approval_guard_refuse_for(v, code, run_id, err, &(struct oc_grounds){ 0 }, message);
}

static bool wants_override(const cJSON *params) {
    enum oc_decision decision = oc_decision_named(oc_json_get_str(params, "approvalDecision"));
    return oc_json_get_bool(params, "approved", false) || decision == OC_DECISION_ALLOW_ONCE ||
           decision == OC_DECISION_ALLOW_ALWAYS;
}

/* People had the time they are usually given, and said nothing: the node's askFallback decides. Who
 * asks for less time wanted no answer. */
static bool is_unanswered(const struct gw_approval *a) {
    return a && a->is_settled && !a->decision &&
           a->expires_at_ms - a->created_at_ms >= OC_DEFAULT_APPROVAL_MS;
}

static bool names_unanswered(const struct gw_approvals *t, const cJSON *params) {
    const char *run_id = oc_json_get_str(params, "runId");
    return run_id && is_unanswered(gw_approvals_find(t, run_id));
}

/* The approval is of this node and belongs to this caller. */
static enum oc_code check_owner(const struct gw_approval *a, const struct gw_guard_call *call,
        struct gw_guard_verdict *ret, struct oc_error *err) {
    const char *node_id = oc_json_get_str(a->request, "nodeId");
    if (!node_id) {
        return approval_guard_refuse(ret, "APPROVAL_NODE_BINDING_MISSING", a->id, err,
                "approval id missing node binding");
    }
    if (!oc_streq(node_id, call->node_id)) {
        return approval_guard_refuse(
                ret, "APPROVAL_NODE_MISMATCH", a->id, err, "approval id not valid for this node");
    }
    if (a->is_device && !oc_streq(a->actor, call->device_id)) {
        return approval_guard_refuse(ret, "APPROVAL_DEVICE_MISMATCH", a->id, err,
                "approval id not valid for this device");
    }
    if (!a->is_device && !oc_streq(a->actor, call->conn_id)) {
        return approval_guard_refuse(ret, "APPROVAL_CLIENT_MISMATCH", a->id, err,
                "approval id not valid for this client");
    }
    return OC_OK;
}

static const cJSON *plan_of(const struct gw_approval *a) {
    const cJSON *plan = oc_json_get(a->request, "systemRunPlanV2");
    return plan ? plan : oc_json_get(a->request, "systemRunPlan");
}

static void set_or_drop(cJSON *o, const char *key, const char *value) {
    cJSON_Delete(cJSON_DetachItemFromObjectCaseSensitive(o, key));
    oc_json_set_str(o, key, oc_str_blank(value) ? NULL : value);
}

/* What was planned is what runs, whatever the caller says now. */
static void apply_plan(cJSON *params, const struct gw_approval *a) {
    const cJSON *plan = plan_of(a), *full = oc_json_get(a->request, "systemRunPlan");
    if (!plan) {
        return;
    }
    /* The script that was approved: the node compares its content again. */
    full = full || !oc_json_get(plan, "mutableFileOperand") ? full : plan;
    const char *text = oc_json_get_str(plan, "rawCommand");
    oc_json_set(params, "command", cJSON_Duplicate(oc_json_get(plan, "argv"), true));
    set_or_drop(params, "rawCommand", text ? text : oc_json_get_str(plan, "commandText"));
    set_or_drop(params, "cwd", oc_json_get_str(plan, "cwd"));
    set_or_drop(params, "agentId", oc_json_get_str(plan, "agentId"));
    set_or_drop(params, "sessionKey", oc_json_get_str(plan, "sessionKey"));
    if (full) {
        oc_json_set(
                params, "systemRunPlan", cJSON_Duplicate(full, true)); /* newer nodes check it */
    }
}

static enum oc_code check_binding(const struct gw_approval *a, const cJSON *params,
        struct gw_guard_verdict *ret, struct oc_error *err) {
    struct gw_run_facts facts = {
        .cwd = oc_json_get_str(params, "cwd"),
        .agent_id = oc_json_get_str(params, "agentId"),
        .session_key = oc_json_get_str(params, "sessionKey"),
        .env = oc_json_get(params, "env"),
    };
    const char *code = NULL, *message = NULL;
    oc_json_get_strv(params, "command", &facts.argv);
    bool is_node = oc_streq(oc_json_get_str(a->request, "host"), "node");
    const cJSON *binding = is_node ? oc_json_get(a->request, "systemRunBindingV1") : NULL;
    /* Another kind of argument than text would run, but is in nobody's binding. */
    bool is_text = (size_t)cJSON_GetArraySize(oc_json_get(params, "command")) == facts.argv.count;
    bool is_same = gw_run_binding_matches(is_text ? binding : NULL, &facts, &code, &message);
    oc_strv_finish(&facts.argv);
    if (!is_same) {
        return approval_guard_refuse(ret, code, a->id, err, message);
    }
    const char *excess = gw_run_manner_excess(oc_json_get(a->request, "run"), params);
    return excess ? approval_guard_refuse(ret, "APPROVAL_REQUEST_MISMATCH", a->id, err, excess)
                  : OC_OK;
}

static enum oc_code approval_guard_build(
        const cJSON *params, struct oc_blob **ret, struct oc_error *err) {
    struct oc_buf text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    enum oc_code rc = oc_json_append(&text, params, false);
    if (rc != OC_OK) {
        oc_buf_finish(&text);
        return oc_fail(err, rc, "system.run params are too large");
    }
    *ret = oc_blob_from_buf(&text);
    return OC_OK;
}

/* params: what may go to any node, without the approval. */
static enum oc_code guard_override(const struct gw_approvals *t, const struct gw_guard_call *call,
        cJSON *params, struct gw_guard_verdict *ret, struct oc_error *err) {
    const char *run_id = oc_json_get_str(params, "runId");
    if (oc_str_blank(run_id)) {
        return approval_guard_refuse(
                ret, "MISSING_RUN_ID", NULL, err, "approval override requires params.runId");
    }
    const struct gw_approval *a = gw_approvals_find(t, run_id);
    if (!a) {
        return approval_guard_refuse_for(ret, "UNKNOWN_APPROVAL_ID", run_id, err,
                &(struct oc_grounds){
                        .cause = OC_CAUSE_UNKNOWN_REQUEST, .remedy = OC_REMEDY_LIST_APPROVALS },
                "unknown or expired approval id");
    }
    bool has_no_answer = is_unanswered(a);
    if (!has_no_answer && gw_approval_is_expired(a)) {
        return approval_guard_refuse(ret, "APPROVAL_EXPIRED", run_id, err, "approval expired");
    }
    enum oc_code rc = check_owner(a, call, ret, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (a->void_reason) {
        return approval_guard_refuse_for(ret, "APPROVAL_CHANGED", run_id, err,
                &(struct oc_grounds){ .cause = OC_CAUSE_APPROVAL_CHANGED,
                        .gate = OC_GATE_LOCAL,
                        .remedy = OC_REMEDY_REQUEST_AGAIN },
                a->void_reason);
    }
    apply_plan(params, a);
    rc = check_binding(a, params, ret, err);
    if (rc != OC_OK) {
        return rc;
    }
    bool is_once = has_no_answer || a->decision == OC_DECISION_ALLOW_ONCE;
    bool is_open = a->decision == OC_DECISION_ALLOW_ALWAYS || (is_once && !a->is_used);
    if (!is_open) {
        return approval_guard_refuse(ret, "APPROVAL_REQUIRED", run_id, err, "approval required");
    }
    cJSON *env = gw_run_env_bound(oc_json_get(params, "env"));
    cJSON_DeleteItemFromObjectCaseSensitive(params, "env");
    oc_json_set(params, "env", env);
    if (has_no_answer) {
        oc_json_set_bool(params, "approvalUnanswered", true);
    } else {
        oc_json_set_bool(params, "approved", true);
        oc_json_set_str(params, "approvalDecision", oc_decision_name(a->decision));
    }
    /* The node compares its files with that look right before the start. "": there was none. */
    oc_json_set_str(params, "approvalLook", a->look ? a->look : "");
    rc = approval_guard_build(params, &ret->params, err);
    if (rc == OC_OK && is_once) {
        gw_approval_set_used(a, true);
        ret->consumed = a;
    }
    return rc;
}

enum oc_code gw_approval_guard(const struct gw_approvals *t, const struct gw_guard_call *call,
        struct gw_guard_verdict *ret, struct oc_error *err) {
    *ret = (struct gw_guard_verdict){ 0 };
    struct oc_blob *plain = NULL;
    enum oc_code rc = gw_system_run_params(call->params, &plain, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *given = NULL;
    rc = oc_json_parse_within(
            call->params.ptr, call->params.len, OC_MAX_REQUEST_VALUES, &given, err);
    if (rc != OC_OK || (!wants_override(given) && !names_unanswered(t, given))) {
        ret->params = plain;
        return rc;
    }
    OC_AUTO_JSON cJSON *params = NULL;
    rc = oc_json_parse_within(plain->data, plain->len, OC_MAX_REQUEST_VALUES, &params, err);
    oc_blob_unref(plain);
    return rc == OC_OK ? guard_override(t, call, params, ret, err) : rc;
}
