#include "lib/client/session.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/client/calls.h"
#include "lib/identity/nonce.h"
#include "lib/net/loop/stream.h"
#include "lib/net/peer.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/foreign_errors.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define HELLO_TIMEOUT_MS 15000
#define REFUSED_WAIT_MS 2000 /* for the close that follows a refusal */
#define MAX_CHALLENGE_BYTES 65536u
#define MAX_EARLY_EVENTS 8 /* between connect and hello; further ones are dropped */

enum session_state {
    SESSION_DIALING,
    SESSION_WAITS_CHALLENGE,
    SESSION_WAITS_HELLO,
    SESSION_OPEN,
    SESSION_REFUSED, /* the gateway said why; its close follows */
    SESSION_ENDING,  /* we closed */
    SESSION_ENDED,   /* on_end was called */
};

struct oc_session {
    struct oc_loop *loop;
    const struct oc_identity *identity;
    int challenge_timeout_ms, hello_timeout_ms;
    bool watch_ticks, is_tls;
    char *gateway_user;
    struct oc_session_events events;
    void *user;

    enum session_state state;
    unsigned depth; /* > 0: on the call stack, not freed yet */
    bool is_destroyed, had_hello;
    struct oc_dial *dial;
    struct oc_ws *ws;
    cJSON *connect; /* params without device */
    char connect_id[OC_UUID_LEN + 1];
    struct oc_timer step_timer, tick_timer;
    struct oc_deferred end_soon;
    int64_t tick_ms, seen_ms;
    struct oc_calls calls;
    struct oc_error local_end;               /* code != 0: why we ended it */
    cJSON *refusal;                          /* the error object of the refused connect */
    struct oc_blob *early[MAX_EARLY_EVENTS]; /* came before hello, wait for it */
    size_t early_count;
};

static void session_enter(struct oc_session *s) {
    s->depth++;
}

static void session_leave(struct oc_session *s) {
    if (--s->depth == 0 && s->is_destroyed) {
        oc_free(s);
    }
}

static enum oc_code refusal_code(const char *wire, enum oc_cause cause) {
    switch (cause) {
    case OC_CAUSE_PROTOCOL_MISMATCH:
        return OC_E_UNSUPPORTED;
    case OC_CAUSE_DEVICE_REQUIRED:
    case OC_CAUSE_NOT_PAIRED:
        return OC_E_DENIED;
    case OC_CAUSE_BAD_PROOF:
    case OC_CAUSE_BAD_SETUP_CODE:
    case OC_CAUSE_DEVICE_TOKEN_MISMATCH:
    case OC_CAUSE_LOCKED_OUT:
    case OC_CAUSE_NO_SECRET:
    case OC_CAUSE_PROXY_REQUIRED:
    case OC_CAUSE_UNAUTHORIZED:
    case OC_CAUSE_WRONG_PASSWORD:
    case OC_CAUSE_WRONG_TOKEN:
        return OC_E_AUTH;
    default:
        return oc_streq(wire, OC_WIRE_UNAVAILABLE) ? OC_E_UNAVAILABLE
               : oc_streq(wire, OC_WIRE_INVALID)   ? OC_E_INVALID
                                                   : OC_E_CLOSED;
    }
}

static int64_t retry_after(const cJSON *error, const cJSON *details) {
    return oc_json_get_ms(error, "retryAfterMs", oc_json_get_ms(details, "retryAfterMs", -1));
}

/* *ret_text: what end->message points to. Caller frees. */
static void describe_refusal(
        const struct oc_session *s, struct oc_session_end *end, char **ret_text) {
    const char *message = oc_json_get_str(s->refusal, "message");
    end->details = oc_json_get(s->refusal, "details");
    end->error_code = oc_json_get_str(s->refusal, "code");
    *ret_text = oc_grounds_read(&(struct oc_told_error){ .is_of_handshake = true,
                                        .code = end->error_code,
                                        .message = message,
                                        .details = end->details },
            &end->grounds);
    end->code = refusal_code(end->error_code, end->grounds.cause);
    end->message = oc_str_blank(*ret_text) ? "the gateway refused the connection" : *ret_text;
    end->retry_after_ms = retry_after(s->refusal, end->details);
}

/* Tells everybody that it is over. The session may be destroyed by what it calls. */
static void end_session(struct oc_session *s, uint16_t close_code, const char *close_reason) {
    session_enter(s);
    s->state = SESSION_ENDED;
    oc_timer_cancel(&s->step_timer);
    oc_timer_cancel(&s->tick_timer);
    oc_defer_cancel(&s->end_soon);
    struct oc_error text = s->local_end;
    OC_AUTO_FREE char *refusal = NULL;
    struct oc_session_end end = { .close_code = close_code,
        .close_reason = close_reason,
        .retry_after_ms = -1,
        .had_hello = s->had_hello };
    if (s->refusal) {
        describe_refusal(s, &end, &refusal);
    } else {
        if (!text.code && (close_code == 1006 || close_code == 0)) {
            (void)oc_fail(&text, OC_E_CLOSED, "the connection to the gateway was lost");
        } else if (!text.code) {
            OC_AUTO_FREE char *reason = oc_printable(close_reason, strlen(close_reason), 200);
            (void)oc_fail(&text, OC_E_CLOSED, "the gateway closed the connection (%u%s%s)",
                    close_code, *reason ? " " : "", reason);
        }
        end.code = text.code;
        end.message = text.text;
        end.grounds = text.grounds;
    }
    if (!end.grounds.cause) {
        end.grounds.cause = oc_foreign_close(close_code, close_reason);
    }
    oc_calls_fail_all(&s->calls, OC_E_CLOSED, end.message);
    if (!s->is_destroyed && s->events.on_end) {
        s->events.on_end(s->user, &end);
    }
    session_leave(s);
}

static void on_end_soon(struct oc_deferred *d) {
    end_session(d->user, 0, "");
}

/* Closes for a reason of ours; on_end will carry code and text. */
static void give_up_for(
        struct oc_session *s, uint16_t close_code, const char *reason, const struct oc_error *why) {
    if (!s->local_end.code && !s->refusal) {
        s->local_end = *why;
    }
    s->state = SESSION_ENDING;
    oc_timer_cancel(&s->step_timer);
    oc_timer_cancel(&s->tick_timer);
    oc_ws_close(s->ws, close_code, reason);
}

static void give_up(struct oc_session *s, uint16_t close_code, const char *reason,
        enum oc_code code, const char *text) {
    struct oc_error why;
    (void)oc_fail(&why, code, "%s", text);
    give_up_for(s, close_code, reason, &why);
}

static void on_step_timeout(struct oc_timer *t) {
    struct oc_session *s = t->user;
    if (s->state == SESSION_WAITS_CHALLENGE) {
        give_up(s, 1008, "connect challenge timeout", OC_E_TIMEOUT,
                "the gateway sent no connect challenge (is this the gateway's port?)");
    } else if (s->state == SESSION_WAITS_HELLO) {
        give_up(s, 4000, "connect timeout", OC_E_TIMEOUT, "the gateway did not answer connect");
    } else if (s->state == SESSION_REFUSED) {
        give_up(s, 1008, "connect failed", OC_E_CLOSED, "");
    }
}

static void on_tick_check(struct oc_timer *t) {
    struct oc_session *s = t->user;
    if (oc_loop_now_ms(s->loop) - s->seen_ms > 2 * s->tick_ms) {
        struct oc_error text;
        (void)oc_fail(&text, OC_E_TIMEOUT, "no sign of life from the gateway for %lld seconds",
                (long long)(2 * s->tick_ms / 1000));
        give_up(s, 4000, "tick timeout", OC_E_TIMEOUT, text.text);
        return;
    }
    /* Exactly when the silence becomes too long, not at the next multiple of the interval. */
    oc_timer_set(s->loop, t, s->seen_ms + 2 * s->tick_ms + 1 - oc_loop_now_ms(s->loop));
}

/* Fills in device and signature; the strings stay with the caller. */
static char *session_sign(
        const struct oc_session *s, struct oc_connect *c, const char *nonce, int64_t signed_at_ms) {
    const struct oc_device_claim claim = {
        .device_id = oc_identity_device_id(s->identity),
        .client_id = c->client_id,
        .client_mode = c->mode,
        .role = c->role,
        .scopes = (const char *const *)c->scopes.items,
        .scope_count = c->scopes.count,
        .signed_at_ms = signed_at_ms,
        .token = c->token          ? c->token
                 : c->device_token ? c->device_token
                                   : c->bootstrap_token,
        .nonce = nonce,
        .platform = c->platform,
        .device_family = c->device_family,
    };
    OC_AUTO_SECRET char *text = oc_device_claim_text(&claim, 3);
    c->device_id = claim.device_id;
    c->public_key = oc_identity_public_key(s->identity);
    c->signed_at_ms = signed_at_ms;
    c->nonce = nonce;
    return oc_identity_sign(s->identity, text);
}

static void send_connect(struct oc_session *s, const char *nonce, int64_t signed_at_ms) {
    struct oc_connect c;
    struct oc_error err;
    OC_AUTO_FREE char *signature = NULL;
    OC_AUTO_JSON cJSON *params = NULL;
    enum oc_code rc = oc_connect_decode(s->connect, &c, &err);
    if (rc == OC_OK) {
        if (s->identity) {
            signature = session_sign(s, &c, nonce, signed_at_ms);
            c.signature = signature;
        }
        params = oc_connect_encode(&c);
    }
    oc_connect_finish(&c);
    if (rc != OC_OK) {
        oc_error_prefix(&err, "invalid connect params");
        give_up(s, 1008, "connect failed", OC_E_INVALID, err.text);
        return;
    }
    struct oc_buf out = OC_BUF_INIT(OC_MAX_PREAUTH_BYTES);
    oc_uuid4(s->connect_id);
    oc_frame_put_req(&out, s->connect_id, "connect", params);
    if (out.failed) {
        oc_buf_finish(&out);
        give_up(s, 1008, "connect failed", OC_E_TOO_LARGE, "the connect request is too large");
        return;
    }
    (void)oc_ws_send(s->ws, oc_msg_from_buf(&out));
    s->state = SESSION_WAITS_HELLO;
    oc_timer_set(s->loop, &s->step_timer, s->hello_timeout_ms);
}

/* Whoever spoke first has accepted the connection, so the kernel knows who that is. */
static bool is_ours(struct oc_session *s) {
    struct oc_error err;
    const struct oc_stream *stream = oc_ws_stream(s->ws);
    if (s->is_tls || (stream && oc_peer_check(stream->fd, s->gateway_user, &err) == OC_OK)) {
        return true;
    }
    if (!stream) {
        (void)oc_fail(&err, OC_E_CLOSED, "the connection to the gateway was lost");
    }
    give_up_for(s, 1008, "not the gateway", &err);
    return false;
}

static void on_challenge(struct oc_session *s, const struct oc_frame *f) {
    OC_AUTO_JSON cJSON *payload = NULL;
    const char *nonce = NULL;
    if (oc_frame_parse_body(f, MAX_CHALLENGE_BYTES, &payload, NULL) == OC_OK) {
        nonce = oc_json_get_str(payload, "nonce");
    }
    if (!is_ours(s)) {
        return;
    }
    if (oc_str_blank(nonce)) {
        give_up(s, 1008, "connect challenge missing nonce", OC_E_INVALID,
                "the gateway's connect challenge has no nonce");
        return;
    }
    if (!oc_nonce_fits(nonce, oc_ws_stream(s->ws)->peer_pin)) {
        struct oc_error why;
        (void)oc_fail_cause(&why, OC_E_AUTH, OC_CAUSE_OTHER_GATEWAY,
                "the challenge is one of another gateway, whose certificate is not the one of this "
                "connection; nothing was signed");
        give_up_for(s, 1008, "not your challenge", &why);
        return;
    }
    /* The gateway's own time, when given, makes our clock irrelevant. */
    int64_t ts = oc_json_get_ms(payload, "ts", -1);
    send_connect(s, nonce, ts >= 0 ? ts : oc_wall_ms(oc_loop_clock(s->loop)));
}

static void drop_early(struct oc_session *s) {
    while (s->early_count > 0) {
        oc_blob_unref(s->early[--s->early_count]);
    }
}

/* A gateway may ask for something before its hello has left; nothing counts until it has come. */
static void deliver_early(struct oc_session *s) {
    for (size_t i = 0; i < s->early_count && s->state == SESSION_OPEN; i++) {
        struct oc_frame f;
        struct oc_blob *blob =
                oc_blob_ref(s->early[i]); /* the session may be destroyed by what is called */
        struct oc_slice all = { .ptr = blob->data, .len = blob->len };
        if (oc_frame_decode(all, &f, NULL) == OC_OK && s->events.on_event) {
            s->events.on_event(s->user, &f, blob);
        }
        oc_frame_finish(&f);
        oc_blob_unref(blob);
    }
    drop_early(s);
}

static void on_event(struct oc_session *s, const struct oc_frame *f, struct oc_blob *blob) {
    if (s->state == SESSION_OPEN && s->events.on_event) {
        s->events.on_event(s->user, f, blob);
    } else if (s->state == SESSION_WAITS_HELLO && s->early_count < MAX_EARLY_EVENTS &&
               blob->len <= OC_MAX_PREAUTH_BYTES) {
        s->early[s->early_count++] = oc_blob_ref(blob);
    }
}

static void on_accepted(struct oc_session *s, const struct oc_frame *f) {
    OC_AUTO_JSON cJSON *payload = NULL;
    struct oc_hello hello = { 0 };
    struct oc_error err;
    enum oc_code rc = oc_frame_parse_body(f, OC_MAX_REQUEST_BYTES, &payload, &err);
    if (rc == OC_OK) {
        rc = oc_hello_decode(payload, &hello, &err);
    }
    if (rc != OC_OK) {
        give_up(s, 1008, "connect failed", rc, err.text);
    } else {
        s->state = SESSION_OPEN;
        s->had_hello = true;
        oc_timer_cancel(&s->step_timer);
        s->tick_ms = hello.tick_interval_ms > 1000 ? hello.tick_interval_ms : 1000;
        s->seen_ms = oc_loop_now_ms(s->loop);
        if (s->watch_ticks) {
            oc_timer_set(s->loop, &s->tick_timer, 2 * s->tick_ms + 1);
        }
        if (s->events.on_hello) {
            s->events.on_hello(s->user, &hello, payload);
        }
        deliver_early(s);
    }
    oc_hello_finish(&hello);
}

static void on_refused(struct oc_session *s, const struct oc_frame *f) {
    if (f->error.len == 0 || f->error.len > OC_MAX_REQUEST_BYTES ||
            oc_json_parse(f->error.ptr, f->error.len, &s->refusal, NULL) != OC_OK) {
        s->refusal = cJSON_CreateObject();
    }
    s->state = SESSION_REFUSED;
    oc_timer_set(s->loop, &s->step_timer, REFUSED_WAIT_MS);
}

static void on_response(struct oc_session *s, const struct oc_frame *f, struct oc_blob *blob) {
    if (s->state == SESSION_WAITS_HELLO && oc_streq(f->id, s->connect_id)) {
        if (f->ok) {
            on_accepted(s, f);
        } else {
            on_refused(s, f);
        }
    } else if (!oc_calls_answer(&s->calls, f, blob) && s->state == SESSION_OPEN &&
               s->events.on_response) {
        s->events.on_response(s->user, f);
    }
}

static void on_message(void *user, struct oc_blob *text) {
    struct oc_session *s = user;
    struct oc_frame f;
    session_enter(s);
    struct oc_slice all = { .ptr = text->data, .len = text->len };
    if (oc_frame_decode(all, &f, NULL) == OC_OK) {
        bool is_challenge = f.type == OC_FRAME_EVENT && oc_streq(f.name, "connect.challenge");
        if (f.type == OC_FRAME_RES) {
            on_response(s, &f, text);
        } else if (is_challenge && s->state == SESSION_WAITS_CHALLENGE) {
            on_challenge(s, &f);
        } else if (f.type == OC_FRAME_EVENT && !is_challenge) {
            on_event(s, &f, text);
        }
    }
    oc_frame_finish(&f);
    session_leave(s);
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    end_session(user, code, reason);
}

static void on_activity(void *user) {
    struct oc_session *s = user;
    s->seen_ms = oc_loop_now_ms(s->loop);
}

static void on_dialed(void *user, struct oc_ws *take_ws, const struct oc_error *err) {
    static const struct oc_ws_events ws_events = {
        .on_message = on_message, .on_closed = on_closed, .on_activity = on_activity
    };
    struct oc_session *s = user;
    s->dial = NULL;
    if (err) {
        s->local_end = *err;
        end_session(s, 0, "");
        return;
    }
    s->ws = take_ws;
    oc_ws_set_events(s->ws, &ws_events, s);
    s->state = SESSION_WAITS_CHALLENGE;
    oc_timer_set(s->loop, &s->step_timer, s->challenge_timeout_ms);
}

struct oc_session *oc_session_start(struct oc_loop *loop, const struct oc_session_opts *opts,
        const struct oc_session_events *events, void *user) {
    struct oc_session *s = oc_new(struct oc_session);
    s->loop = loop;
    s->identity = opts->identity;
    s->challenge_timeout_ms =
            opts->challenge_timeout_ms > 0 ? opts->challenge_timeout_ms : OC_CHALLENGE_TIMEOUT_MS;
    s->hello_timeout_ms = opts->hello_timeout_ms > 0 ? opts->hello_timeout_ms : HELLO_TIMEOUT_MS;
    s->watch_ticks = opts->watch_ticks;
    s->is_tls = opts->dial.tls;
    s->gateway_user = oc_strdup(opts->dial.gateway_user);
    s->events = *events;
    s->user = user;
    struct oc_connect bare = *opts->connect;
    bare.device_id = NULL;
    s->connect = oc_connect_encode(&bare);
    s->step_timer = (struct oc_timer){ .on_expire = on_step_timeout, .user = s };
    s->tick_timer = (struct oc_timer){ .on_expire = on_tick_check, .user = s };
    s->end_soon = (struct oc_deferred){ .run = on_end_soon, .user = s };
    oc_calls_init(&s->calls, loop);
    s->dial = oc_dial_start(loop, &opts->dial, on_dialed, s);
    return s;
}

const char *oc_session_request(struct oc_session *s, const char *method, cJSON *take_params,
        int timeout_ms, oc_reply_done *done, void *user) {
    OC_AUTO_JSON cJSON *params = take_params;
    bool is_full = s->calls.count >= OC_MAX_CALLS;
    struct oc_call *call = oc_calls_add(&s->calls, method, timeout_ms, done, user);
    if (s->state != SESSION_OPEN) {
        bool is_early = s->state < SESSION_OPEN;
        oc_call_fail_soon(call, is_early ? OC_E_UNAVAILABLE : OC_E_CLOSED,
                is_early ? "not connected to the gateway yet"
                         : "the connection to the gateway is closed");
        return oc_call_id(call);
    }
    if (is_full) {
        oc_call_fail_soon(call, OC_E_UNAVAILABLE, "too many requests wait for an answer");
        return oc_call_id(call);
    }
    struct oc_buf out = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_frame_put_req(&out, oc_call_id(call), method, params);
    if (out.failed) {
        oc_buf_finish(&out);
        oc_call_fail_soon(call, OC_E_TOO_LARGE, "the request is too large");
        return oc_call_id(call);
    }
    enum oc_code rc = oc_ws_send(s->ws, oc_msg_from_buf(&out));
    if (rc != OC_OK) {
        oc_call_fail_soon(call, rc,
                rc == OC_E_TOO_LARGE ? "the gateway does not read fast enough"
                                     : "the connection to the gateway is closed");
    }
    return oc_call_id(call);
}

enum oc_code oc_session_send(struct oc_session *s, struct oc_msg *take_msg) {
    if (s->state != SESSION_OPEN) {
        oc_msg_destroy(take_msg);
        return OC_E_CLOSED;
    }
    return oc_ws_send(s->ws, take_msg);
}

int oc_session_fd(const struct oc_session *s) {
    return s->ws ? oc_ws_fd(s->ws) : -1;
}

void oc_session_close(struct oc_session *s, uint16_t code, const char *reason) {
    if (s->state >= SESSION_ENDING) {
        return;
    }
    if (s->ws) {
        give_up(s, code, reason, OC_E_CANCELLED, "closed");
        return;
    }
    oc_dial_cancel(oc_take(&s->dial));
    (void)oc_fail(&s->local_end, OC_E_CANCELLED, "closed");
    s->state = SESSION_ENDING;
    oc_defer(s->loop, &s->end_soon);
}

void oc_session_destroy(struct oc_session *s) {
    if (!s || s->is_destroyed) {
        return;
    }
    s->is_destroyed = true;
    s->state = SESSION_ENDED;
    oc_timer_cancel(&s->step_timer);
    oc_timer_cancel(&s->tick_timer);
    oc_defer_cancel(&s->end_soon);
    oc_dial_cancel(oc_take(&s->dial));
    oc_ws_destroy(oc_take(&s->ws));
    oc_calls_finish(&s->calls);
    cJSON_Delete(oc_take(&s->connect));
    cJSON_Delete(oc_take(&s->refusal));
    oc_free(oc_take(&s->gateway_user));
    drop_early(s);
    if (s->depth == 0) {
        oc_free(s);
    }
}
