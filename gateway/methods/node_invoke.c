/* node.invoke and node.invoke.result: an operator's request goes to a node, the node's answer comes
 * back. */
#include "gateway/audit/run_audit.h"
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/exec/approval_guard.h"
#include "gateway/exec/run_caller.h"
#include "gateway/exec/system_run.h"
#include "gateway/methods/methods.h"
#include "gateway/nodes/gates.h"
#include "lib/base/mem.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/invoke.h"
#include "lib/protocol/limits.h"
#include "lib/text/fix.h"

#include <string.h>

#define RETRY_AFTER_MS 1000

/* A request that waits for a node. */
struct invoke_waiter {
    struct gw_invoke_waiter waiter;
    struct gw_conn *conn;
    struct oc_list link; /* gw_conn.waiting */
    char *request_id;
    bool is_bare; /* the answer is the node's payload, not node.invoke's */
    struct oc_list
            held; /* held.link: chunks of progress whose answer waits until the caller has read */
    size_t held_count;
};

struct held {
    struct oc_list link;
    char *node_id, *request_id;
    char conn_id[OC_UUID_LEN + 1]; /* the node's connection */
};

static cJSON *progress_answer(bool is_known) {
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_bool(payload, "ok", true);
    oc_json_set_bool(payload, "ignored", !is_known);
    return payload;
}

static void release_held(struct invoke_waiter *w) {
    while (!oc_list_empty(&w->held)) {
        struct held *h = oc_list_first(&w->held, struct held, link);
        oc_list_remove(&h->link);
        const struct gw_node *node = gw_nodes_find(w->conn->all->gw->nodes, h->node_id);
        if (node && strcmp(node->conn->id, h->conn_id) == 0) {
            gw_conn_answer(node->conn, h->request_id, progress_answer(true));
        }
        oc_free(h->node_id);
        oc_free(h->request_id);
        oc_free(h);
    }
    w->held_count = 0;
}

void gw_node_invoke_drained(struct gw_conn *c) {
    struct invoke_waiter *w, *next;
    oc_list_for_each_safe(w, next, &c->waits.invokes, link) {
        release_held(w);
    }
}

static void free_waiting(struct invoke_waiter *w) {
    release_held(w);
    oc_list_remove(&w->link);
    w->conn->waits.invoke_count--;
    oc_free(w->request_id);
    oc_free(w);
}

static void on_answer(struct gw_invoke_waiter *waiter, const struct gw_answer *answer) {
    struct invoke_waiter *w = OC_CONTAINER(waiter, struct invoke_waiter, waiter);
    struct gw_conn *c = w->conn;
    struct oc_msg *m = w->is_bare ? gw_answer_bare_msg(answer, w->request_id)
                                  : gw_answer_msg(answer, w->request_id);
    free_waiting(w);
    c->unauthorized = 0;
    gw_conn_send(c, m, false);
}

/* Droppable, so that a node which talks a lot cannot get its caller closed. */
static void on_progress(struct gw_invoke_waiter *waiter, struct gw_progress *progress) {
    struct invoke_waiter *w = OC_CONTAINER(waiter, struct invoke_waiter, waiter);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "requestId", w->request_id);
    oc_json_set_str(o, "invokeId", progress->invoke_id);
    oc_json_set_str(o, "nodeId", progress->node_id);
    oc_json_set_int(o, "seq", progress->seq);
    oc_json_set_str(o, "chunk", progress->chunk);
    oc_json_set_str(o, "stream", progress->stream);
    oc_json_set_str(o, "encoding", progress->encoding);
    gw_event_send(w->conn, GW_EVENT_NODE_INVOKE_PROGRESS, o);
    if (oc_ws_queued_bytes(w->conn->ws) > OC_MAX_PROGRESS_QUEUED) {
        progress->busy = waiter;
    }
}

void gw_node_invoke_forget(struct gw_conn *c) {
    while (!oc_list_empty(&c->waits.invokes)) {
        struct invoke_waiter *w = oc_list_first(&c->waits.invokes, struct invoke_waiter, link);
        gw_invoke_leave(&w->waiter);
        free_waiting(w);
    }
}

/* The request of a device that nobody has approved yet; NULL when there is none. */
static char *pending_request_of(const struct gw_call *call, const char *device_id) {
    OC_AUTO_JSON cJSON *request = NULL;
    struct oc_error err;
    if (gw_pairing_node_request_of(call->gw->pairing, device_id, &request, &err) != OC_OK) {
        return NULL;
    }
    return oc_strdup(oc_json_get_str(request, "requestId"));
}

void gw_node_invoke_not_connected(
        const struct gw_call *call, const char *node_id, const char *command) {
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", "NOT_CONNECTED");
    oc_json_set_str(d, "command", command);
    OC_AUTO_FREE char *request_id = pending_request_of(call, node_id);
    struct oc_grounds g = { .cause = OC_CAUSE_NODE_NOT_CONNECTED };
    if (request_id) {
        g.gate = OC_GATE_PAIRING;
        g.remedy = OC_REMEDY_APPROVE_NODE;
        oc_grounds_set_subject(&g, request_id);
        oc_json_set_str(d, "requestId", request_id);
    } else {
        bool is_known = gw_roster_find(call->gw->roster, node_id) != NULL;
        g.remedy = is_known ? OC_REMEDY_START_NODE : OC_REMEDY_LIST_NODES;
        oc_grounds_set_subject(&g, node_id);
    }
    OC_AUTO_FREE char *fix = oc_fix_text(&g);
    oc_grounds_put(d, &g, fix);
    gw_call_fail_with(call, OC_WIRE_UNAVAILABLE, "node not connected", d, -1);
}

/* Every gate the gateway guards. Answers when one is shut. */
static bool pass_gates(const struct gw_call *call, const struct oc_invoke_call *in) {
    const struct gw_node *node = gw_nodes_find(call->gw->nodes, in->node_id);
    bool is_run = oc_streq(in->command, "system.run");
    if (!node) {
        if (is_run) {
            gw_run_audit_refused(call->gw->run_audit, call->conn,
                    &(struct gw_run_refusal){ .node_id = in->node_id,
                            .params = in->params,
                            .gate = oc_run_gate_name(OC_RUN_GATE_NODE_NOT_CONNECTED),
                            .code = OC_WIRE_UNAVAILABLE,
                            .text = "node not connected",
                            .grounds = { .cause = OC_CAUSE_NODE_NOT_CONNECTED } });
        }
        gw_node_invoke_not_connected(call, in->node_id, in->command);
        return false;
    }
    struct gw_gate_refusal refusal = { 0 };
    if (!gw_gates_pass(
                node, node->client->platform, &call->gw->cfg.policy, in->command, &refusal)) {
        if (is_run) {
            gw_run_audit_refused(call->gw->run_audit, call->conn,
                    &(struct gw_run_refusal){ .node_id = in->node_id,
                            .params = in->params,
                            .gate = oc_gate_name(refusal.grounds.gate),
                            .code = OC_WIRE_INVALID,
                            .text = oc_json_get_str(refusal.details, "text"),
                            .grounds = refusal.grounds });
        }
        gw_call_fail_with(call, OC_WIRE_INVALID, refusal.message, refusal.details, -1);
        return false;
    }
    return true;
}

/* Somebody at a terminal: when they are gone, so is the wish. */
static bool is_command_line(const struct gw_conn *c) {
    return oc_streq(c->client.id, "cli") && oc_streq(c->client.mode, "cli");
}

bool gw_node_invoke_start(
        const struct gw_call *call, const struct gw_invoke_spec *spec, bool is_bare) {
    struct gw_conn *c = call->conn;
    if (c->waits.invoke_count >= OC_MAX_REQUESTS_PER_CONN) {
        static const struct oc_grounds busy = { .cause = OC_CAUSE_BUSY,
            .remedy = OC_REMEDY_TRY_LATER };
        gw_conn_answer_error(c, call->id,
                oc_grounds_error(OC_WIRE_UNAVAILABLE,
                        "too many unanswered requests on this connection", &busy, NULL,
                        RETRY_AFTER_MS));
        return false;
    }
    struct invoke_waiter *w = oc_new(struct invoke_waiter);
    w->waiter.on_answer = on_answer;
    w->waiter.on_progress = on_progress;
    w->waiter.ends_with_caller = is_command_line(c);
    w->conn = c;
    w->request_id = oc_strdup(call->id);
    w->is_bare = is_bare;
    oc_list_init(&w->held);
    oc_list_append(&c->waits.invokes, &w->link);
    c->waits.invoke_count++;
    struct oc_error err;
    struct gw_invoke_spec paid = *spec;
    paid.party = call->party;
    enum oc_code rc = gw_invoke_start(call->gw->invokes, &paid, &w->waiter, &err);
    if (rc == OC_OK) {
        return true; /* w may be gone already */
    }
    free_waiting(w);
    if (spec->caller) {
        gw_run_audit_refused(call->gw->run_audit, c,
                &(struct gw_run_refusal){ .node_id = spec->node_id,
                        .params = spec->params,
                        .gate = oc_run_gate_name(OC_RUN_GATE_GATEWAY_CEILINGS),
                        .code = oc_wire_code(&err),
                        .text = err.text,
                        .grounds = err.grounds });
    }
    if (rc == OC_E_UNAVAILABLE) {
        gw_conn_answer_error(call->conn, call->id,
                oc_grounds_error(
                        OC_WIRE_UNAVAILABLE, err.text, &err.grounds, NULL, RETRY_AFTER_MS));
    } else {
        gw_call_fail(call, &err);
    }
    return false;
}

/* What the node is asked is not always what the caller said. */
static void node_invoke_run(
        const struct gw_call *call, const struct oc_invoke_call *in, struct gw_invoke_spec *spec) {
    spec->asked = in->params;
    spec->caller = call->conn;
    /* It passed the guard when it came first. By now its approval is used or forgotten, and whoever
     * lost the connection that it belonged to still wants to know what became of the command. */
    if (spec->is_repeat) {
        gw_node_invoke_start(call, spec, false);
        return;
    }
    struct gw_guard_call guard = {
        .params = in->params,
        .node_id = in->node_id,
        .device_id = call->conn->device_id,
        .conn_id = call->conn->id,
    };
    struct gw_guard_verdict verdict;
    struct oc_error err;
    if (gw_approval_guard(call->gw->approvals, &guard, &verdict, &err) != OC_OK) {
        gw_run_audit_refused(call->gw->run_audit, call->conn,
                &(struct gw_run_refusal){ .node_id = in->node_id,
                        .params = in->params,
                        .gate = oc_run_gate_name(OC_RUN_GATE_APPROVAL),
                        .code = oc_json_get_str(verdict.details, "code"),
                        .text = err.text });
        gw_call_fail_with(call, OC_WIRE_INVALID, err.text, oc_take(&verdict.details), -1);
    } else {
        spec->blob = verdict.params;
        spec->params = (struct oc_slice){ verdict.params->data, verdict.params->len };
        if (!gw_node_invoke_start(call, spec, false) && verdict.consumed) {
            gw_approval_set_used(verdict.consumed, false);
        }
    }
    gw_guard_verdict_finish(&verdict);
}

static void node_invoke_invoke(const struct gw_call *call, const struct oc_invoke_call *in) {
    if (gw_command_is_exec_approvals(in->command)) {
        cJSON *d = cJSON_CreateObject();
        oc_json_set_str(d, "command", in->command);
        gw_call_fail_with(call, OC_WIRE_INVALID,
                "node.invoke does not allow system.execApprovals.*; use exec.approvals.node.*", d,
                -1);
        return;
    }
    struct gw_invoke_spec spec = {
        /* Without a device the shared secret is who they are. */
        .actor = gw_run_actor(call->conn),
        .node_id = in->node_id,
        .command = in->command,
        .idempotency_key = in->idempotency_key,
        .blob = call->blob,
        .params = in->params,
        .timeout_ms = in->timeout_ms,
    };
    if (in->timeout_ms <= 0 && oc_streq(in->command, "system.run")) {
        spec.timeout_ms = gw_system_run_invoke_ms(in->params);
    }
    /* Looked up once: time goes on while we work, and what skips the gates here must not be sent
     * later. */
    spec.is_repeat = gw_invoke_is_known(call->gw->invokes, spec.actor, spec.idempotency_key);
    if (!spec.is_repeat && !pass_gates(call, in)) {
        return;
    }
    OC_AUTO_JSON cJSON *vouched =
            gw_run_vouch(call->conn, gw_nodes_find(call->gw->nodes, in->node_id), in->command);
    spec.vouched = vouched;
    if (oc_streq(in->command, "system.run") && in->params.len > 0) {
        node_invoke_run(call, in, &spec);
    } else {
        gw_node_invoke_start(call, &spec, false);
    }
}

void gw_method_node_invoke(const struct gw_call *call) {
    struct oc_invoke_call in;
    struct oc_error err;
    if (oc_invoke_call_decode(call->body, &in, &err) == OC_OK) {
        node_invoke_invoke(call, &in);
    } else {
        gw_call_fail_params(call, &err);
    }
    oc_invoke_call_finish(&in);
}

void gw_method_node_invoke_result(const struct gw_call *call) {
    struct oc_invoke_result result;
    struct oc_error err;
    const char *node_id = call->conn->device_id;
    if (oc_invoke_result_decode(call->body, &result, &err) != OC_OK) {
        gw_call_fail_params(call, &err);
        gw_invoke_result_broken(call->gw->invokes, node_id, result.id);
    } else if (!oc_streq(result.node_id, node_id)) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "nodeId mismatch", NULL, -1);
        gw_invoke_result_broken(call->gw->invokes, node_id, result.id);
    } else {
        cJSON *payload = cJSON_CreateObject();
        oc_json_set_bool(payload, "ok", true);
        if (!gw_invoke_result_arrived(call->gw->invokes, node_id, &result, call->blob)) {
            oc_json_set_bool(payload, "ignored", true);
        }
        gw_call_ok(call, payload);
    }
    oc_invoke_result_finish(&result);
}

void gw_node_invoke_result_refused(const struct gw_call *call) {
    struct oc_json_value id;
    if (oc_json_find(call->body, "id", &id) && id.kind == OC_JK_STRING) {
        OC_AUTO_FREE char *text = oc_json_unescape(oc_json_body(id), OC_MAX_ID_BYTES);
        gw_invoke_result_broken(call->gw->invokes, call->conn->device_id, text);
    }
}

#define T struct gw_progress
static const struct oc_json_field progress_fields[] = {
    OC_STR(T, invoke_id, "invokeId", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, node_id, "nodeId", OC_REQUIRED | OC_NONEMPTY),
    OC_INT(T, seq, "seq", OC_REQUIRED, 0, OC_JSON_MAX_EXACT),
    OC_STR(T, chunk, "chunk", OC_REQUIRED),
    OC_STR(T, stream, "stream", OC_NULLABLE),
    OC_STR(T, encoding, "encoding", OC_NULLABLE),
};
#undef T

/* The caller reads more slowly than the node talks. Not answering stops the node, which knows how
 * many it may send. */
static void node_invoke_hold(const struct gw_call *call, struct invoke_waiter *w) {
    struct held *h = oc_new(struct held);
    h->node_id = oc_strdup(call->conn->device_id);
    h->request_id = oc_strdup(call->id);
    memcpy(h->conn_id, call->conn->id, sizeof(h->conn_id));
    oc_list_init(&h->link);
    oc_list_append(&w->held, &h->link);
    w->held_count++;
}

static bool is_one_of_ours(const char *given, const char *known) {
    return !given || strcmp(given, known) == 0;
}

void gw_method_node_invoke_progress(const struct gw_call *call) {
    struct gw_progress p = { 0 };
    if (!gw_call_decode(call, progress_fields, OC_COUNT(progress_fields), &p)) {
        return;
    }
    if (!oc_streq(p.node_id, call->conn->device_id)) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "nodeId mismatch", NULL, -1);
    } else if (strlen(p.chunk) > OC_MAX_PROGRESS_BYTES) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "progress chunk too large", NULL, -1);
    } else if (!is_one_of_ours(p.stream, "stderr") || !is_one_of_ours(p.encoding, "base64")) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "unknown stream or encoding", NULL, -1);
    } else {
        bool is_known = gw_invoke_progress_arrived(call->gw->invokes, &p);
        struct invoke_waiter *busy =
                p.busy ? OC_CONTAINER(p.busy, struct invoke_waiter, waiter) : NULL;
        if (busy && busy->held_count < OC_MAX_PROGRESS_HELD) {
            node_invoke_hold(call, busy);
        } else {
            gw_call_ok(call, progress_answer(is_known));
        }
    }
}
