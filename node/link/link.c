#include "node/link/link.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/net/dial.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"
#include "lib/state/device_auth.h"
#include "lib/text/fix.h"
#include "node/link/places.h"
#include "node/link/retry.h"

#include <string.h>

enum {
    MAX_PATH_ENV = 8192, /* only shown; connect as a whole may not be large */
};

#define TOLD_WINDOW_MS 60000
#define MAX_TOLD 20
#define TAG "node.link"

struct nd_link {
    struct oc_loop *loop;
    struct nd_link_opts opts;
    struct nd_link_events events;
    void *user;
    char *url;
    char *gateway_user;
    char *token, *password; /* shared secrets */
    char *setup_token;      /* good for one hello */

    struct oc_session *session; /* NULL between attempts */
    bool is_stopping;
    bool is_reconnecting;      /* we close it, to connect anew at once */
    bool prefers_device_token; /* the shared token turned out to be wrong */
    bool was_waiting;          /* for the approval of this device, on a gateway of the reference */
    unsigned
            taken_over; /* connections in a row that a newer one of the same key replaced: two nodes
                          * with one key would otherwise throw each other out once a second */
    int64_t told_since_ms; /* what the gateway says of our approval is heard so often in a window */
    unsigned told;
    struct nd_places *places;
    struct nd_backoff backoff;
    struct oc_timer retry;
    struct oc_deferred stopped, drop; /* drop: frees a session from outside its callback */
    struct oc_session *ended;
};

static void set_url(struct nd_link *l) {
    oc_free(l->url);
    l->url = nd_place_url(nd_places_now(l->places));
}

static void link_report(struct nd_link *l, struct nd_status *s) {
    s->gateway = l->url;
    s->name = l->opts.settings->display_name;
    l->events.on_status(l->user, s);
}

static void drop_ended(struct oc_deferred *d) {
    struct nd_link *l = d->user;
    oc_session_destroy(oc_take(&l->ended));
}

static void on_stopped(struct oc_deferred *d) {
    struct nd_link *l = d->user;
    link_report(l, &(struct nd_status){ .state = ND_STOPPED });
    l->events.on_stopped(l->user);
}

static uint32_t random_number(void) {
    uint32_t v;
    oc_random(&v, sizeof(v));
    return v;
}

static void store_token(struct nd_link *l, const struct oc_hello *hello) {
    if (hello->has_odd_token) {
        oc_log(OC_LOG_WARN, TAG,
                "the gateway's device token is too long or not plain text; it is not kept");
    }
    if (oc_str_blank(hello->device_token)) {
        return;
    }
    struct oc_device_auth key = nd_places_token_key(l->places);
    OC_AUTO_SECRET char *known = oc_device_auth_load(&key);
    if (oc_secret_equal(known, hello->device_token)) {
        return;
    }
    struct oc_error err;
    if (oc_device_auth_store(&key, hello->device_token, (const char *const *)hello->scopes.items,
                hello->scopes.count, oc_loop_clock(l->loop), &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "the device token is not kept: %s", err.text);
    }
}

static void on_hello(void *user, const struct oc_hello *hello, const cJSON *payload) {
    (void)payload;
    struct nd_link *l = user;
    nd_places_hello(l->places, nd_link_fd(l));
    store_token(l, hello);
    oc_free_secret(oc_take(&l->setup_token));
    l->events.on_hello(l->user, hello);
    link_report(l, &(struct nd_status){ .state = ND_CONNECTED });
    /* 2026.9.6 approves the device and its commands one after the other, and does not tell the
     * node. */
    if (l->was_waiting && hello->protocol >= 4) {
        link_report(l, &(struct nd_status){
                               .state = ND_WAITING_SURFACE, .reason = "unless that has happened" });
    }
    l->was_waiting = false;
}

/* Each one is printed, written to the status file and told to the service manager. */
static bool is_told_too_often(struct nd_link *l) {
    int64_t now_ms = oc_loop_now_ms(l->loop);
    if (l->told == 0 || now_ms - l->told_since_ms >= TOLD_WINDOW_MS) {
        l->told_since_ms = now_ms;
        l->told = 0;
    }
    l->told += l->told <= MAX_TOLD;
    return l->told > MAX_TOLD;
}

/* node.pair.requested: our commands wait for an approval (only our gateway tells the node itself).
 * node.pair.resolved: someone decided about them. */
static void on_pair_event(struct nd_link *l, const struct oc_frame *frame) {
    OC_AUTO_JSON cJSON *payload = NULL;
    if (oc_frame_parse_body(frame, OC_MAX_PREAUTH_BYTES, &payload, NULL) != OC_OK) {
        return;
    }
    const char *node_id = oc_json_get_str(payload, "nodeId");
    if (node_id && strcmp(node_id, oc_identity_device_id(l->opts.identity)) != 0) {
        return;
    }
    if (is_told_too_often(l)) {
        return;
    }
    if (strcmp(frame->name, "node.pair.requested") == 0) {
        link_report(l, &(struct nd_status){ .state = ND_WAITING_SURFACE,
                               .request_id = oc_json_get_str(payload, "requestId") });
    } else if (oc_streq(oc_json_get_str(payload, "decision"), "approved")) {
        link_report(l, &(struct nd_status){ .state = ND_CONNECTED });
    } else {
        link_report(l, &(struct nd_status){
                               .state = ND_WAITING_SURFACE, .reason = "the request was rejected" });
    }
}

static void on_event(void *user, const struct oc_frame *frame, struct oc_blob *blob) {
    (void)blob;
    struct nd_link *l = user;
    if (strcmp(frame->name, "node.pair.requested") == 0 ||
            strcmp(frame->name, "node.pair.resolved") == 0) {
        on_pair_event(l, frame);
    } else if (strcmp(frame->name, "gateway.moved") == 0) {
        nd_places_moved(l->places, frame, nd_link_fd(l));
    } else {
        l->events.on_event(l->user, frame);
    }
}

static void on_response(void *user, const struct oc_frame *frame) {
    struct nd_link *l = user;
    if (l->events.on_response) {
        l->events.on_response(l->user, frame);
    }
}

static void forget_token(struct nd_link *l) {
    struct oc_error err;
    struct oc_device_auth key = nd_places_token_key(l->places);
    if (oc_device_auth_forget(&key, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "the stale device token is not removed: %s", err.text);
    }
}

/* Whoever answers at a changed address must not be able to ask for it: only on this machine, or by
 * pin. */
static bool may_use_device_token(const struct nd_link *l) {
    const struct nd_place *at = nd_places_now(l->places);
    bool is_known = oc_host_is_loopback(at->host) || (at->tls && at->tls_fingerprint);
    if (!l->token || l->prefers_device_token || !is_known) {
        return false;
    }
    struct oc_device_auth key = nd_places_token_key(l->places);
    OC_AUTO_SECRET char *stored = oc_device_auth_load(&key);
    return stored != NULL;
}

static void link_follow(
        struct nd_link *l, const struct nd_retry_plan *plan, const struct oc_session_end *end) {
    OC_AUTO_FREE char *told = oc_fix_text(&end->grounds);
    struct nd_status s = { .reason = end->message };
    switch (plan->action) {
    case ND_RETRY_NEVER:
        s.state = ND_FAILED;
        s.fix = plan->fix;
        link_report(l, &s);
        return;
    case ND_RETRY_AFTER_APPROVAL:
        s.state = ND_WAITING_DEVICE;
        s.request_id = oc_json_get_str(end->details, "requestId");
        s.is_foreign = oc_json_get(end->details, "gate") == NULL; /* ours names it */
        l->was_waiting = s.is_foreign;
        s.retry_ms = nd_approval_delay(&l->backoff, random_number());
        break;
    case ND_RETRY_LATER:
        s.state = ND_RETRYING;
        s.fix = plan->fix ? plan->fix : told;
        s.retry_ms = plan->delay_ms >= 0 ? plan->delay_ms
                                         : nd_backoff_next(&l->backoff, random_number());
        break;
    }
    oc_timer_set(l->loop, &l->retry, s.retry_ms);
    link_report(l, &s);
}

static void on_end(void *user, const struct oc_session_end *end) {
    struct nd_link *l = user;
    l->ended = oc_take(&l->session);
    oc_defer(l->loop, &l->drop);
    if (l->is_stopping) {
        oc_defer(l->loop, &l->stopped);
        return;
    }
    l->events.on_cut(l->user);
    bool is_wanted = l->is_reconnecting && end->code == OC_E_CANCELLED;
    l->is_reconnecting = false;
    if (is_wanted) {
        oc_timer_set(l->loop, &l->retry, 0);
        return;
    }
    enum nd_places_end where = nd_places_ended(l->places, end, &end);
    if (where == ND_PLACES_TURN_BACK) {
        oc_timer_set(l->loop, &l->retry, 0);
        return;
    }
    set_url(l);
    if (end->had_hello) {
        /* Somebody else uses our key: two that replace each other wait longer each time. */
        bool was_taken_over = end->grounds.cause == OC_CAUSE_REPLACED;
        l->backoff.failures = was_taken_over ? l->taken_over : 0;
        l->taken_over = was_taken_over ? l->taken_over + 1 : 0;
    }
    struct nd_retry_means means = {
        .has_shared_secret = l->token || l->password,
        .has_device_token = may_use_device_token(l),
    };
    struct nd_retry_plan plan = nd_retry_decide(end, &means);
    if (where == ND_PLACES_OTHER) { /* what we have is for the one that moved */
        plan.forgets_device_token = false;
        plan.action = plan.action == ND_RETRY_NEVER ? ND_RETRY_LATER : plan.action;
    }
    if (plan.forgets_device_token) {
        forget_token(l);
        l->prefers_device_token = false;
    }
    if (plan.uses_device_token) {
        oc_log(OC_LOG_WARN, TAG,
                "the gateway's token has changed; going on with the token of this device");
        l->prefers_device_token = true;
    }
    link_follow(l, &plan, end);
}

/* An explicit token of the gateway's wins and is sent alone. Without one the device's own token is
 * sent in both places: older gateways look into the first, newer ones into the second. */
static void connect_once(struct nd_link *l) {
    static const struct oc_session_events events = {
        .on_hello = on_hello, .on_event = on_event, .on_response = on_response, .on_end = on_end
    };
    nd_places_choose(l->places);
    set_url(l);
    const struct nd_settings *set = l->opts.settings;
    const struct nd_place *at = nd_places_now(l->places);
    bool is_elsewhere = nd_places_is_elsewhere(l->places);
    const char *token = l->prefers_device_token || is_elsewhere ? NULL : l->token;
    struct oc_device_auth key = nd_places_token_key(l->places);
    OC_AUTO_SECRET char *device_token = token || l->setup_token ? NULL : oc_device_auth_load(&key);
    OC_AUTO_JSON cJSON *permissions = l->events.permissions ? l->events.permissions(l->user) : NULL;
    struct oc_connect c = {
        .min_protocol = OC_PROTOCOL_MIN,
        .max_protocol = OC_PROTOCOL_MAX,
        .client_id = "node-host",
        .display_name = set->display_name,
        .version = OC_VERSION,
        .platform = l->opts.platform,
        .mode = "node",
        .instance_id = set->node_id,
        .caps = *l->opts.caps,
        .commands = *l->opts.commands,
        .path_env = strlen(l->opts.path_env) <= MAX_PATH_ENV ? l->opts.path_env : NULL,
        .role = OC_ROLE_NODE,
        .token = token ? token : device_token,
        .device_token = device_token,
        .password = is_elsewhere ? NULL : l->password,
        .bootstrap_token = l->setup_token,
        .permissions = permissions,
    };
    struct oc_session_opts opts = {
        .dial = { .host = at->host,
                .port = at->port,
                .path = at->path,
                .tls = at->tls,
                .tls_fingerprint = at->tls_fingerprint,
                .gateway_user = l->gateway_user,
                .ws = { .max_message_bytes = OC_MAX_MESSAGE_BYTES,
                        .max_queued_bytes = OC_MAX_QUEUED_BYTES } },
        .connect = &c,
        .identity = l->opts.identity,
        .watch_ticks = true,
    };
    link_report(l, &(struct nd_status){ .state = ND_CONNECTING });
    l->session = oc_session_start(l->loop, &opts, &events, l);
}

static void on_retry(struct oc_timer *t) {
    connect_once(t->user);
}

struct nd_link *nd_link_create(struct oc_loop *loop, const struct nd_link_opts *opts,
        const struct nd_link_events *events, void *user) {
    struct nd_link *l = oc_new(struct nd_link);
    l->loop = loop;
    l->opts = *opts;
    l->events = *events;
    l->user = user;
    l->places = nd_places_create(&(struct nd_places_opts){ .settings = opts->settings,
            .state_dir = opts->state_dir,
            .device_id = oc_identity_device_id(opts->identity),
            .loop = loop,
            .own_place = events->own_place,
            .user = user });
    set_url(l);
    l->gateway_user = oc_strdup(opts->gateway_user);
    l->token = oc_strdup(opts->token);
    l->password = oc_strdup(opts->password);
    l->setup_token = oc_strdup(opts->setup_token);
    l->retry = (struct oc_timer){ .on_expire = on_retry, .user = l };
    l->stopped = (struct oc_deferred){ .run = on_stopped, .user = l };
    l->drop = (struct oc_deferred){ .run = drop_ended, .user = l };
    return l;
}

void nd_link_start(struct nd_link *l) {
    /* By the timer, so that the first status comes from the loop like every other. */
    oc_timer_set(l->loop, &l->retry, 0);
}

void nd_link_stop(struct nd_link *l) {
    if (l->is_stopping) {
        return;
    }
    l->is_stopping = true;
    oc_timer_cancel(&l->retry);
    if (l->session) {
        oc_session_close(l->session, 1000, "node stopping");
    } else {
        oc_defer(l->loop, &l->stopped);
    }
}

void nd_link_reconnect(struct nd_link *l) {
    if (l->session && !l->is_stopping) {
        l->is_reconnecting = true;
        oc_session_close(l->session, 1000, "commands changed");
    }
}

void nd_link_destroy(struct nd_link *l) {
    if (!l) {
        return;
    }
    oc_timer_cancel(&l->retry);
    oc_defer_cancel(&l->stopped);
    oc_defer_cancel(&l->drop);
    oc_session_destroy(l->ended);
    oc_session_destroy(l->session);
    nd_places_destroy(l->places);
    oc_free(l->url);
    oc_free(l->gateway_user);
    oc_free_secret(l->token);
    oc_free_secret(l->password);
    oc_free_secret(l->setup_token);
    oc_free(l);
}

void nd_link_send(struct nd_link *l, struct oc_msg *take_msg) {
    if (!l->session) {
        oc_msg_destroy(take_msg);
        return;
    }
    if (oc_session_send(l->session, take_msg) == OC_E_TOO_LARGE) {
        oc_log(OC_LOG_WARN, TAG, "the gateway reads too slowly: a message was dropped");
    }
}

void nd_link_ask(struct nd_link *l, const char *method, cJSON *take_params, int timeout_ms,
        oc_reply_done *done, void *user) {
    if (l->session) {
        oc_session_request(l->session, method, take_params, timeout_ms, done, user);
        return;
    }
    cJSON_Delete(take_params);
    done(user, &(struct oc_reply){ .code = OC_E_CLOSED, .message = "not connected" });
}

int nd_link_fd(const struct nd_link *l) {
    return l->session ? oc_session_fd(l->session) : -1;
}

const char *nd_link_url(const struct nd_link *l) {
    return l->url;
}
