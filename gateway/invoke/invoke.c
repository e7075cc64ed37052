#include "gateway/invoke/invoke.h"

#include "gateway/fairness/freight.h"
#include "gateway/fairness/shares.h"
#include "gateway/invoke/invoke_keys.h"
#include "lib/base/encode.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"
#include "lib/json/json.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define MAX_REMEMBERED_ANSWER ((size_t)64 * 1024)
#define UNREAD_LOOK ((size_t)4096)

/* A node with running invokes. */
struct invoke_target {
    char *node_id;
    struct oc_list invokes; /* invoke.node_link */
    struct gw_shares *shares;
};

struct invoke {
    struct gw_invokes *table;
    char id[OC_UUID_LEN + 1];
    char *actor, *command;
    struct invoke_target *target;
    struct oc_list node_link; /* target.invokes */
    struct oc_list waiters;   /* gw_invoke_waiter.link */
    struct oc_timer deadline;
    struct gw_replay_entry *replay;
    bool outlives_callers; /* somebody has waited who may come back for the answer */
    bool is_cancelled;     /* the node was told that nobody waits */
    bool is_booked;
    struct gw_invoke_record record;
};

struct gw_invokes {
    struct oc_loop *loop;
    gw_node_send *send;
    void *user;
    struct oc_map *by_id;   /* invoke */
    struct oc_map *by_node; /* target */
    struct gw_shares *shares;
    struct gw_invoke_keys *keys;
    struct gw_invoke_audit audit;
    const char *watched; /* a literal; NULL: none */
    gw_invoke_seen *seen;
    void *seen_user;
};

struct gw_invokes *gw_invokes_create(struct oc_loop *loop, gw_node_send *send, void *user) {
    struct gw_invokes *t = oc_new(struct gw_invokes);
    t->loop = loop;
    t->send = send;
    t->user = user;
    t->by_id = oc_map_create();
    t->by_node = oc_map_create();
    t->shares = gw_shares_create(OC_MAX_INVOKES);
    t->keys = gw_invoke_keys_create(oc_loop_clock(loop));
    return t;
}

void gw_invokes_audit(struct gw_invokes *t, const struct gw_invoke_audit *audit) {
    t->audit = *audit;
}

void gw_invokes_watch(struct gw_invokes *t, const char *command, gw_invoke_seen *seen, void *user) {
    t->watched = command;
    t->seen = seen;
    t->seen_user = user;
}

static struct invoke_target *target_get(struct gw_invokes *t, const char *node_id) {
    struct invoke_target *g = oc_map_get(t->by_node, node_id);
    if (!g) {
        g = oc_new(struct invoke_target);
        g->node_id = oc_strdup(node_id);
        oc_list_init(&g->invokes);
        g->shares = gw_shares_create(OC_MAX_INVOKES_PER_NODE);
        oc_map_put(t->by_node, node_id, g);
    }
    return g;
}

static void target_release(struct gw_invokes *t, struct invoke_target *g) {
    if (gw_shares_taken(g->shares) == 0) {
        oc_map_remove(t->by_node, g->node_id);
        gw_shares_destroy(g->shares);
        oc_free(g->node_id);
        oc_free(g);
    }
}

/* Out of every table; the caller frees it. */
static void unlink_invoke(struct invoke *inv) {
    struct gw_invokes *t = inv->table;
    oc_map_remove(t->by_id, inv->id);
    oc_timer_cancel(&inv->deadline);
    oc_list_remove(&inv->node_link);
}

static void free_invoke(struct invoke *inv) {
    gw_shares_give_back(inv->table->shares, inv->actor);
    gw_shares_give_back(inv->target->shares, inv->actor);
    target_release(inv->table, inv->target);
    oc_free(inv->actor);
    oc_free(inv->command);
    oc_free(inv);
}

void gw_invokes_destroy(struct gw_invokes *t) {
    if (!t) {
        return;
    }
    gw_invokes_settle_all(t);
    gw_invoke_keys_destroy(t->keys);
    gw_shares_destroy(t->shares);
    oc_map_destroy(t->by_id);
    oc_map_destroy(t->by_node);
    oc_free(t);
}

bool gw_invoke_is_known(struct gw_invokes *t, const char *actor, const char *idempotency_key) {
    return gw_invoke_keys_find(t->keys, actor, idempotency_key) != NULL;
}

/* The one exit. Unlinked first: a waiter may start or leave other invokes. */
static void invoke_settle(struct invoke *inv, const struct gw_answer *a) {
    struct gw_invokes *t = inv->table;
    unlink_invoke(inv);
    gw_replay_finish(gw_invoke_keys_of(t->keys, inv->command), inv->replay,
            gw_answer_remember(a, MAX_REMEMBERED_ANSWER));
    if (inv->is_booked) {
        t->audit.on_answered(t->audit.user, &inv->record, a);
    }
    if (t->seen && oc_streq(t->watched, inv->command)) {
        t->seen(t->seen_user, a);
    }
    while (!oc_list_empty(&inv->waiters)) {
        struct gw_invoke_waiter *w = oc_list_first(&inv->waiters, struct gw_invoke_waiter, link);
        oc_list_remove(&w->link);
        w->invoke = NULL;
        w->on_answer(w, a);
    }
    free_invoke(inv);
}

static void settle_failed(
        struct invoke *inv, enum oc_cause cause, const char *node_code, const char *message) {
    invoke_settle(inv, &(struct gw_answer){
                               .grounds = { .cause = cause },
                               .node_id = inv->target->node_id,
                               .command = inv->command,
                               .message = message,
                               .node_code = node_code,
                               .node_message = message,
                               .was_dispatched = true,
                               .is_lost = true,
                       });
}

/* Nobody waits any more; a node that can stops the command. */
static void send_cancel(const struct invoke *inv) {
    OC_AUTO_FREE char *text =
            oc_strfmt("{\"type\":\"event\",\"event\":\"node.invoke.cancel\",\"payload\":{"
                      "\"invokeId\":\"%s\",\"nodeId\":\"%s\"}}",
                    inv->id, inv->target->node_id);
    struct oc_msg *m = oc_msg_create();
    oc_msg_add_text(m, text, strlen(text));
    (void)inv->table->send(inv->table->user, inv->target->node_id, m);
}

/* The reference stops a command when the command line that asked for it hangs up, and lets those of
 * its other clients go on. So do we, since an app that lost its network comes back with the same
 * key. Here the invoke itself stays until the node has answered (that it was stopped, or that it
 * was done already) or the deadline comes: the place on the node is taken until then, and the key
 * answers with what really happened. */
void gw_invoke_leave(struct gw_invoke_waiter *w) {
    struct invoke *inv = w->invoke;
    oc_list_remove(&w->link);
    w->invoke = NULL;
    if (inv && oc_list_empty(&inv->waiters) && !inv->outlives_callers && !inv->is_cancelled) {
        inv->is_cancelled = true;
        send_cancel(inv);
    }
}

static void invoke_join(struct invoke *inv, struct gw_invoke_waiter *w) {
    w->invoke = inv;
    oc_list_append(&inv->waiters, &w->link);
    inv->outlives_callers = inv->outlives_callers || !w->ends_with_caller;
}

static void on_deadline(struct oc_timer *timer) {
    send_cancel(timer->user);
    settle_failed(timer->user, OC_CAUSE_TIMED_OUT, "TIMEOUT", "node invoke timed out");
}

static void settle_lost(struct invoke *inv) {
    OC_AUTO_FREE char *message = oc_strfmt("node disconnected (%s)", inv->command);
    settle_failed(inv, OC_CAUSE_NODE_DISCONNECTED, "NOT_CONNECTED", message);
}

void gw_invokes_node_lost(struct gw_invokes *t, const char *node_id) {
    struct invoke_target *g;
    while ((g = oc_map_get(t->by_node, node_id)) != NULL && !oc_list_empty(&g->invokes)) {
        settle_lost(oc_list_first(&g->invokes, struct invoke, node_link));
    }
}

void gw_invokes_settle_all(struct gw_invokes *t) {
    for (;;) {
        size_t pos = 0;
        const char *key;
        void *value;
        if (!oc_map_next(t->by_id, &pos, &key, &value)) {
            return;
        }
        settle_failed(value, OC_CAUSE_GATEWAY_STOPPING, "UNAVAILABLE", "gateway stopping");
    }
}

bool gw_invoke_result_arrived(struct gw_invokes *t, const char *from_node_id,
        const struct oc_invoke_result *result, struct oc_blob *blob) {
    struct invoke *inv = oc_map_get(t->by_id, result->id);
    if (!inv || !oc_streq(inv->target->node_id, from_node_id)) {
        return false;
    }
    struct gw_answer a = gw_answer_from_result(result, blob, inv->target->node_id, inv->command);
    invoke_settle(inv, &a);
    return true;
}

void gw_invoke_result_broken(struct gw_invokes *t, const char *from_node_id, const char *id) {
    struct invoke *inv = id ? oc_map_get(t->by_id, id) : NULL;
    if (inv && oc_streq(inv->target->node_id, from_node_id)) {
        settle_failed(inv, OC_CAUSE_NONE, "INVALID_RESULT", "the node's answer makes no sense");
    }
}

/* Ids are ours and nobody can guess them, so wherever one stands, the message is about it. */
static bool invoke_names(struct oc_slice text, const char *id) {
    size_t part = text.len < UNREAD_LOOK ? text.len : UNREAD_LOOK, n = strlen(id);
    return memmem(text.ptr, part, id, n) || memmem(text.ptr + text.len - part, part, id, n);
}

void gw_invoke_result_unread(struct gw_invokes *t, const char *from_node_id, struct oc_slice text) {
    const struct invoke_target *g = oc_map_get(t->by_node, from_node_id);
    struct invoke *inv;
    if (!g) {
        return;
    }
    oc_list_for_each(inv, &g->invokes, node_link) {
        if (invoke_names(text, inv->id)) {
            settle_failed(inv, OC_CAUSE_NONE, "PAYLOAD_TOO_LARGE",
                    "the node's answer is too large: of one message only 2 MiB may be other than "
                    "plain ASCII text in strings");
            return;
        }
    }
}

struct gw_invoke_record *gw_invoke_record_of(
        struct gw_invokes *t, const char *node_id, const char *invoke_id) {
    struct invoke *inv = oc_map_get(t->by_id, invoke_id);
    bool is_there = inv && inv->is_booked && oc_streq(inv->target->node_id, node_id);
    return is_there ? &inv->record : NULL;
}

bool gw_invoke_cancel(struct gw_invokes *t, const char *actor, const char *idempotency_key) {
    struct gw_replay_entry *e = gw_invoke_keys_find(t->keys, actor, idempotency_key);
    if (!e || !e->running) {
        return false;
    }
    send_cancel(e->running);
    return true;
}

bool gw_invoke_progress_arrived(struct gw_invokes *t, struct gw_progress *progress) {
    struct invoke *inv = oc_map_get(t->by_id, progress->invoke_id);
    if (!inv || !oc_streq(inv->target->node_id, progress->node_id)) {
        return false;
    }
    struct gw_invoke_waiter *w, *next;
    oc_list_for_each_safe(w, next, &inv->waiters, link) {
        if (w->on_progress) {
            w->on_progress(w, progress);
        }
    }
    return true;
}

size_t gw_invokes_count(const struct gw_invokes *t) {
    return oc_map_count(t->by_id);
}

static void add_json_string(struct oc_msg *m, const char *before, const char *text) {
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(OC_MAX_REQUEST_BYTES);
    oc_buf_puts(&b, before);
    oc_json_append_string(&b, text, strlen(text));
    oc_msg_add_text(m, b.data, b.len);
}

/* The event node.invoke.request. It has no seq: it goes to one connection. */
static struct oc_msg *request_msg(
        const struct invoke *inv, const struct gw_invoke_spec *spec, int64_t timeout_ms) {
    struct oc_msg *m = oc_msg_create();
    add_json_string(m,
            "{\"type\":\"event\",\"event\":\"node.invoke.request\",\"payload\":{\"id\":", inv->id);
    add_json_string(m, ",\"nodeId\":", spec->node_id);
    add_json_string(m, ",\"command\":", spec->command);
    if (spec->params.len > 0) {
        oc_msg_add_text(m, ",\"paramsJSON\":\"", strlen(",\"paramsJSON\":\""));
        oc_msg_add_slice(m, spec->blob, spec->params, OC_PART_ESCAPE);
        oc_msg_add_text(m, "\"", 1);
    } /* else left out: the published schema wants a string or nothing */
    OC_AUTO_FREE char *timeout = oc_strfmt(",\"timeoutMs\":%lld", (long long)timeout_ms);
    oc_msg_add_text(m, timeout, strlen(timeout));
    /* The node keeps keys too, and does not know whose they are: two callers must not meet in
     * one. */
    OC_AUTO_FREE char *owned = oc_strfmt("%s\n%s", spec->actor, spec->idempotency_key);
    char key[65];
    oc_sha256_hex(owned, strlen(owned), key);
    add_json_string(m, ",\"idempotencyKey\":", key);
    if (spec->vouched) {
        OC_AUTO_FREE char *printed = oc_json_print(spec->vouched, false);
        OC_AUTO_FREE char *caller = oc_strfmt(",\"caller\":%s", printed);
        oc_msg_add_text(m, caller, strlen(caller));
    }
    oc_msg_add_text(m, "}}", 2);
    return m;
}

/* Every table has room for others however much one caller runs, over however many connections. */
static enum oc_code check_ceilings(
        struct gw_invokes *t, const struct gw_invoke_spec *spec, struct oc_error *err) {
    struct invoke_target *g = oc_map_get(t->by_node, spec->node_id);
    if (g && !gw_shares_may_take(g->shares, spec->actor)) {
        return oc_fail_busy(err, OC_REMEDY_TRY_LATER,
                "too many commands are running on this node (%zu, of these %zu of yours, which is "
                "your share of %d)",
                gw_shares_taken(g->shares), gw_shares_held(g->shares, spec->actor),
                OC_MAX_INVOKES_PER_NODE);
    }
    if (gw_invoke_keys_check_room(t->keys, spec->command, spec->actor, err) != OC_OK) {
        return OC_E_UNAVAILABLE;
    }
    if (!gw_shares_may_take(t->shares, spec->actor)) {
        return oc_fail_busy(err, OC_REMEDY_TRY_LATER,
                "too many node commands are running (%zu, of these %zu of yours, which is your "
                "share of %d)",
                gw_shares_taken(t->shares), gw_shares_held(t->shares, spec->actor), OC_MAX_INVOKES);
    }
    return OC_OK;
}

/* A key that is known already: joins, answers from memory, or refuses. */
static enum oc_code invoke_replay(struct gw_replay_entry *e, const struct gw_invoke_spec *spec,
        const char *params_hash, struct gw_invoke_waiter *w, struct oc_error *err) {
    if (!gw_replay_same_request(e, spec->node_id, spec->command, params_hash)) {
        return oc_fail(err, OC_E_INVALID, "idempotencyKey already used for a different request");
    }
    if (e->running) {
        invoke_join(e->running, w);
        return OC_OK;
    }
    if (!e->answer) {
        return oc_fail(
                err, OC_E_INVALID, "idempotencyKey already used; its result is no longer kept");
    }
    struct gw_answer a = { .remembered = oc_blob_ref(e->answer) };
    w->on_answer(w, &a);
    oc_blob_unref(a.remembered);
    return OC_OK;
}

static enum oc_code invoke_dispatch(
        struct invoke *inv, const struct gw_invoke_spec *spec, struct oc_error *err) {
    struct gw_invokes *t = inv->table;
    int64_t timeout_ms = spec->timeout_ms > 0 ? spec->timeout_ms : OC_DEFAULT_INVOKE_MS;
    struct oc_msg *m = request_msg(inv, spec, timeout_ms);
    if (oc_msg_size(m) > OC_MAX_MESSAGE_BYTES) {
        oc_msg_destroy(m);
        return oc_fail(err, OC_E_INVALID, "params are too large for one message to the node");
    }
    if (spec->party && !gw_freight_take(spec->party, m)) {
        oc_msg_destroy(m);
        return oc_fail_busy(err, OC_REMEDY_TRY_LATER,
                "too much is on its way to nodes that have not taken it yet (%zu bytes of yours)",
                spec->party->freight_bytes);
    }
    if (t->send(t->user, spec->node_id, m) != OC_OK) {
        return oc_fail(err, OC_E_UNAVAILABLE, "failed to send invoke to node");
    }
    inv->deadline.on_expire = on_deadline;
    inv->deadline.user = inv;
    oc_timer_set(t->loop, &inv->deadline, timeout_ms);
    return OC_OK;
}

enum oc_code gw_invoke_start(struct gw_invokes *t, const struct gw_invoke_spec *spec,
        struct gw_invoke_waiter *w, struct oc_error *err) {
    oc_list_init(&w->link);
    w->invoke = NULL;
    char hash[65];
    struct oc_slice asked = spec->asked.len > 0 ? spec->asked : spec->params;
    oc_sha256_hex(asked.len > 0 ? asked.ptr : "", asked.len, hash);
    struct gw_replay_entry *known =
            gw_invoke_keys_find(t->keys, spec->actor, spec->idempotency_key);
    if (known) {
        return invoke_replay(known, spec, hash, w, err);
    }
    if (spec->is_repeat) {
        return oc_fail(err, OC_E_UNAVAILABLE,
                "the answer for this idempotencyKey was forgotten just now; ask again");
    }
    enum oc_code rc = check_ceilings(t, spec, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct invoke *inv = oc_new(struct invoke);
    inv->table = t;
    oc_uuid4(inv->id);
    inv->actor = oc_strdup(spec->actor);
    inv->command = oc_strdup(spec->command);
    oc_list_init(&inv->waiters);
    inv->target = target_get(t, spec->node_id);
    gw_shares_take(t->shares, inv->actor);
    gw_shares_take(inv->target->shares, inv->actor);
    oc_list_append(&inv->target->invokes, &inv->node_link);
    oc_map_put(t->by_id, inv->id, inv);
    inv->replay = gw_replay_begin(gw_invoke_keys_of(t->keys, spec->command), spec->actor,
            spec->idempotency_key, spec->node_id, spec->command, hash, inv);
    rc = invoke_dispatch(inv, spec, err);
    if (rc != OC_OK) {
        gw_replay_drop(gw_invoke_keys_of(t->keys, inv->command), inv->replay);
        unlink_invoke(inv);
        free_invoke(inv);
        return rc;
    }
    if (spec->caller && t->audit.on_sent) {
        inv->is_booked = true;
        inv->record.began_ms = oc_loop_now_ms(t->loop);
        inv->record.node_id = inv->target->node_id;
        inv->record.actor = inv->actor;
        inv->record.number = t->audit.on_sent(t->audit.user, spec, inv->id);
    }
    invoke_join(inv, w);
    return OC_OK;
}
