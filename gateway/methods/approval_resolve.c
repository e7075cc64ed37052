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
#include "gateway/exec/approvals.h"
#include "gateway/exec/run_caller.h"
#include "gateway/invoke/invoke.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/scopes.h"
#include "lib/text/fix.h"
#include "lib/text/paste.h"

#include <string.h>

/* A decision that waits for the node's look. */
struct deciding {
    struct gw_invoke_waiter waiter;
    struct gw_conn *conn;
    struct oc_list link; /* gw_conn.deciding */
    char *request_id, *approval_id;
    const char *method, *decision; /* literals (gw_call.method) */
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

static void approval_resolve_fail(const struct gw_call *call, const char *wire, const char *code,
        const char *fix, const char *message) {
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", code);
    oc_json_set_str(d, "fix", fix);
    gw_call_fail_with(call, wire, message, d, -1);
}

/* An approval is a second look. Whoever may change the node's exec-approvals.json anyway
 * (operator.admin) can give it to themselves, as with 2026.2.26, unless it is a program that acts
 * for somebody else. Turning one's own request down is always possible. */
static bool may_decide(
        const struct gw_call *call, const struct gw_approval *a, const char *decision) {
    const struct gw_conn *c = call->conn;
    if (oc_streq(decision, "allow-always") && gw_approval_is_unbound(a)) {
        approval_resolve_fail(call, OC_WIRE_INVALID, "APPROVAL_CONTENT_NOT_BOUND", "allow it once",
                "content not bound: what this command runs can change, so it is allowed once at a "
                "time");
        return false;
    }
    /* All that come with the shared secret alone are one: a second connection is no second look. */
    bool is_own = a->is_device ? oc_streq(a->actor, c->device_id) : !c->device_id;
    if (!is_own || oc_streq(decision, "deny") ||
            (oc_scope_held(&c->scopes, OC_SCOPE_ADMIN) && !oc_streq(c->client.mode, "backend"))) {
        return true;
    }
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", "APPROVAL_OWN_REQUEST");
    struct oc_grounds g = { .remedy = OC_REMEDY_OTHER_OPERATOR };
    OC_AUTO_FREE char *fix = oc_fix_text(&g, OC_GATEWAY);
    oc_grounds_put(d, &g, fix);
    gw_call_fail_with(call, OC_WIRE_INVALID, "whoever asked cannot approve it", d, -1);
    return false;
}

static bool approval_resolve_decide(
        const struct gw_call *call, const struct gw_approval *a, const char *decision) {
    const struct gw_conn *c = call->conn;
    const char *by = c->client.display_name ? c->client.display_name : c->client.id;
    OC_AUTO_JSON cJSON *decider = gw_run_caller(c);
    if (!gw_approvals_resolve(call->gw->approvals, a->id, decision, by, decider)) {
        return false;
    }
    bool is_own = oc_streq(a->actor, a->is_device ? c->device_id : c->id);
    gw_exec_approval_tell_end(call->conn->all, a, is_own && oc_streq(decision, "deny"));
    return true;
}

static void fail_changed(const struct gw_call *call) {
    approval_resolve_fail(call, OC_WIRE_INVALID, "APPROVAL_CHANGED",
            "have it asked for again, with files that nobody changes meanwhile",
            "nothing was approved: its files have changed since it was asked for, so it was "
            "withdrawn");
}

static void fail_unseen(const struct gw_call *call, const char *why) {
    OC_AUTO_FREE char *shown = oc_printable(why, strlen(why), 200);
    OC_AUTO_FREE char *message = oc_strfmt("nothing was approved: the node did not say whether its "
                                           "files are still the same (%s)",
            shown);
    approval_resolve_fail(call, OC_WIRE_UNAVAILABLE, "APPROVAL_NOT_LOOKED_AT",
            "approve it again when the node answers: openclaw nodes status", message);
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
        approval_resolve_fail(call, OC_WIRE_INVALID, "APPROVAL_NOT_FOUND",
                "openclaw approvals pending", "approval expired or not found");
    } else if (a->void_reason) {
        fail_changed(call);
    } else if (a->is_settled) {
        d->answer(call, a, false);
    } else if (!state) {
        fail_unseen(call, why_unseen(answer));
    } else if (!oc_streq(state, a->state)) {
        gw_exec_approval_changed(call->conn->all, a);
        fail_changed(call);
    } else {
        d->answer(call, a, approval_resolve_decide(call, a, d->decision));
    }
}

static void on_looked(struct gw_invoke_waiter *waiter, const struct gw_answer *answer) {
    struct deciding *d = OC_CONTAINER(waiter, struct deciding, waiter);
    struct gw_gateway *gw = d->conn->gw;
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
        const char *decision, gw_approval_resolved *answer) {
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
        fail_unseen(call, err.text);
    }
}

void gw_approval_resolve(const struct gw_call *call, const struct gw_approval *a,
        const char *decision, gw_approval_resolved *answer) {
    if (a->is_settled) {
        answer(call, a, false);
    } else if (!may_decide(call, a, decision)) {
        return;
    } else if (a->state && !oc_streq(decision, "deny")) {
        look_first(call, a, decision, answer);
    } else {
        answer(call, a, approval_resolve_decide(call, a, decision));
    }
}
