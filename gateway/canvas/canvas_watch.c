#include "gateway/canvas/canvas_watch.h"

#include "gateway/canvas/canvas_touch.h"
#include "gateway/fairness/hold.h"
#include "gateway/nodes/gates.h"
#include "gateway/origin/client.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/json/json_scan.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"
#include "lib/text/quoted.h"

#include <string.h>

#define TAG "gateway.canvas"
#define VIEW "canvas.view"
#define INPUT "canvas.input"
#define AWAY "The node is not connected."
#define SHUT "This canvas may not be seen now. Who gave you the address can find out why."
#define FAILED "There is no picture of the canvas now."

enum {
    WAIT_MS = 15000,   /* that the node keeps our question until there is something new */
    CHECK_MS = 1000,   /* meanwhile, whether it may still be seen */
    FIRST_MS = 150,    /* that a page has to say in which view port it shows the canvas */
    QUICK_MS = 80,     /* between two pictures */
    PORT_MS = 1000,    /* … while a page keeps changing its view port */
    SLOW_MS = 500,     /* of a node that answers at once all the same: older ones, and web pages */
    QUIET_MS = 2000,   /* this long without a change it is asked slowly */
    AGAIN_MS = 1000,   /* without a picture */
    ANSWER_MS = 20000, /* that the node may take */
    STALL_MS = 1000,   /* without reading anything, while others wait for room */
    PING_MS = 30000,
    SILENCE_MS = 90000, /* a browser answers pings by itself */
};

struct page {
    struct oc_list link; /* gw_canvas_watch.pages */
    struct gw_canvas_watch *watch;
    struct gw_canvas_cap *cap; /* NULL: it has ended, and so does the page */
    struct oc_ws *ws;
    struct gw_invoke_waiter view, input;
    struct gw_touches touches;
    struct oc_timer look;
    int64_t rev;     /* of the picture that it shows; -1: none */
    int64_t port_ms; /* when it said another view port */
    cJSON *port,
            *shown; /* its view port, and that of the picture that it shows; NULL: the node's */
    int64_t asked_ms, changed_ms, heard_ms, pinged_ms;
    char *told; /* the last state without a picture; NULL: it has one */
    struct gw_hold hold;
    size_t held_bytes; /* as the WebSocket says */
    int64_t moved_ms;  /* when some of it was read */
    bool is_cut;
    struct oc_turn_waiter turn_waiter;
    size_t received; /* bytes that were not charged yet */
};

struct gw_canvas_watch {
    struct gw_canvas_uses uses;
    struct gw_canvas_caps *caps;
    struct oc_list pages; /* page.link */
    unsigned count;
    size_t held_bytes; /* of all pages */
};

static int64_t now_ms(const struct page *p) {
    return oc_loop_now_ms(p->watch->uses.conns->loop);
}

static void look_in(struct page *p, int64_t ms) {
    oc_timer_set(p->watch->uses.conns->loop, &p->look, ms);
}

static void stop_asking(struct page *p) {
    oc_timer_cancel(&p->look);
    gw_invoke_leave(&p->view);
    gw_invoke_leave(&p->input);
    if (p->cap) {
        p->cap->sockets--;
        p->cap = NULL;
    }
}

static void canvas_watch_drop(struct page *p) {
    stop_asking(p);
    oc_list_remove(&p->link);
    oc_turn_waiter_leave(&p->turn_waiter);
    p->watch->count--;
    p->watch->held_bytes -= p->held_bytes;
    gw_hold_finish(&p->hold);
    oc_ws_destroy(p->ws);
    gw_touches_finish(&p->touches);
    oc_free(p->told);
    cJSON_Delete(p->port);
    cJSON_Delete(p->shown);
    oc_free(p);
}

static void canvas_watch_tell(struct page *p, const cJSON *what) {
    OC_AUTO_FREE char *text = oc_json_print(what, false);
    (void)oc_ws_send_text(p->ws, text, strlen(text)); /* full: it is told of the next one */
}

/* There is no picture now. Said once; why it is so is for the log: texts of gates name requests and
 * settings, and who has the address may be anybody. */
static void tell_state(struct page *p, const char *state, const char *message, const char *why) {
    OC_AUTO_FREE char *whole = oc_strfmt("%s %s", state, message);
    p->rev = -1;
    if (oc_streq(p->told, whole)) {
        return;
    }
    oc_free(p->told);
    p->told = oc_take(&whole);
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "state", state);
    oc_json_set_str(o, "message", message);
    canvas_watch_tell(p, o);
    OC_AUTO_FREE char *reason = oc_quoted(why ? why : state, 200);
    oc_log(OC_LOG_INFO, TAG, "nothing to see for who watches node=%.12s why=%s", p->cap->node_id,
            reason);
}

/* Through every gate; false, and the page knows why. */
static bool may_ask(struct page *p, const char *command) {
    const struct gw_canvas_uses *uses = &p->watch->uses;
    const struct gw_node *node = gw_nodes_find(uses->nodes, p->cap->node_id);
    if (!node) {
        tell_state(p, "away", AWAY, NULL);
        return false;
    }
    struct gw_gate_refusal refusal = { 0 };
    if (!gw_gates_pass(
                node, node->client->platform, &uses->conns->cfg->policy, command, &refusal)) {
        tell_state(p, "shut", SHUT, refusal.message);
        cJSON_Delete(refusal.details);
        return false;
    }
    return true;
}

static bool canvas_watch_ask(
        struct page *p, const char *command, const cJSON *params, struct gw_invoke_waiter *waiter) {
    if (!may_ask(p, command)) {
        return false;
    }
    char *text = oc_json_print(params, false);
    struct oc_blob *blob = oc_blob_take(text, strlen(text));
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    struct oc_error err;
    enum oc_code rc = gw_invoke_start(p->watch->uses.invokes,
            &(struct gw_invoke_spec){ .actor = p->cap->actor,
                    .node_id = p->cap->node_id,
                    .command = command,
                    .idempotency_key = key,
                    .blob = blob,
                    .params = { blob->data, blob->len },
                    .timeout_ms = ANSWER_MS },
            waiter, &err);
    oc_blob_unref(blob);
    if (rc != OC_OK) {
        tell_state(p, "failed", FAILED, err.text);
    }
    return rc == OC_OK;
}

static void add_port(const cJSON *port, cJSON *params) {
    const cJSON *m;
    oc_json_for_each_member(m, port) {
        oc_json_set(params, m->string, cJSON_Duplicate(m, false));
    }
}

static void canvas_watch_look(struct page *p) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    add_port(p->port, params);
    oc_json_set_int(params, "since", p->rev);
    oc_json_set_int(params, "waitMs", WAIT_MS);
    p->asked_ms = now_ms(p);
    look_in(p, canvas_watch_ask(p, VIEW, params, &p->view) ? CHECK_MS : AGAIN_MS);
}

/* The question is with the node, and the answer must not be seen if something was shut
 * meanwhile. */
static void canvas_watch_check(struct page *p) {
    if (!may_ask(p, VIEW)) {
        gw_invoke_leave(&p->view);
    }
    look_in(p, CHECK_MS);
}

static void on_look(struct oc_timer *t) {
    struct page *p = t->user;
    int64_t now = now_ms(p);
    if (p->watch->uses.conns->is_stopping) {
        return;
    }
    gw_canvas_caps_end_late(p->watch->caps, now);
    if (!p->cap || p->is_cut) {
        return;
    }
    if (now - p->heard_ms > SILENCE_MS) {
        oc_ws_abort(p->ws);
        return;
    }
    if (now - p->pinged_ms > PING_MS) {
        p->pinged_ms = now;
        oc_ws_ping(p->ws);
    }
    if (p->view.invoke) {
        canvas_watch_check(p);
    } else if (oc_ws_queued_bytes(p->ws) > 0) { /* it has not got the last one yet */
        look_in(p, QUICK_MS);
    } else {
        canvas_watch_look(p);
    }
}

/* The members of the answer; *ret_text keeps what they lie in. */
static bool payload_of(const struct gw_answer *a, struct oc_buf *ret_text, struct oc_slice *ret) {
    *ret = a->payload;
    if (a->payload_kind == GW_PAYLOAD_ESCAPED) {
        if (oc_json_unescape_append(ret_text, a->payload) != OC_OK) {
            return false;
        }
        *ret = (struct oc_slice){ ret_text->data, ret_text->len };
    }
    bool is_json = a->payload_kind == GW_PAYLOAD_ESCAPED || a->payload_kind == GW_PAYLOAD_RAW;
    return is_json && oc_json_root(*ret).kind == OC_JK_OBJECT;
}

enum { REV, WIDTH, HEIGHT, CHANGED, TEXT, BASE64, MEMBERS };

/* A node may say anything; what is no picture is not passed on as one. */
static struct oc_blob *picture_of(struct oc_json_value base64) {
    static const char magic[] = "\x89PNG\r\n\x1a\n";
    struct oc_slice body = oc_json_body(base64);
    size_t max = body.len / 4 * 3 + 3, len = 0;
    char *data = oc_alloc(max + 1);
    bool is_good = oc_base64_decode(body.ptr, body.len, (uint8_t *)data, max, &len) &&
                   len > strlen(magic) && memcmp(data, magic, strlen(magic)) == 0;
    if (!is_good) {
        oc_free(data);
        return NULL;
    }
    return oc_blob_take(data, len);
}

static void set_int(cJSON *o, const struct oc_json_pick *pick) {
    int64_t value;
    if (pick->found && oc_json_int(pick->value, 0, INT32_MAX, &value)) {
        oc_json_set_int(o, pick->key, value);
    }
}

static bool canvas_watch_show(struct page *p, const struct oc_json_pick *m) {
    struct oc_blob *picture = m[BASE64].found && m[BASE64].value.kind == OC_JK_STRING
                                      ? picture_of(m[BASE64].value)
                                      : NULL;
    if (!picture) {
        return false;
    }
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "state", "live");
    set_int(o, &m[WIDTH]);
    set_int(o, &m[HEIGHT]);
    if (m[TEXT].found && m[TEXT].value.kind == OC_JK_STRING) {
        OC_AUTO_FREE char *text = oc_json_unescape(oc_json_body(m[TEXT].value), 65536);
        oc_json_set_str(o, "text", text);
    }
    canvas_watch_tell(p, o);
    (void)oc_ws_send_binary(p->ws, picture);
    oc_blob_unref(picture);
    oc_free(oc_take(&p->told));
    return true;
}

/* True when the page is up to date. */
static bool take_view(struct page *p, const struct gw_answer *a) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    struct oc_slice object;
    struct oc_json_pick m[MEMBERS] = { [REV] = { .key = "rev" },
        [WIDTH] = { .key = "width" },
        [HEIGHT] = { .key = "height" },
        [CHANGED] = { .key = "changed" },
        [TEXT] = { .key = "text" },
        [BASE64] = { .key = "base64" } };
    int64_t rev;
    if (!payload_of(a, &text, &object) || oc_json_pick_all(object, m, MEMBERS) || !m[REV].found ||
            !oc_json_int(m[REV].value, 0, OC_JSON_MAX_EXACT, &rev)) {
        return false;
    }
    bool changed = m[CHANGED].found && m[CHANGED].value.kind == OC_JK_TRUE;
    if (changed && !canvas_watch_show(p, m)) {
        return false;
    }
    if (changed) {
        p->changed_ms = now_ms(p);
        p->rev = rev;
        cJSON_Delete(p->shown);
        p->shown = p->port ? cJSON_Duplicate(p->port, true) : NULL;
    }
    return true;
}

/* The page goes when the loop comes round: it may be on the stack. */
static void canvas_watch_cut(struct page *p, const char *why) {
    p->is_cut = true;
    oc_log(OC_LOG_WARN, TAG, "closing a page that %s node=%.12s by=%.12s bytes=%zu", why,
            p->cap ? p->cap->node_id : "-", p->cap ? p->cap->actor : "-", p->held_bytes);
    oc_ws_cut(p->ws, 1013, OC_REASON_HOLDS_TOO_MUCH);
}

static void release_hold(struct gw_hold *h) {
    canvas_watch_cut(OC_CONTAINER(h, struct page, hold), "holds most of all that clients hold");
}

static struct page *longest_unread(const struct gw_canvas_watch *w, const struct page *but) {
    struct page *p, *longest = NULL;
    oc_list_for_each(p, &w->pages, link) {
        if (p != but && p->held_bytes > 0 && !p->is_cut &&
                (!longest || p->moved_ms < longest->moved_ms)) {
            longest = p;
        }
    }
    return longest;
}

/* For another picture beside those that are not read yet. Pages that do not read make room for
 * those that do. */
static bool has_room(const struct page *p, size_t bytes) {
    struct gw_canvas_watch *w = p->watch;
    while (w->held_bytes > 0 && w->held_bytes + bytes > GW_MAX_WATCH_BYTES) {
        struct page *slow = longest_unread(w, p);
        if (!slow || now_ms(p) - slow->moved_ms < STALL_MS) {
            return false;
        }
        canvas_watch_cut(slow, "does not read while others wait for its room");
    }
    return true;
}

static void on_view(struct gw_invoke_waiter *waiter, const struct gw_answer *a) {
    struct page *p = OC_CONTAINER(waiter, struct page, view);
    int64_t now = now_ms(p);
    if (!a->ok) {
        bool is_away = a->grounds.cause == OC_CAUSE_NODE_DISCONNECTED;
        tell_state(p, is_away ? "away" : "failed", is_away ? AWAY : FAILED, a->message);
        look_in(p, AGAIN_MS);
        return;
    }
    gw_canvas_cap_used(p->cap, now);
    if (!may_ask(p, VIEW)) {
        look_in(p, AGAIN_MS);
        return;
    }
    if (!has_room(p, a->payload.len / 4 * 3)) {
        look_in(p, AGAIN_MS); /* it asks for this picture once more */
        return;
    }
    if (!take_view(p, a)) {
        tell_state(p, "failed", FAILED, "the node sent no picture");
        look_in(p, AGAIN_MS);
        return;
    }
    bool has_waited = now - p->asked_ms >= WAIT_MS / 2;
    look_in(p, has_waited || now - p->changed_ms < QUIET_MS ? QUICK_MS : SLOW_MS);
}

/* Where on the canvas a touch is depends on how the picture that was touched is laid out. */
static void touch_next(struct page *p) {
    OC_AUTO_JSON cJSON *touch = p->input.invoke ? NULL : gw_touches_take(&p->touches);
    if (touch) {
        add_port(p->shown, touch);
    }
    if (touch && !canvas_watch_ask(p, INPUT, touch, &p->input)) {
        gw_touches_finish(&p->touches); /* what follows would not make sense without it */
    }
}

static void on_input(struct gw_invoke_waiter *waiter, const struct gw_answer *a) {
    struct page *p = OC_CONTAINER(waiter, struct page, input);
    if (!a->ok) {
        gw_touches_finish(&p->touches); /* the next look says what is wrong */
    }
    p->changed_ms = now_ms(p); /* perhaps soon */
    if (!p->view.invoke) {
        look_in(p, 0);
    }
    touch_next(p);
}

/* What is on its way was laid out for the old one. However often a page changes its mind, the node
 * is asked no more often than for anything else. */
static void take_port(struct page *p, cJSON *take_port) {
    if (cJSON_Compare(p->port, take_port, true)) {
        cJSON_Delete(take_port);
        return;
    }
    cJSON_Delete(p->port);
    p->port = take_port;
    p->rev = -1;
    int64_t since_ms = now_ms(p) - p->port_ms;
    p->port_ms = now_ms(p);
    if (p->view.invoke) { /* the node paints it all the same */
        gw_invoke_leave(&p->view);
        look_in(p, since_ms < PORT_MS ? PORT_MS : QUICK_MS);
    } else if (p->asked_ms == 0) {
        look_in(p, 0);
    }
}

static void on_message(void *user, struct oc_blob *text) {
    struct page *p = user;
    cJSON *touch = NULL, *port = NULL;
    struct oc_error err;
    oc_turn_spend(p->watch->uses.conns->turns, &p->hold.party->turn, OC_TURN_UNITS_PER_MESSAGE);
    if (!p->cap) {
        return;
    }
    if (gw_touch_decode(text->data, text->len, &touch, &port, &err) != OC_OK) {
        oc_ws_close(p->ws, 1008, err.text);
        return;
    }
    if (port) {
        take_port(p, port);
        return;
    }
    if (p->cap->is_read_only) {
        cJSON_Delete(touch);
        return;
    }
    (void)gw_touches_add(&p->touches, touch); /* a node that is that slow does not hear all of it */
    touch_next(p);
}

static bool may_receive(void *user) {
    struct page *p = user;
    return oc_turn_may(p->watch->uses.conns->turns, &p->hold.party->turn, &p->turn_waiter);
}

static void on_received(void *user, size_t bytes) {
    struct page *p = user;
    p->turn_waiter.had_some = true;
    oc_turn_spend_bytes(p->watch->uses.conns->turns, &p->hold.party->turn, &p->received, bytes);
}

static void go_on(void *user) {
    struct page *p = user;
    oc_ws_go_on(p->ws);
}

static void on_activity(void *user) {
    struct page *p = user;
    p->heard_ms = now_ms(p);
}

static void on_held(void *user, size_t bytes) {
    struct page *p = user;
    if (bytes < p->held_bytes || p->held_bytes == 0) {
        p->moved_ms = now_ms(p);
    }
    p->watch->held_bytes += bytes - p->held_bytes;
    p->held_bytes = bytes;
    gw_hold_set(&p->hold, bytes);
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    (void)code;
    (void)reason;
    canvas_watch_drop(user);
}

static void on_ended(void *user, struct gw_canvas_cap *cap) {
    struct gw_canvas_watch *w = user;
    struct page *p, *next;
    oc_list_for_each_safe(p, next, &w->pages, link) {
        if (p->cap == cap) {
            stop_asking(p);
            oc_ws_close(p->ws, 1008, "this address has ended");
        }
    }
}

struct gw_canvas_watch *gw_canvas_watch_create(const struct gw_canvas_uses *uses) {
    struct gw_canvas_watch *w = oc_new(struct gw_canvas_watch);
    w->uses = *uses;
    w->caps = gw_canvas_caps_create(on_ended, w);
    oc_list_init(&w->pages);
    return w;
}

void gw_canvas_watch_destroy(struct gw_canvas_watch *w) {
    if (!w) {
        return;
    }
    while (!oc_list_empty(&w->pages)) {
        canvas_watch_drop(oc_list_first(&w->pages, struct page, link));
    }
    gw_canvas_caps_destroy(w->caps);
    oc_free(w);
}

struct gw_canvas_caps *gw_canvas_watch_caps(struct gw_canvas_watch *w) {
    return w->caps;
}

bool gw_canvas_watch_has_room(const struct gw_canvas_watch *w, const struct gw_canvas_cap *cap) {
    return w->count < GW_MAX_WATCH_SOCKETS && cap->sockets < GW_MAX_WATCH_SOCKETS_PER_CAP;
}

void gw_canvas_watch_accept(
        struct gw_canvas_watch *w, struct gw_canvas_cap *cap, struct oc_ws *take_ws) {
    static const struct oc_ws_events events = { .on_message = on_message,
        .on_activity = on_activity,
        .on_closed = on_closed,
        .may_receive = may_receive,
        .on_received = on_received,
        .on_held = on_held };
    struct page *p = oc_new(struct page);
    struct gw_party *party = gw_party_of_pages(w->uses.conns->parties, cap->actor);
    gw_hold_init(&p->hold, party, release_hold);
    gw_party_unref(party);
    p->watch = w;
    p->ws = take_ws;
    p->cap = cap;
    cap->sockets++;
    w->count++;
    oc_list_append(&w->pages, &p->link);
    oc_list_init(&p->view.link);
    oc_list_init(&p->input.link);
    p->view.on_answer = on_view;
    p->view.ends_with_caller = true;
    p->input.on_answer = on_input;
    p->look = (struct oc_timer){ .on_expire = on_look, .user = p };
    p->rev = -1;
    p->turn_waiter = (struct oc_turn_waiter){ .go_on = go_on, .user = p };
    oc_list_init(&p->turn_waiter.link);
    p->heard_ms = p->pinged_ms = now_ms(p);
    oc_ws_set_max_message(take_ws, GW_MAX_TOUCH_BYTES);
    oc_ws_set_events(take_ws, &events, p);
    const struct gw_node *node = gw_nodes_find(w->uses.nodes, cap->node_id);
    OC_AUTO_JSON cJSON *hello = cJSON_CreateObject();
    oc_json_set_str(hello, "state", "hello");
    oc_json_set_str(hello, "node", node && node->display_name ? node->display_name : cap->node_id);
    oc_json_set_bool(hello, "readOnly", cap->is_read_only);
    canvas_watch_tell(p, hello);
    oc_log(OC_LOG_INFO, TAG, "canvas is watched node=%.12s by=%.12s%s", cap->node_id, cap->actor,
            cap->is_read_only ? " read-only" : "");
    look_in(p, FIRST_MS);
}
