#include "gateway/conn/conn.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/log/log.h"
#include "lib/log/log_blame.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"
#include "lib/text/quoted.h"

#include <stdio.h>
#include <string.h>

#define TAG "gateway.conn"
#define MAX_CLOSE_REASON 120
/* Two and a half pings without a sign of life. */
#define SILENCE_MS (OC_PING_INTERVAL_MS * 5 / 2)

/* What is logged from here on is because of it. */
static const struct oc_log_cause *conn_blame(struct gw_conn *c) {
    c->log_cause = gw_party_log_cause(c->party);
    return oc_log_blame(&c->log_cause);
}

static void free_conn(struct gw_conn *c) {
    oc_list_remove(&c->link);
    oc_timer_cancel(&c->timer);
    oc_defer_cancel(&c->free_later);
    oc_defer_cancel(&c->detach_later);
    gw_hold_finish(&c->hold);
    oc_ws_destroy(c->ws);
    gw_node_destroy(c->node);
    oc_strv_finish(&c->scopes);
    gw_party_unref(c->party);
    oc_free(c->host);
    oc_free(c->role);
    oc_free(c->device_id);
    gw_conn_client_finish(&c->client);
    oc_free(c);
}

static void free_deferred(struct oc_deferred *d) {
    struct gw_conn *c = d->user;
    const struct gw_conns *all = c->all;
    free_conn(c);
    all->hooks->on_gone(all->gw);
}

static struct oc_turn *turn_of(struct gw_conn *c) {
    return gw_party_turn(c->party, c->all->turns);
}

/* Nobody reaches this client any more, and what it was part of is settled. Happens when the
 * connection begins to close: what the client says from then on is not heard. */
static void conn_detach(struct gw_conn *c) {
    struct oc_turn *payer = oc_turns_charge(c->all->turns, turn_of(c));
    c->all->hooks->on_detached(c);
    oc_turns_charge_end(c->all->turns, payer);
}

/* The socket is gone. The record stays in the list until the loop's round is over, because a
 * handler of this very connection, or a walk over the list, may be on the stack. */
static void conn_lose(struct gw_conn *c) {
    if (c->is_lost) {
        return;
    }
    c->is_lost = true;
    c->state = GW_CONN_CLOSING;
    oc_turn_waiter_leave(&c->turn_waiter);
    oc_timer_cancel(&c->timer);
    conn_detach(c);
    gw_party_leave(c->party);
}

void gw_conn_destroy(struct gw_conn *c) {
    conn_lose(c);
    free_conn(c);
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    struct gw_conn *c = user;
    conn_blame(c);
    if (c->role) {
        OC_AUTO_FREE char *label = gw_conn_label(c);
        OC_AUTO_FREE char *why = oc_quoted(reason, 120);
        oc_log(gw_conn_log_level(c), TAG, "disconnected %s code=%u reason=%s", label, code, why);
    }
    conn_lose(c);
    oc_log_blame(NULL);
    oc_defer(c->all->loop, &c->free_later);
}

static void on_activity(void *user) {
    struct gw_conn *c = user;
    c->last_heard_ms = oc_loop_now_ms(c->all->loop);
}

static void on_held(void *user, size_t bytes) {
    struct gw_conn *c = user;
    gw_hold_set(&c->hold, bytes);
}

static void detach_deferred(struct oc_deferred *d) {
    struct gw_conn *c = d->user;
    conn_detach(c);
    if (c->closes_later) {
        c->closes_later = false;
        oc_ws_close(c->ws, 1008, "slow consumer");
    }
}

/* Who sends may be in the middle of a list that detach takes things from, so it happens in a
 * moment. */
static void close_slow(struct gw_conn *c) {
    c->state = GW_CONN_CLOSING;
    c->closes_later = true;
    oc_timer_cancel(&c->timer);
    oc_defer(c->all->loop, &c->detach_later);
}

/* All connections together hold too much, and this party most of it. */
static void release_hold(struct gw_hold *h) {
    struct gw_conn *c = OC_CONTAINER(h, struct gw_conn, hold);
    const struct oc_log_cause *before =
            conn_blame(c); /* another's message may have made it too much */
    OC_AUTO_FREE char *label = gw_conn_label(c);
    oc_log(OC_LOG_WARN, TAG,
            "closing the connection that keeps most in memory %s bytes=%zu party=%.12s "
            "party-bytes=%zu all-bytes=%zu",
            label, h->bytes, c->party->name, c->party->held_bytes,
            gw_parties_held(c->all->parties));
    oc_log_blame(before);
    bool was_closing = c->state == GW_CONN_CLOSING;
    c->state = GW_CONN_CLOSING;
    oc_timer_cancel(&c->timer);
    oc_ws_cut(c->ws, 1013, OC_REASON_HOLDS_TOO_MUCH);
    if (!was_closing) {
        oc_defer(c->all->loop, &c->detach_later);
    }
}

/* Who asks and does not read the answers asks no more, until half of them are read. The one answer
 * that is on its way does not count: whoever takes a large one slowly can still cancel, and is
 * heard. A node is always heard: others wait for what it says. */
static bool must_read_first(struct gw_conn *c) {
    size_t limit = c->is_unread ? OC_MAX_UNREAD_BYTES / 2 : OC_MAX_UNREAD_BYTES;
    c->is_unread = c->state == GW_CONN_READY && !c->node && oc_ws_waiting_bytes(c->ws) > limit;
    return c->is_unread;
}

static void on_sent(void *user) {
    struct gw_conn *c = user;
    if (c->is_unread && !must_read_first(c)) {
        oc_ws_go_on(c->ws);
    }
}

static void on_drained(void *user) {
    struct gw_conn *c = user;
    c->all->hooks->on_drained(c);
}

/* Before hello: the one thing a client may say is connect. */
static void first_message(struct gw_conn *c, struct oc_blob *text) {
    struct oc_frame f;
    struct oc_error err;
    enum oc_code rc = oc_frame_decode_quick((struct oc_slice){ text->data, text->len }, &f, &err);
    if (rc == OC_E_CORRUPT) {
        gw_conn_close(c, 1000, "");
    } else if (rc != OC_OK || f.type != OC_FRAME_REQ) {
        gw_conn_close(c, 1008, "invalid request frame");
    } else if (!oc_streq(f.name, "connect")) {
        static const char message[] = "invalid handshake: first request must be connect";
        gw_conn_answer_error(c, f.id, oc_wire_error(OC_WIRE_INVALID, message, NULL, -1));
        gw_conn_close(c, 1008, message);
    } else {
        c->all->hooks->on_connect(c, &f);
    }
    oc_frame_finish(&f);
}

static void later_message(struct gw_conn *c, struct oc_blob *text) {
    struct oc_frame f;
    struct oc_error err;
    enum oc_code rc = oc_frame_decode_quick((struct oc_slice){ text->data, text->len }, &f, &err);
    if (rc == OC_OK && f.type != OC_FRAME_REQ) {
        rc = oc_fail(&err, OC_E_INVALID, "at /type: must be equal to constant");
    }
    if (rc == OC_OK) {
        c->all->hooks->on_request(c, &f, text);
    } else if (rc != OC_E_CORRUPT) {
        if (rc == OC_E_TOO_LARGE && c->node) { /* whoever waits for it is told now */
            c->all->hooks->on_unread(c, (struct oc_slice){ text->data, text->len });
        }
        OC_AUTO_FREE char *message = oc_strfmt("invalid request frame: %s", err.text);
        gw_conn_answer_error(
                c, f.id ? f.id : "invalid", oc_wire_error(OC_WIRE_INVALID, message, NULL, -1));
    }
    oc_frame_finish(&f);
}

/* What is still to be said in a connection that closes costs next to nothing, and is dropped. */
static bool may_receive(void *user) {
    struct gw_conn *c = user;
    return c->state == GW_CONN_CLOSING ||
           (!must_read_first(c) && oc_turn_may(c->all->turns, turn_of(c), &c->turn_waiter));
}

static void on_received(void *user, size_t bytes) {
    struct gw_conn *c = user;
    oc_turn_spend_bytes(c->all->turns, turn_of(c), &c->received, bytes);
}

static void go_on(void *user) {
    struct gw_conn *c = user;
    oc_ws_go_on(c->ws);
}

static void conn_handle(struct gw_conn *c, struct oc_blob *text) {
    switch (c->state) {
    case GW_CONN_NEW:
        first_message(c, text);
        break;
    case GW_CONN_READY:
        later_message(c, text);
        break;
    case GW_CONN_CLOSING:
        break;
    }
}

static void on_message(void *user, struct oc_blob *text) {
    struct gw_conn *c = user;
    struct gw_party *payer = gw_party_ref(c->party); /* the handshake may change it */
    conn_blame(c);
    oc_turn_begin(c->all->turns, turn_of(c), &c->turn_waiter);
    conn_handle(c, text);
    oc_turn_end(c->all->turns);
    oc_log_blame(NULL);
    gw_party_unref(payer);
}

static void on_timer(struct oc_timer *t) {
    struct gw_conn *c = t->user;
    switch (c->state) {
    case GW_CONN_NEW:
        gw_conn_close(c, 1000, "");
        break;
    case GW_CONN_READY:
        if (oc_ws_is_taking(c->ws, &c->taken_mark)) {
            on_activity(c); /* slowly, but it lives */
        }
        if (oc_loop_now_ms(c->all->loop) - c->last_heard_ms > SILENCE_MS) {
            c->state = GW_CONN_CLOSING;
            oc_ws_abort(c->ws); /* on_closed follows */
            break;
        }
        oc_ws_ping(c->ws);
        oc_timer_set(c->all->loop, t, OC_PING_INTERVAL_MS);
        break;
    case GW_CONN_CLOSING:
        break;
    }
}

/* Letters, digits, dots, dashes, a port, and the brackets of IPv6. */
static char *take_host(const struct oc_http_head *head) {
    const char *host = oc_http_header(head, "Host");
    bool is_plain =
            host && *host && strlen(host) <= 255 &&
            host[strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              ".-_:[]")] == '\0';
    return is_plain ? oc_strdup(host) : NULL;
}

void gw_conn_accept(struct gw_conns *all, struct oc_ws *take_ws, const struct oc_http_head *head,
        const struct oc_peer *peer, const char *tls_pin) {
    struct gw_origin_facts from;
    gw_origin_facts_read(&from, head, peer, &all->cfg->allowed_origins, &all->cfg->proxies);
    if (from.is_proxy_unknown && !all->warned_of_proxy) {
        all->warned_of_proxy = true;
        oc_log(OC_LOG_WARN, TAG,
                "proxy headers from ip=%s are not believed; if that is your reverse proxy, add it "
                "to gateway.trustedProxies",
                from.ip);
    }
    struct gw_party *party =
            gw_party_of_address(all->parties, from.ip, gw_origin_is_unforwarded(&from));
    if (all->is_stopping || !gw_party_enter(party)) {
        oc_log(OC_LOG_DEBUG, TAG, "dropped a connection that is over the budget ip=%s", from.ip);
        gw_party_unref(party);
        oc_ws_destroy(take_ws);
        return;
    }
    static const struct oc_ws_events events = {
        .on_message = on_message,
        .on_closed = on_closed,
        .on_activity = on_activity,
        .may_receive = may_receive,
        .on_received = on_received,
        .on_sent = on_sent,
        .on_drained = on_drained,
        .on_held = on_held,
    };
    struct gw_conn *c = oc_new(struct gw_conn);
    c->all = all;
    c->ws = take_ws;
    c->from = from;
    c->host = take_host(head);
    c->party = party;
    gw_hold_init(&c->hold, party, release_hold);
    c->detach_later = (struct oc_deferred){ .run = detach_deferred, .user = c };
    c->free_later.run = free_deferred;
    c->free_later.user = c;
    c->turn_waiter = (struct oc_turn_waiter){ .go_on = go_on, .user = c };
    oc_list_init(&c->turn_waiter.link);
    c->timer.on_expire = on_timer;
    c->timer.user = c;
    c->last_heard_ms = oc_loop_now_ms(all->loop);
    gw_method_waits_init(&c->waits);
    oc_uuid4(c->id);
    /* Behind a proxy that we trust, TLS ends there, and clients see its certificate. */
    bool is_proxied = from.is_forwarded && !from.is_proxy_unknown;
    oc_nonce_make(is_proxied ? NULL : tls_pin, c->nonce);
    oc_list_append(&all->list, &c->link);
    oc_ws_set_max_message(c->ws, OC_MAX_PREAUTH_BYTES);
    oc_ws_set_events(c->ws, &events, c);
    oc_timer_set(all->loop, &c->timer, all->cfg->handshake_ms);

    cJSON *challenge = cJSON_CreateObject();
    oc_json_set_str(challenge, "nonce", c->nonce);
    oc_json_set_int(challenge, "ts", oc_wall_ms(all->clock));
    gw_event_send(c, GW_EVENT_CHALLENGE, challenge);
}

bool gw_conn_count_for(struct gw_conn *c, struct gw_party *take_party) {
    if (!gw_party_enter(take_party)) {
        gw_party_unref(take_party);
        return false;
    }
    gw_party_leave(c->party);
    gw_party_unref(c->party);
    c->party = take_party;
    gw_hold_move(&c->hold, take_party);
    conn_blame(c);
    return true;
}

void gw_conn_ready(struct gw_conn *c) {
    c->state = GW_CONN_READY;
    if (oc_scope_held(&c->scopes, OC_SCOPE_WRITE)) { /* a node's room comes with its commands */
        gw_conn_give_room(c);
    } else if (c->scopes.count > 0) {
        oc_ws_set_max_message(c->ws, OC_MAX_READER_BYTES);
    }
    oc_timer_set(c->all->loop, &c->timer, OC_PING_INTERVAL_MS);
}

void gw_conn_give_room(struct gw_conn *c) {
    oc_ws_set_max_message(c->ws, OC_MAX_MESSAGE_BYTES);
}

bool gw_conn_send(struct gw_conn *c, struct oc_msg *take_msg, bool is_droppable) {
    if (c->state == GW_CONN_CLOSING) {
        oc_msg_destroy(take_msg);
        return false;
    }
    oc_turns_count(c->all->turns, (unsigned)(oc_msg_weight(take_msg) / OC_TURN_BYTES_OUT));
    enum oc_code rc = oc_ws_send(c->ws, take_msg);
    if (rc == OC_E_TOO_LARGE && !is_droppable) {
        OC_AUTO_FREE char *label = gw_conn_label(c);
        oc_log(OC_LOG_WARN, TAG, "closing a client that does not read %s queued=%zu", label,
                oc_ws_queued_bytes(c->ws));
        close_slow(c);
    }
    return rc == OC_OK;
}

static void send_too_large(struct gw_conn *c, const char *request_id) {
    OC_AUTO_JSON cJSON *error =
            oc_wire_error(OC_WIRE_UNAVAILABLE, "the answer is too large for one message", NULL, -1);
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_frame_put_res_error(&b, request_id, error);
    gw_conn_send(c, oc_msg_from_buf(&b), false);
}

static void send_buf(struct gw_conn *c, const char *request_id, struct oc_buf *take_buf) {
    if (take_buf->failed) {
        oc_buf_finish(take_buf);
        send_too_large(c, request_id);
        return;
    }
    gw_conn_send(c, oc_msg_from_buf(take_buf), false);
}

static void after_response(struct gw_conn *c) {
    if (c->close_after_response) {
        gw_conn_close(c, 1008, c->close_after_response);
    }
}

void gw_conn_answer(struct gw_conn *c, const char *request_id, cJSON *take_payload) {
    OC_AUTO_JSON cJSON *payload = take_payload;
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_frame_put_res(&b, request_id, payload);
    send_buf(c, request_id, &b);
    c->unauthorized = 0;
    after_response(c);
}

void gw_conn_answer_blob(struct gw_conn *c, const char *request_id, struct oc_blob *payload) {
    OC_AUTO_BUF struct oc_buf head = OC_BUF_INIT(OC_MAX_REQUEST_BYTES);
    oc_buf_puts(&head, "{\"type\":\"res\",\"id\":");
    oc_json_append_string(&head, request_id, strlen(request_id));
    oc_buf_puts(&head, ",\"ok\":true,\"payload\":");
    if (head.len + payload->len + 1 > OC_MAX_MESSAGE_BYTES) {
        send_too_large(c, request_id);
    } else {
        struct oc_msg *m = oc_msg_create();
        oc_msg_add_text(m, head.data, head.len);
        oc_msg_add_slice(m, payload, (struct oc_slice){ payload->data, payload->len }, OC_PART_RAW);
        oc_msg_add_text(m, "}", 1);
        gw_conn_send(c, m, false);
    }
    c->unauthorized = 0;
    after_response(c);
}

void gw_conn_answer_text(struct gw_conn *c, const char *request_id, struct oc_buf *take_payload) {
    if (take_payload->failed) {
        oc_buf_finish(take_payload);
        send_too_large(c, request_id);
        c->unauthorized = 0;
        after_response(c);
        return;
    }
    struct oc_blob *payload = oc_blob_from_buf(take_payload);
    gw_conn_answer_blob(c, request_id, payload);
    oc_blob_unref(payload);
}

void gw_conn_answer_error(struct gw_conn *c, const char *request_id, cJSON *take_error) {
    OC_AUTO_JSON cJSON *error = take_error;
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_frame_put_res_error(&b, request_id, error);
    send_buf(c, request_id, &b);
    c->unauthorized = 0;
    after_response(c);
}

void gw_conn_close(struct gw_conn *c, uint16_t code, const char *reason) {
    if (c->state == GW_CONN_CLOSING) {
        return;
    }
    c->state = GW_CONN_CLOSING;
    char cut[MAX_CLOSE_REASON + 1];
    size_t n = oc_utf8_cut(reason, strlen(reason), MAX_CLOSE_REASON);
    memcpy(cut, reason, n);
    cut[n] = '\0';
    oc_timer_cancel(&c->timer);
    conn_detach(c);
    oc_ws_close(c->ws, code, cut);
}

struct gw_actor gw_conn_actor(const struct gw_conn *c) {
    return (struct gw_actor){
        .scopes = &c->scopes,
        .device_id = c->device_id,
        .secret = c->device_id ? NULL : c->all->cfg->secret,
    };
}

struct gw_presence_info gw_conn_presence(const struct gw_conn *c) {
    return (struct gw_presence_info){
        .conn_id = c->id,
        .device_id = c->device_id,
        .instance_id = c->client.instance_id,
        .host = c->client.display_name,
        .client_id = c->client.id,
        .ip = c->is_local || c->from.is_loopback ? NULL : c->from.ip,
        .version = c->client.version,
        .platform = c->client.platform,
        .device_family = c->client.device_family,
        .model_identifier = c->client.model_identifier,
        .mode = c->client.mode,
        .role = c->role,
        .scopes = &c->scopes,
    };
}

char *gw_conn_label(const struct gw_conn *c) {
    const char *name = c->client.display_name ? c->client.display_name
                       : c->client.id         ? c->client.id
                                              : "";
    OC_AUTO_FREE char *shown = oc_quoted(name, 60);
    return oc_strfmt("role=%s client=%s device=%.12s ip=%s", c->role ? c->role : "-", shown,
            c->device_id ? c->device_id : "-", c->from.ip);
}

void gw_conns_close_device(struct gw_conns *all, const char *device_id, const char *role,
        struct gw_conn *asking, const char *reason_v3, const char *reason_v4) {
    struct gw_conn *c;
    oc_list_for_each(c, &all->list, link) {
        if (c->state != GW_CONN_READY || !oc_streq(c->device_id, device_id) ||
                (role && !oc_streq(c->role, role))) {
            continue;
        }
        const char *reason = c->protocol >= 4 ? reason_v4 : reason_v3;
        if (c == asking) {
            c->close_after_response = reason;
        } else {
            gw_conn_close(c, 1008, reason);
        }
    }
}

enum oc_log_level gw_conn_log_level(const struct gw_conn *c) {
    bool is_call = oc_streq(c->client.mode, "cli") || oc_streq(c->client.mode, "probe");
    return is_call && oc_streq(c->role, OC_ROLE_OPERATOR) ? OC_LOG_DEBUG : OC_LOG_INFO;
}
