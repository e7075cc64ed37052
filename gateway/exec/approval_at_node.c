#include "gateway/exec/approval_at_node.h"

#include "gateway/conn/conn.h"
#include "gateway/conn/conns.h"
#include "gateway/conn/events.h"
#include "gateway/exec/approval_events.h"
#include "gateway/exec/run_caller.h"
#include "gateway/invoke/invoke.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"

#define TAG "gateway.approvals"

cJSON *gw_approval_ask_of(const struct gw_approval *a) {
    cJSON *o = cJSON_CreateObject();
    const cJSON *run = oc_json_get(a->request, "run");
    oc_json_set_str(o, "id", a->id);
    oc_json_set_int(o, "timeoutMs", a->expires_at_ms - a->created_at_ms);
    oc_json_set(o, "run", run ? cJSON_Duplicate(run, true) : NULL);
    return o;
}

const char *gw_approval_asked_at(const char *text) {
    return oc_streq(text, "terminal") ? "terminal" : oc_streq(text, "desktop") ? "desktop" : NULL;
}

/* A yes from a node, which looks once more before it counts. */
struct prompted {
    struct gw_invoke_waiter waiter;
    const struct gw_approval_looks *looks;
    char *approval_id, *by;
    enum oc_decision decision;
    cJSON *decider;
};

static void prompted_free(struct prompted *p) {
    cJSON_Delete(p->decider);
    oc_free(p->approval_id);
    oc_free(p->by);
    oc_free(p);
}

static void prompted_settle(const struct prompted *p, const struct gw_approval *a) {
    if (gw_approvals_resolve(p->looks->approvals, a->id, p->decision, p->by, p->decider)) {
        gw_exec_approval_tell_end(p->looks->conns, a);
    }
}

/* Without a look operators can still decide. */
static void on_looked(struct gw_invoke_waiter *waiter, const struct gw_answer *answer) {
    struct prompted *p = OC_CONTAINER(waiter, struct prompted, waiter);
    const struct gw_approval *a = p->looks->conns->is_stopping
                                          ? NULL
                                          : gw_approvals_find(p->looks->approvals, p->approval_id);
    OC_AUTO_FREE char *state = gw_approval_state_in(answer);
    if (!a || a->is_settled || a->void_reason) {
        /* It is over. */
    } else if (!state) {
        oc_log(OC_LOG_WARN, TAG, "%s allowed a command, but it was not looked at again", p->by);
    } else if (!oc_streq(state, a->state)) {
        gw_exec_approval_changed(p->looks->conns, a);
    } else {
        prompted_settle(p, a);
    }
    prompted_free(p);
}

static bool is_of(const struct gw_approval *a, const struct gw_conn *c) {
    return c->node && oc_streq(oc_json_get_str(a->request, "nodeId"), c->node->id);
}

/* The owner's name for it where there is one: a node chooses its own. */
static char *decided_by(const struct gw_conn *node) {
    const char *given = node->node->display_name, *own = node->client.display_name;
    const char *name = given ? given : own ? own : node->client.id;
    return oc_strfmt("the person at %s (says the node)", name ? name : "the node");
}

const char *gw_approval_prompted(
        const struct gw_approval_looks *looks, struct gw_conn *node, const cJSON *payload) {
    const char *id = oc_json_get_str(payload, "approvalId");
    enum oc_decision decision = oc_decision_named(oc_json_get_str(payload, "decision"));
    const struct gw_approval *a = id ? gw_approvals_find(looks->approvals, id) : NULL;
    if (!decision) {
        return "invalid_payload";
    }
    if (!a || !a->asked_at || a->is_looking || a->is_settled || !is_of(a, node)) {
        return "unknown_approval";
    }
    gw_approval_answered_there(a); /* the node's question is gone: it has one answer */
    if (decision == OC_DECISION_ALLOW_ALWAYS && gw_approval_is_unbound(a)) {
        decision = OC_DECISION_ALLOW_ONCE; /* what cannot be remembered */
    }
    struct prompted *p = oc_new(struct prompted);
    *p = (struct prompted){ .waiter.on_answer = on_looked,
        .looks = looks,
        .approval_id = oc_strdup(a->id),
        .by = decided_by(node),
        .decision = decision,
        .decider = gw_run_caller(node) };
    struct oc_error err;
    if (!a->state || decision == OC_DECISION_DENY) {
        prompted_settle(p, a);
        prompted_free(p);
        return NULL;
    }
    if (gw_approval_look_again(looks, node, a, &p->waiter, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "%s allowed a command, but: %s", p->by, err.text);
        prompted_free(p);
        return "not_looked_at";
    }
    return NULL;
}

void gw_approval_ask_over(struct gw_conns *all, const char *node_id, const char *approval_id) {
    struct gw_conn *c;
    oc_list_for_each(c, &all->list, link) {
        if (c->state == GW_CONN_READY && c->node && oc_streq(c->node->id, node_id)) {
            cJSON *payload = cJSON_CreateObject();
            oc_json_set_str(payload, "id", approval_id);
            gw_event_send(c, GW_EVENT_NODE_EXEC_SETTLED, payload);
        }
    }
}
