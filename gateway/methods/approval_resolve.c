/* How an approval is decided, for exec.approval.resolve and approval.resolve.
 *
 *   may this caller decide? ─▶ deny, or not bound to files ────────────────────────▶ settled
 *                           └─▶ the node looks once more ─┬─ the same state ───────▶ settled
 *                                                         └─ another one, or none ─▶ an error,
 *                                                                              not approved
 *
 * Whoever keeps the node from looking does not get an approval by it, and the approver needs no
 * right to call nodes. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/exec/approval_events.h"
#include "gateway/exec/approval_look.h"
#include "gateway/exec/approval_refusal.h"
#include "gateway/exec/approvals.h"
#include "gateway/exec/run_caller.h"
#include "gateway/invoke/invoke.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"
#include "lib/protocol/scopes.h"

#include <string.h>

/* A decision that waits for the node's look. */
struct deciding {
    struct gw_invoke_waiter waiter;
    struct gw_conn *conn;
    struct oc_list link; /* gw_conn.deciding */
    char *request_id, *approval_id;
    const char *method; /* a literal (gw_call.method) */
    enum oc_decision decision;
    gw_approval_resolved *answer;
};

static void free_deciding(struct deciding *d) {
    oc_list_remove(&d->link);
    oc_free(d->request_id);
    oc_free(d->approval_id);
    oc_free(d);
}

void gw_approval_resolve_forget(struct gw_conn *c) {
    while (!oc_list_empty(&c->waits.deciding)) {
        struct deciding *d = oc_list_first(&c->waits.deciding, struct deciding, link);
        gw_invoke_leave(&d->waiter);
        free_deciding(d);
    }
}

static void approval_resolve_fail(
        const struct gw_call *call, enum gw_approval_refusal refusal, const char *why) {
    gw_conn_answer_error(call->conn, call->id, gw_approval_refuse(refusal, why));
}

/* An approval is a second look. Whoever may change the node's exec-approvals.json anyway
 * (operator.admin) can give it to themselves, as with 2026.2.26, unless it is a program that acts
 * for somebody else. Turning one's own request down is always possible. */
static bool may_decide(
        const struct gw_call *call, const struct gw_approval *a, enum oc_decision decision) {
    const struct gw_conn *c = call->conn;
    if (decision == OC_DECISION_ALLOW_ALWAYS && gw_approval_is_unbound(a)) {
        approval_resolve_fail(call, GW_APPROVAL_CONTENT_NOT_BOUND, NULL);
        return false;
    }
    /* All that come with the shared secret alone are one: a second connection is no second look. */
    bool is_own = a->is_device ? oc_streq(a->actor, c->device_id) : !c->device_id;
    if (!is_own || decision == OC_DECISION_DENY ||
            (oc_scope_held(&c->scopes, OC_SCOPE_ADMIN) && !oc_streq(c->client.mode, "backend"))) {
        return true;
    }
    approval_resolve_fail(call, GW_APPROVAL_OWN_REQUEST, NULL);
    return false;
}

bool gw_approval_is_of(const struct gw_approval *a, const struct gw_conn *c) {
    return oc_streq(a->actor, a->is_device ? c->device_id : c->id);
}

static bool approval_resolve_decide(
        const struct gw_call *call, const struct gw_approval *a, enum oc_decision decision) {
    const struct gw_conn *c = call->conn;
    const char *by = c->client.display_name ? c->client.display_name : c->client.id;
    OC_AUTO_JSON cJSON *decider = gw_run_caller(c);
    struct gw_approvals *all = call->gw->approvals;
    bool is_done = gw_approval_is_of(a, c) && decision == OC_DECISION_DENY
                           ? gw_approvals_withdraw(all, a->id, OC_CAUSE_WITHDRAWN, by, decider)
                           : gw_approvals_resolve(all, a->id, decision, by, decider);
    if (is_done) {
        gw_exec_approval_tell_end(call->conn->all, a);
    }
    return is_done;
}

static const char *why_unseen(const struct gw_answer *answer) {
    return answer->ok             ? "it told no state"
           : answer->node_message ? answer->node_message
           : answer->message      ? answer->message
                                  : "it did not say why";
}

static void approval_resolve_settle(const struct gw_call *call, const struct deciding *d,
        const struct gw_approval *a, const struct gw_answer *answer) {
    OC_AUTO_FREE char *state = gw_approval_state_in(answer);
    if (!a) {
        approval_resolve_fail(call, GW_APPROVAL_NOT_FOUND, NULL);
    } else if (a->void_reason) {
        approval_resolve_fail(call, GW_APPROVAL_CHANGED, NULL);
    } else if (a->is_settled) {
        d->answer(call, a, false);
    } else if (!state) {
        approval_resolve_fail(call, GW_APPROVAL_NOT_LOOKED_AT, why_unseen(answer));
    } else if (!oc_streq(state, a->state)) {
        gw_exec_approval_changed(call->conn->all, a);
        approval_resolve_fail(call, GW_APPROVAL_CHANGED, NULL);
    } else {
        d->answer(call, a, approval_resolve_decide(call, a, d->decision));
    }
}

static void on_looked(struct gw_invoke_waiter *waiter, const struct gw_answer *answer) {
    struct deciding *d = OC_CONTAINER(waiter, struct deciding, waiter);
    struct gw_gateway *gw = d->conn->all->gw;
    oc_list_remove(&d->link);
    oc_list_init(&d->link); /* the connection may end over the answer */
    const struct gw_call call = {
        .gw = gw, .conn = d->conn, .party = d->conn->party, .id = d->request_id, .method = d->method
    };
    approval_resolve_settle(&call, d,
            gw->conns.is_stopping ? NULL : gw_approvals_find(gw->approvals, d->approval_id),
            answer);
    free_deciding(d);
}

static void look_first(const struct gw_call *call, const struct gw_approval *a,
        enum oc_decision decision, gw_approval_resolved *answer) {
    struct deciding *d = oc_new(struct deciding);
    struct oc_error err;
    *d = (struct deciding){ .waiter.on_answer = on_looked,
        .conn = call->conn,
        .request_id = oc_strdup(call->id),
        .approval_id = oc_strdup(a->id),
        .method = call->method,
        .decision = decision,
        .answer = answer };
    oc_list_append(&call->conn->waits.deciding, &d->link);
    if (gw_approval_look_again(&call->gw->looks, call->conn, a, &d->waiter, &err) != OC_OK) {
        free_deciding(d);
        approval_resolve_fail(call, GW_APPROVAL_NOT_LOOKED_AT, err.text);
    }
}

void gw_approval_resolve(const struct gw_call *call, const struct gw_approval *a,
        enum oc_decision decision, gw_approval_resolved *answer) {
    if (a->is_settled) {
        answer(call, a, false);
    } else if (!may_decide(call, a, decision)) {
        return;
    } else if (a->state && decision != OC_DECISION_DENY) {
        look_first(call, a, decision, answer);
    } else {
        answer(call, a, approval_resolve_decide(call, a, decision));
    }
}
