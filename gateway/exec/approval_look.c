#include "gateway/exec/approval_look.h"

#include "gateway/conn/conn.h"
#include "gateway/conn/conns.h"
#include "gateway/exec/approval_at_node.h"
#include "gateway/exec/approval_events.h"
#include "gateway/exec/approvals.h"
#include "gateway/exec/run_caller.h"
#include "gateway/invoke/invoke.h"
#include "gateway/nodes/gates.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define LOOK_MS 10000
#define LOOK_AGAIN_MS 5000 /* somebody has pressed a button and waits */
#define COMMAND "system.run.prepare"
#define MAX_ANSWER ((size_t)512 * 1024) /* bytes; with the plan, which repeats the words */
#define MAX_VALUES 1024                 /* in what is said about an approval */

/* An approval whose command a node looks at. */
struct looking {
    struct gw_invoke_waiter waiter;
    const struct gw_approval_looks *looks;
    char *id;
};

/* The answer's `approval`, which is all of it that becomes a tree. NULL: there is none. Caller
 * deletes. */
static cJSON *said_in(const struct gw_answer *answer) {
    struct oc_error ignored;
    struct oc_slice text = answer->payload;
    struct oc_json_value v;
    OC_AUTO_FREE char *unescaped = NULL;
    OC_AUTO_JSON cJSON *said = NULL;
    if (!answer->ok || answer->remembered || text.len > MAX_ANSWER) {
        return NULL;
    }
    if (answer->payload_kind == GW_PAYLOAD_ESCAPED) {
        unescaped = oc_json_unescape(text, text.len);
        text = (struct oc_slice){ unescaped, unescaped ? strlen(unescaped) : 0 };
    } else if (answer->payload_kind != GW_PAYLOAD_RAW) {
        return NULL;
    }
    if (text.len == 0 || !oc_json_valid(text.ptr, text.len, OC_JSON_MAX_DEPTH) ||
            oc_json_root(text).kind != OC_JK_OBJECT || !oc_json_find(text, "approval", &v) ||
            v.kind != OC_JK_OBJECT ||
            oc_json_parse_within(v.raw.ptr, v.raw.len, MAX_VALUES, &said, &ignored) != OC_OK) {
        return NULL;
    }
    return oc_take(&said);
}

/* A node of ours that does not say what it sees: whoever decides has to know. */
static cJSON *approval_look_unseen(const struct gw_answer *answer) {
    const char *why = answer->node_message ? answer->node_message : answer->message;
    OC_AUTO_FREE char *shown = oc_printable(why ? why : "it did not say why",
            why ? strlen(why) : strlen("it did not say why"), 200);
    OC_AUTO_FREE char *text = oc_strfmt("the node did not look at its files: %s", shown);
    const char *const list[] = { text };
    return cJSON_CreateStringArray(list, 1);
}

/* A node's words go to every approver, so there is an end to them. */
enum { MAX_TEXT = 4096, MAX_TOKEN = 1024, MAX_ITEMS = 16 };

static cJSON *cut_text(const char *text) {
    OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), MAX_TEXT);
    return cJSON_CreateString(shown);
}

static cJSON *cut_list(const cJSON *list) {
    cJSON *out = cJSON_CreateArray();
    const cJSON *item;
    int count = 0;
    cJSON_ArrayForEach(item, list) {
        if (cJSON_IsString(item) && count++ < MAX_ITEMS) {
            OC_AUTO_FREE char *shown =
                    oc_printable(item->valuestring, strlen(item->valuestring), MAX_TOKEN);
            cJSON_AddItemToArray(out, cJSON_CreateString(shown));
        }
    }
    return out;
}

/* Only what we know of it. */
static cJSON *facts_of(const cJSON *said) {
    static const char *const texts[] = { "security", "ask", "resolvedPath", "nodeCwd",
        "wouldAllowFor", "reason", "look", "lookAt", "state" };
    static const char *const lists[] = { "wouldAllow", "bound", "unbound" };
    cJSON *o = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        const char *text = oc_json_get_str(said, texts[i]);
        oc_json_set(o, texts[i], text ? cut_text(text) : NULL);
    }
    for (size_t i = 0; i < OC_COUNT(lists); i++) {
        const cJSON *list = oc_json_get(said, lists[i]);
        oc_json_set(o, lists[i], cJSON_IsArray(list) ? cut_list(list) : NULL);
    }
    return o;
}

/* What has to come back as it is, or not at all. */
static const char *approval_look_token(const cJSON *said, const char *key) {
    const char *text = oc_json_get_str(said, key);
    return text && strlen(text) <= MAX_TOKEN ? text : NULL;
}

static void approval_look_finish(const struct gw_approval_looks *looks, const struct gw_approval *a,
        const struct gw_answer *answer) {
    OC_AUTO_JSON cJSON *said = said_in(answer), *reason = NULL;
    OC_AUTO_JSON cJSON *facts = said ? facts_of(said) : NULL;
    const char *look = approval_look_token(said, "look");
    if (!answer->ok) {
        reason = approval_look_unseen(answer);
    }
    struct gw_approval_look seen = {
        .look = look,
        .look_at = approval_look_token(said, "lookAt"),
        .state = approval_look_token(said, "state"),
        .asked_at = gw_approval_asked_at(oc_json_get_str(said, "asksHere")),
        .facts = facts,
        .unbound = reason ? reason
                   : look ? oc_json_get(facts, "unbound")
                          : NULL,
    };
    gw_approval_looked(a, &seen);
    gw_exec_approval_announce(looks->conns, a);
}

static void on_answer(struct gw_invoke_waiter *waiter, const struct gw_answer *answer) {
    struct looking *l = OC_CONTAINER(waiter, struct looking, waiter);
    const struct gw_approval_looks *looks = l->looks;
    OC_AUTO_FREE char *id = oc_take(&l->id);
    oc_free(l);
    const struct gw_approval *a =
            looks->conns->is_stopping ? NULL : gw_approvals_find(looks->approvals, id);
    if (a && a->is_looking && !a->is_settled) {
        approval_look_finish(looks, a, answer);
        return;
    }
    /* It was over before the node had looked; the node may have begun to ask. */
    if (!looks->conns->is_stopping && answer->node_id) {
        gw_approval_ask_over(looks->conns, answer->node_id, id);
    }
}

/* One that knows what a look is, and may be asked. */
static const struct gw_node *find_node(const struct gw_approval_looks *looks, const char *id) {
    const struct gw_node *node = id ? gw_nodes_find(looks->nodes, id) : NULL;
    struct gw_gate_refusal refusal = { 0 };
    if (!node || !oc_strv_has(&node->declared, "system.runs.list")) {
        return NULL;
    }
    bool is_open = gw_gates_pass(
            node, node->client->platform, &looks->conns->cfg->policy, COMMAND, &refusal);
    cJSON_Delete(refusal.details);
    return is_open ? node : NULL;
}

static struct oc_blob *params_of(const cJSON *request) {
    static const char *const texts[] = { "cwd", "agentId", "sessionKey" };
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    const cJSON *binding = oc_json_get(request, "systemRunBindingV1");
    oc_json_set(params, "command", cJSON_Duplicate(oc_json_get(binding, "argv"), true));
    const cJSON *env = oc_json_get(request, "env"); /* it is a part of what the node judges */
    oc_json_set(params, "env", env ? cJSON_Duplicate(env, true) : NULL);
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        oc_json_set_str(params, texts[i], oc_json_get_str(binding, texts[i]));
    }
    struct oc_buf text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    if (oc_json_append(&text, params, false) != OC_OK) {
        oc_buf_finish(&text);
        return NULL;
    }
    return oc_blob_from_buf(&text);
}

/* asks_there: the person at the node, too. */
static enum oc_code ask_node(const struct gw_approval_looks *looks, const struct gw_conn *c,
        const struct gw_node *node, const struct gw_approval *a, bool asks_there,
        struct gw_invoke_waiter *w, struct oc_error *err) {
    struct oc_blob *params = params_of(a->request);
    if (!params) {
        return oc_fail(err, OC_E_TOO_LARGE, "the command is too large to be looked at");
    }
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    OC_AUTO_JSON cJSON *vouched = gw_run_vouch(c, node, COMMAND);
    if (vouched && asks_there) {
        oc_json_set(vouched, "ask", gw_approval_ask_of(a));
    }
    struct gw_invoke_spec spec = {
        .actor = gw_run_actor(c), /* it is made for them, so it is one of theirs */
        .node_id = node->id,
        .command = COMMAND,
        .idempotency_key = key,
        .blob = params,
        .params = { params->data, params->len },
        .timeout_ms = asks_there ? LOOK_MS : LOOK_AGAIN_MS,
        .party = c->party,
        .vouched = vouched,
    };
    enum oc_code rc = gw_invoke_start(looks->invokes, &spec, w, err);
    oc_blob_unref(params);
    return rc;
}

bool gw_approval_look_ask(const struct gw_approval_looks *looks, const struct gw_conn *asker,
        const struct gw_approval *a) {
    const struct gw_node *node = find_node(looks, oc_json_get_str(a->request, "nodeId"));
    if (!node) {
        return false;
    }
    struct looking *l = oc_new(struct looking);
    struct oc_error err;
    l->waiter.on_answer = on_answer;
    l->looks = looks;
    l->id = oc_strdup(a->id);
    if (ask_node(looks, asker, node, a, true, &l->waiter, &err) != OC_OK) {
        struct gw_answer none = { .message = err.text };
        oc_free(l->id);
        oc_free(l);
        approval_look_finish(looks, a, &none);
    }
    return true;
}

enum oc_code gw_approval_look_again(const struct gw_approval_looks *looks,
        const struct gw_conn *decider, const struct gw_approval *a, struct gw_invoke_waiter *w,
        struct oc_error *err) {
    const struct gw_node *node = find_node(looks, oc_json_get_str(a->request, "nodeId"));
    return node ? ask_node(looks, decider, node, a, false, w, err)
                : oc_fail(err, OC_E_UNAVAILABLE, "the node is not there, or may not be asked");
}

char *gw_approval_state_in(const struct gw_answer *answer) {
    OC_AUTO_JSON cJSON *said = said_in(answer);
    return oc_strdup(approval_look_token(said, "state"));
}

static bool is_about(const struct gw_approval *a, const char *node_id) {
    return a->state && !a->void_reason && oc_streq(oc_json_get_str(a->request, "nodeId"), node_id);
}

static bool has_any(const struct gw_approval_looks *looks, const char *node_id) {
    const struct gw_approval *a = NULL;
    while ((a = gw_approvals_before(looks->approvals, a)) != NULL) {
        if (is_about(a, node_id)) {
            return true;
        }
    }
    return false;
}

/* Whoever had it look. */
static void on_seen(void *user, const struct gw_answer *answer) {
    const struct gw_approval_looks *looks = user;
    if (looks->conns->is_stopping || !answer->ok || !has_any(looks, answer->node_id)) {
        return;
    }
    OC_AUTO_JSON cJSON *said = said_in(answer);
    const char *look_at = oc_json_get_str(said, "lookAt"), *state = oc_json_get_str(said, "state");
    const struct gw_approval *a = NULL;
    while (look_at && state && (a = gw_approvals_before(looks->approvals, a)) != NULL) {
        if (is_about(a, answer->node_id) && oc_streq(a->look_at, look_at) &&
                !oc_streq(a->state, state)) {
            gw_exec_approval_changed(looks->conns, a);
        }
    }
}

void gw_approval_look_watch(struct gw_approval_looks *looks) {
    gw_invokes_watch(looks->invokes, COMMAND, on_seen, looks);
}
