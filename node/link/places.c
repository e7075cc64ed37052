#include "node/link/places.h"

#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/net/dial.h"
#include "lib/protocol/scopes.h"
#include "node/link/moves.h"
#include "node/link/own_gateway.h"
#include "node/link/retry.h"
#include "platform/platform.h"

#include <string.h>

#define TAG "node.places"
#define WINDOW_MS 60000

enum {
    MAX_MOVES = 10, /* in a window: each may be a write to the disk */
    MAX_MOVE_BYTES = 4096,
};

struct nd_places {
    struct nd_places_opts opts;
    bool is_at_next;                /* the attempt, or the connection, is of settings->next */
    bool skips_next;                /* it was tried in this round */
    struct oc_session_end next_end; /* how that ended: code and grounds, and … */
    char *next_text, *next_code;    /* … the message, and the code if it was refused; NULL: not */
    int64_t moves_since_ms;
    unsigned moves;
};

struct nd_places *nd_places_create(const struct nd_places_opts *opts) {
    struct nd_places *p = oc_new(struct nd_places);
    p->opts = *opts;
    return p;
}

void nd_places_destroy(struct nd_places *p) {
    if (p) {
        oc_free(p->next_text);
        oc_free(p->next_code);
        oc_free(p);
    }
}

const struct nd_place *nd_places_now(const struct nd_places *p) {
    return p->is_at_next ? &p->opts.settings->next : &p->opts.settings->at;
}

bool nd_places_is_elsewhere(const struct nd_places *p) {
    const struct nd_settings *set = p->opts.settings;
    bool has_moved = !oc_streq(nd_places_now(p)->host, set->at.host);
    for (size_t i = 0; i < ND_MAX_FORMER && set->former[i].host; i++) {
        has_moved = has_moved || !oc_streq(set->former[i].host, set->at.host);
    }
    return has_moved;
}

/* What another gateway gave us is not for this one. */
struct oc_device_auth nd_places_token_key(const struct nd_places *p) {
    return (struct oc_device_auth){
        .state_dir = p->opts.state_dir,
        .device_id = p->opts.device_id,
        .role = OC_ROLE_NODE,
        .gateway = p->opts.settings->gateway_name,
    };
}

/* The gateway of this state directory leaves word in its files for who was away. */
static void look_for_own(struct nd_places *p) {
    struct nd_settings *set = p->opts.settings;
    struct nd_place to = { 0 };
    if (set->next.host || (set->knows_own && !set->is_own) || !oc_host_is_loopback(set->at.host) ||
            !p->opts.own_place || !p->opts.own_place(p->opts.user, &to)) {
        return;
    }
    /* Before it was seen to be ours, only what cannot be another gateway, and is no worse. */
    bool is_doubtful = !set->knows_own && (to.port != set->at.port || (set->at.tls && !to.tls));
    if (is_doubtful || nd_place_is_same(&to, &set->at)) {
        nd_place_finish(&to);
        return;
    }
    set->next = to; /* written when it is there */
}

void nd_places_choose(struct nd_places *p) {
    if (!p->skips_next) {
        look_for_own(p);
    }
    p->is_at_next = p->opts.settings->next.host && !p->skips_next;
}

static void log_unkept(const char *what, const struct oc_error *err) {
    oc_log(OC_LOG_WARN, TAG, "%s is not kept: %s", what, err->text);
}

static void set_next(struct nd_places *p, const struct nd_place *next) {
    struct oc_error err;
    if (nd_settings_set_next(p->opts.state_dir, p->opts.settings, next, &err) != OC_OK) {
        log_unkept("where the gateway will be", &err);
    }
}

/* Its token is kept under the new name first, then the place, and only then the old one goes. */
static void arrive_there(struct nd_places *p) {
    struct nd_settings *set = p->opts.settings;
    struct oc_error err;
    struct oc_device_auth before = nd_places_token_key(p), after = before;
    OC_AUTO_FREE char *old_name = oc_strdup(before.gateway), *name = nd_place_name(&set->next);
    OC_AUTO_SECRET char *token = strcmp(old_name, name) != 0 ? oc_device_auth_load(&before) : NULL;
    after.gateway = name;
    bool is_kept = true;
    if (token && oc_device_auth_store(&after, token, NULL, 0, oc_loop_clock(p->opts.loop), &err) !=
                         OC_OK) {
        log_unkept("the device token", &err);
        is_kept = false;
    }
    if (nd_settings_arrive(p->opts.state_dir, set, &err) != OC_OK) {
        log_unkept("where the gateway is", &err);
        is_kept = false;
    }
    before.gateway = old_name;
    if (token && is_kept && oc_device_auth_forget(&before, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "the device token of before is not removed: %s", err.text);
    }
    p->is_at_next = false;
}

void nd_places_hello(struct nd_places *p, int fd) {
    struct oc_error err;
    if (p->is_at_next) {
        arrive_there(p);
    } else if (p->opts.settings->next.host) {
        set_next(p, NULL); /* it stayed */
    }
    p->skips_next = false;
    if (nd_settings_set_own(p->opts.state_dir, p->opts.settings,
                nd_own_gateway(p->opts.state_dir, fd), &err) != OC_OK) {
        log_unkept("whose gateway it is", &err);
    }
}

static bool is_too_often(struct nd_places *p) {
    int64_t now_ms = oc_loop_now_ms(p->opts.loop);
    if (p->moves == 0 || now_ms - p->moves_since_ms >= WINDOW_MS) {
        p->moves_since_ms = now_ms;
        p->moves = 0;
    }
    p->moves += p->moves <= MAX_MOVES;
    return p->moves > MAX_MOVES;
}

static void follow_move(struct nd_places *p, const struct nd_place *to) {
    const struct nd_settings *set = p->opts.settings;
    if (!set->next.host || !nd_place_is_same(to, &set->next)) {
        OC_AUTO_FREE char *url = nd_place_url(to);
        oc_log(OC_LOG_INFO, TAG, "the gateway will be at %s", url);
        set_next(p, to);
    }
}

void nd_places_moved(struct nd_places *p, const struct oc_frame *frame, int fd) {
    OC_AUTO_JSON cJSON *payload = NULL;
    struct nd_place to = { 0 };
    struct oc_error err;
    uid_t uid;
    if (is_too_often(p) || oc_frame_parse_body(frame, MAX_MOVE_BYTES, &payload, NULL) != OC_OK) {
        return;
    }
    bool is_named = os_peer(fd, &uid) == OS_PEER_NAMED;
    switch (nd_move_judge(payload, &p->opts.settings->at, is_named, &to, &err)) {
    case ND_MOVE_NONE:
        if (p->opts.settings->next.host) {
            set_next(p, NULL);
        }
        break;
    case ND_MOVE_FOLLOW:
        follow_move(p, &to);
        break;
    case ND_MOVE_REFUSED:
        oc_log(OC_LOG_WARN, TAG, "not followed: %s; what helps: %s", err.text, ND_FIX_JOIN);
        break;
    case ND_MOVE_NO_TLS:
        oc_log(OC_LOG_WARN, TAG, "not followed: %s; what helps: %s", err.text, ND_FIX_NO_TLS);
        break;
    }
    nd_place_finish(&to);
}

enum nd_places_end nd_places_ended(
        struct nd_places *p, const struct oc_session_end *end, const struct oc_session_end **ret) {
    bool is_refused = end->error_code != NULL, was_there = p->skips_next;
    *ret = end;
    /* Nobody is there, or nobody who lets us in: it may not have moved, or not yet. Whoever it is,
     * the old place stays until there was a hello at the new one. */
    if (p->is_at_next && !end->had_hello) {
        oc_free(p->next_text);
        oc_free(p->next_code);
        p->next_text = oc_strdup(end->message);
        p->next_code = oc_strdup(end->error_code);
        p->next_end = (struct oc_session_end){ .code = end->code,
            .grounds = end->grounds,
            .message = p->next_text,
            .error_code = p->next_code,
            .close_reason = "",
            .retry_after_ms = -1 };
        p->skips_next = true;
        return ND_PLACES_TURN_BACK;
    }
    p->skips_next = false;
    if (was_there && is_refused) {
        return ND_PLACES_OTHER;
    }
    if (was_there && !end->had_hello) { /* at neither: what is told is about where it should be */
        *ret = &p->next_end;
        p->is_at_next = true;
        return ND_PLACES_OTHER; /* what was kept for the old place stays */
    }
    return ND_PLACES_OVER;
}
