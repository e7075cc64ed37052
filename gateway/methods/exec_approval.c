/* exec.approval.*: ask for the approval of one command, wait for it, decide it
 * (docs/PROTOCOL.md#exec-approvals). */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/exec/approval_events.h"
#include "gateway/exec/approval_look.h"
#include "gateway/exec/approval_refusal.h"
#include "gateway/exec/approvals.h"
#include "gateway/exec/run_binding.h"
#include "gateway/exec/run_caller.h"
#include "gateway/exec/run_manner.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/text/argv_text.h"
#include "lib/text/fix.h"

#include <stdint.h>
#include <string.h>

#define MAX_ARGV 16384

struct params {
    const char *id, *command, *cwd, *node_id, *host, *security, *ask, *agent_id, *resolved_path,
            *session_key, *channel, *to, *account, *reason;
    const cJSON *plan_v2, *plan, *env, *thread, *run;
    struct oc_strv argv;
    int64_t timeout_ms;
    bool is_two_phase;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, id, "id", OC_NULLABLE),
    OC_STR(T, command, "command", OC_NULLABLE),
    OC_STRV(T, argv, "commandArgv", OC_NULLABLE, MAX_ARGV),
    OC_OBJ(T, plan_v2, "systemRunPlanV2", OC_NULLABLE),
    OC_OBJ(T, plan, "systemRunPlan", OC_NULLABLE),
    OC_OBJ(T, env, "env", OC_NULLABLE),
    OC_OBJ(T, run, "run", OC_NULLABLE),
    OC_STR(T, cwd, "cwd", OC_NULLABLE),
    OC_STR(T, node_id, "nodeId", OC_NULLABLE),
    OC_STR(T, host, "host", OC_NULLABLE),
    OC_STR(T, security, "security", OC_NULLABLE),
    OC_STR(T, ask, "ask", OC_NULLABLE),
    OC_STR(T, agent_id, "agentId", OC_NULLABLE),
    OC_STR(T, resolved_path, "resolvedPath", OC_NULLABLE),
    OC_STR(T, session_key, "sessionKey", OC_NULLABLE),
    OC_STR(T, channel, "turnSourceChannel", OC_NULLABLE),
    OC_STR(T, to, "turnSourceTo", OC_NULLABLE),
    OC_STR(T, account, "turnSourceAccountId", OC_NULLABLE),
    OC_ANY(T, thread, "turnSourceThreadId", OC_NULLABLE),
    OC_STR(T, reason, "reason",
            OC_NULLABLE), /* ours: why it needs approval, as the asker heard it */
    OC_INT(T, timeout_ms, "timeoutMs", OC_NULLABLE, 1, OC_MAX_INVOKE_MS),
    OC_BOOL(T, is_two_phase, "twoPhase", OC_NULLABLE),
};
#undef T

/* A request that waits for a decision. */
struct decision_waiter {
    struct gw_approval_waiter waiter;
    struct gw_conn *conn;
    struct oc_list link; /* gw_conn.approvals */
    char *request_id;
};

static void free_waiting(struct decision_waiter *w) {
    oc_list_remove(&w->link);
    oc_free(w->request_id);
    oc_free(w);
}

static void on_settled(struct gw_approval_waiter *waiter, const struct gw_approval *a) {
    struct decision_waiter *w = OC_CONTAINER(waiter, struct decision_waiter, waiter);
    struct gw_conn *c = w->conn;
    OC_AUTO_FREE char *request_id = oc_take(&w->request_id);
    free_waiting(w);
    cJSON *payload = gw_approval_brief(a);
    oc_json_set_str_or_null(payload, "decision", oc_decision_name(a->decision));
    oc_json_set_str(payload, "reason", a->void_reason);
    oc_json_set_str(payload, "cause", oc_cause_name(a->cause)); /* ours */
    gw_conn_answer(c, request_id, payload);
}

static void on_accepted(struct gw_approval_waiter *waiter, const struct gw_approval *a) {
    const struct decision_waiter *w = OC_CONTAINER(waiter, struct decision_waiter, waiter);
    cJSON *accepted = gw_approval_brief(a);
    oc_json_set_str(accepted, "status", "accepted");
    oc_json_set_str(accepted, "askedAtNode", a->asked_at); /* ours */
    gw_conn_answer(w->conn, w->request_id, accepted);
}

/* Without a device only the connection that asked can use the approval: nobody needs to decide any
 * more. */
static void exec_approval_withdraw(const struct gw_conn *c) {
    const struct gw_approval *a = gw_approvals_before(c->all->gw->approvals, NULL);
    for (; a; a = gw_approvals_before(c->all->gw->approvals, a)) {
        if (!a->is_device && oc_streq(a->actor, c->id) &&
                gw_approvals_withdraw(
                        c->all->gw->approvals, a->id, OC_CAUSE_ASKER_LEFT, NULL, NULL)) {
            gw_exec_approval_tell_end(c->all, a);
        }
    }
}

void gw_exec_approval_forget(struct gw_conn *c) {
    while (!oc_list_empty(&c->waits.approvals)) {
        struct decision_waiter *w =
                oc_list_first(&c->waits.approvals, struct decision_waiter, link);
        gw_approval_leave(&w->waiter);
        free_waiting(w);
    }
    gw_approval_resolve_forget(c);
    exec_approval_withdraw(c);
}

/* is_first: it is the request itself, in two phases. */
static void wait_for(const struct gw_call *call, const struct gw_approval *a, bool is_first) {
    struct decision_waiter *w = oc_new(struct decision_waiter);
    w->waiter.on_settled = on_settled;
    w->waiter.on_ready = is_first ? on_accepted : NULL;
    w->conn = call->conn;
    w->request_id = oc_strdup(call->id);
    oc_list_append(&call->conn->waits.approvals, &w->link);
    struct oc_error err;
    if (gw_approval_wait(a, &w->waiter, &err) != OC_OK) {
        free_waiting(w);
        gw_call_fail(call, &err);
    }
}

/* A plan says what runs; without one the request does. */
static void read_facts(const struct params *p, const cJSON *plan, struct gw_run_facts *ret) {
    *ret = (struct gw_run_facts){ .env = p->env };
    if (plan) {
        oc_json_get_strv(plan, "argv", &ret->argv);
        ret->cwd = oc_json_get_str(plan, "cwd");
        ret->agent_id = oc_json_get_str(plan, "agentId");
        ret->session_key = oc_json_get_str(plan, "sessionKey");
        return;
    }
    oc_strv_copy(&ret->argv, &p->argv);
    ret->cwd = p->cwd;
    ret->agent_id = p->agent_id;
    ret->session_key = p->session_key;
}

/* The people who decide must see what will run, so a text that came with the request counts only
 * where there is no argv: "ls -l" is a fair name for `sh -c "ls -l"` and a disguise for `/tmp/evil
 * -c "ls -l"`, and nobody reads that closely. */
static char *shown_command(const struct params *p, const struct gw_run_facts *facts) {
    return facts->argv.count > 0 ? oc_argv_shown(&facts->argv)
                                 : oc_printable(p->command, strlen(p->command), SIZE_MAX);
}

static cJSON *build_request(const struct params *p, const struct gw_run_facts *facts) {
    bool is_node = oc_streq(p->host, "node");
    const cJSON *plan = !is_node ? NULL : p->plan_v2 ? p->plan_v2 : p->plan;
    OC_AUTO_FREE char *command = shown_command(p, facts);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "command", command);
    if (facts->argv.count > 0) {
        oc_json_set_strv(o, "commandArgv", &facts->argv);
    }
    char hash[65];
    OC_AUTO_STRV struct oc_strv keys = { 0 };
    if (is_node && gw_run_env_hash(p->env, hash, &keys)) {
        oc_json_set_strv(o, "envKeys", &keys);
        oc_json_set(
                o, "env", gw_run_env_bound(p->env)); /* ours: who decides sees the values, too */
    }
    cJSON *binding = is_node ? gw_run_binding_build(facts) : cJSON_CreateNull();
    cJSON_AddItemToObject(o, "systemRunBindingV1", binding);
    cJSON_AddItemToObject(o, "systemRunPlanV2",
            plan && plan == p->plan_v2 ? cJSON_Duplicate(plan, true) : cJSON_CreateNull());
    if (plan && plan == p->plan) { /* as newer clients call them */
        oc_json_set(o, "systemRunBinding", cJSON_Duplicate(binding, true));
        oc_json_set(o, "systemRunPlan", cJSON_Duplicate(plan, true));
    }
    oc_json_set_str_or_null(o, "cwd", oc_str_or_null(facts->cwd));
    oc_json_set_str_or_null(o, "nodeId", is_node ? oc_str_or_null(p->node_id) : NULL);
    oc_json_set_str_or_null(o, "host", oc_str_or_null(p->host));
    oc_json_set_str_or_null(o, "security", p->security);
    oc_json_set_str_or_null(o, "ask", p->ask);
    oc_json_set_str_or_null(o, "agentId", oc_str_or_null(facts->agent_id));
    oc_json_set_str_or_null(o, "resolvedPath", p->resolved_path);
    oc_json_set_str_or_null(o, "sessionKey", oc_str_or_null(facts->session_key));
    oc_json_set_str_or_null(o, "turnSourceChannel", oc_str_or_null(p->channel));
    oc_json_set_str_or_null(o, "turnSourceTo", oc_str_or_null(p->to));
    oc_json_set_str_or_null(o, "turnSourceAccountId", oc_str_or_null(p->account));
    oc_json_set_str(o, "reason", oc_str_or_null(p->reason));
    bool is_plain = cJSON_IsString(p->thread) || cJSON_IsNumber(p->thread);
    cJSON_AddItemToObject(o, "turnSourceThreadId",
            is_plain ? cJSON_Duplicate(p->thread, true) : cJSON_CreateNull());
    return o;
}

static void exec_approval_add(
        const struct gw_call *call, const struct params *p, cJSON *take_request) {
    const struct gw_conn *c = call->conn;
    OC_AUTO_JSON cJSON *asker = gw_run_caller(c);
    struct gw_approval_spec spec = {
        .id = oc_str_or_null(p->id),
        .actor = c->device_id ? c->device_id : c->id,
        .asked_by = c->client.display_name ? c->client.display_name : c->client.id,
        .asker = asker,
        .is_device = c->device_id != NULL,
        .timeout_ms = p->timeout_ms,
    };
    const struct gw_approval *a = NULL;
    struct oc_error err;
    enum oc_code rc = gw_approvals_add(call->gw->approvals, &spec, take_request, &a, &err);
    if (rc != OC_OK) {
        const char *code = rc == OC_E_EXISTS ? OC_WIRE_INVALID : OC_WIRE_UNAVAILABLE;
        gw_call_fail_said(call, code, &err);
        return;
    }
    /* What will be decided is what the node sees now. Where it cannot be asked, the words are all
     * there is. */
    gw_approval_set_looking(a);
    wait_for(call, a, p->is_two_phase);
    if (!gw_approval_look_ask(&call->gw->looks, c, a)) {
        gw_approval_looked(a, &(struct gw_approval_look){ 0 });
        gw_exec_approval_announce(call->conn->all, a);
    }
}

static bool check_request(
        const struct gw_call *call, const struct params *p, const struct gw_run_facts *facts) {
    bool is_node = oc_streq(p->host, "node");
    const char *problem = NULL;
    if (p->id && strlen(p->id) > OC_MAX_ID_BYTES) {
        problem = "id is too long";
    } else if (is_node && oc_str_blank(p->node_id)) {
        problem = "nodeId is required for host=node";
    } else if (is_node && facts->argv.count == 0) {
        problem = "commandArgv is required for host=node";
    } else if (oc_str_blank(p->command) && facts->argv.count == 0) {
        problem = "invalid exec.approval.request params: must have required property 'command'";
    } else if (oc_streq(p->agent_id, "*") || oc_streq(facts->agent_id, "*")) { /* everybody */
        problem = "invalid exec.approval.request params: at /agentId: must be one agent";
    }
    if (problem) {
        gw_call_fail_with(call, OC_WIRE_INVALID, problem, NULL, -1);
    }
    return !problem;
}

static bool is_too_large(const cJSON *request) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_MAX_APPROVAL_BYTES);
    return oc_json_append(&text, request, false) != OC_OK;
}

void gw_method_exec_approval_request(const struct gw_call *call) {
    struct params p = { 0 };
    struct gw_run_facts facts = { 0 };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        oc_strv_finish(&p.argv);
        return;
    }
    bool is_node = oc_streq(p.host, "node");
    read_facts(&p, !is_node ? NULL : p.plan_v2 ? p.plan_v2 : p.plan, &facts);
    cJSON *manner = NULL;
    struct oc_error err;
    if (gw_run_manner_build(p.run, &manner, &err) != OC_OK) {
        oc_error_prefix(&err, "invalid exec.approval.request params");
        gw_call_fail_with(call, OC_WIRE_INVALID, err.text, NULL, -1);
    } else if (check_request(call, &p, &facts)) {
        OC_AUTO_JSON cJSON *request = build_request(&p, &facts);
        OC_AUTO_JSON cJSON *unbound = gw_run_manner_unbound(manner, NULL);
        oc_json_set(request, "run", oc_take(&manner));
        if (unbound) {
            oc_json_set_bool(request, "contentBound", false);
            oc_json_set(request, "unbound", oc_take(&unbound));
        }
        if (is_too_large(request)) {
            gw_call_fail_with(
                    call, OC_WIRE_INVALID, "the command is too large to be approved", NULL, -1);
        } else {
            exec_approval_add(call, &p, oc_take(&request));
        }
    }
    cJSON_Delete(manner);
    oc_strv_finish(&facts.argv);
    oc_strv_finish(&p.argv);
}

void gw_method_exec_approval_wait_decision(const struct gw_call *call) {
    const char *id = oc_json_get_str(call->params, "id");
    const struct gw_approval *a = id ? gw_approvals_find(call->gw->approvals, id) : NULL;
    if (oc_str_blank(id)) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "id is required", NULL, -1);
    } else if (!a) {
        gw_conn_answer_error(
                call->conn, call->id, gw_approval_not_found("approval expired or not found"));
    } else {
        wait_for(call, a, false);
    }
}

struct verdict {
    const char *id, *decision;
};
#define T struct verdict
static const struct oc_json_field wanted[] = {
    OC_STR(T, id, "id", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, decision, "decision", OC_REQUIRED | OC_NONEMPTY),
};
#undef T

static void answer_resolved(
        const struct gw_call *call, const struct gw_approval *a, bool is_applied) {
    (void)a;
    if (is_applied) {
        cJSON *payload = cJSON_CreateObject();
        oc_json_set_bool(payload, "ok", true);
        gw_call_ok(call, payload);
        return;
    }
    static const struct oc_grounds grounds = { .cause = OC_CAUSE_ALREADY_DECIDED,
        .remedy = OC_REMEDY_LIST_APPROVALS };
    bool is_new = call->conn->protocol >= 4;
    OC_AUTO_FREE char *fix = oc_fix_text(&grounds);
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", is_new ? "APPROVAL_ALREADY_RESOLVED" : NULL);
    oc_grounds_put(d, &grounds, fix);
    gw_call_fail_with(call, OC_WIRE_INVALID,
            is_new ? "approval already resolved" : "unknown approval id", d, -1);
}

void gw_method_exec_approval_resolve(const struct gw_call *call) {
    struct verdict p = { 0 };
    if (!gw_call_decode(call, wanted, OC_COUNT(wanted), &p)) {
        return;
    }
    enum oc_decision decision = oc_decision_named(p.decision);
    const struct gw_approval *a = gw_approvals_find(call->gw->approvals, p.id);
    if (a && a->is_looking && !(gw_approval_is_of(a, call->conn) && decision == OC_DECISION_DENY)) {
        a = NULL; /* it cannot be decided yet, only taken back */
    }
    if (!decision) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "invalid decision", NULL, -1);
        return;
    }
    if (a) {
        gw_approval_resolve(call, a, decision, answer_resolved);
    } else {
        gw_conn_answer_error(call->conn, call->id, gw_approval_not_found("unknown approval id"));
    }
}

void gw_method_exec_approval_list(const struct gw_call *call) {
    gw_call_ok(call, gw_approvals_pending(call->gw->approvals));
}
