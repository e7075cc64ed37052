#include "gateway/canvas/canvas_reload.h"

#include "gateway/canvas/canvas_files.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"

#include <string.h>

enum {
    LOOK_MS = 150,     /* only while somebody listens… */
    LOOK_SHARE = 20,   /* …and no more than a twentieth of the time */
    PING_MS = 30000,   /* a page that is gone silently has a place of the few */
    SILENT_MS = 75000, /* then it is dropped */
};

struct listener {
    struct oc_list link;
    struct oc_ws *ws;
    struct gw_canvas_reload *reload;
    int64_t heard_ms;
    struct oc_turn_waiter turn_waiter;
    size_t received; /* bytes that were not charged yet */
};

struct gw_canvas_reload {
    struct oc_loop *loop;
    int root_fd;
    struct oc_list open; /* listener.link */
    unsigned count;
    uint64_t stamp;
    struct oc_timer look, ping;
    struct oc_turns *turns;
    struct oc_turn turn; /* of all pages together: they have nothing to say */
};

static void canvas_reload_drop(struct listener *l) {
    l->reload->count--;
    oc_list_remove(&l->link);
    oc_turn_waiter_leave(&l->turn_waiter);
    oc_ws_destroy(l->ws);
    oc_free(l);
}

static int64_t now_ms(const struct gw_canvas_reload *r) {
    return oc_mono_ms(oc_loop_clock(r->loop));
}

static void on_ping(struct oc_timer *t) {
    struct gw_canvas_reload *r = t->user;
    int64_t now = now_ms(r);
    struct listener *l, *tmp;
    oc_list_for_each_safe(l, tmp, &r->open, link) {
        if (now - l->heard_ms > SILENT_MS) {
            canvas_reload_drop(l);
        } else {
            oc_ws_ping(l->ws);
        }
    }
    if (r->count > 0) {
        oc_timer_set(r->loop, t, PING_MS);
    }
}

static void on_look(struct oc_timer *t) {
    struct gw_canvas_reload *r = t->user;
    int64_t began = now_ms(r);
    uint64_t stamp = gw_canvas_files_stamp(r->root_fd);
    int64_t pause = (now_ms(r) - began) * LOOK_SHARE;
    if (stamp != r->stamp) {
        r->stamp = stamp;
        struct listener *l, *tmp;
        struct oc_blob *word = oc_blob_copy("reload", strlen("reload"));
        oc_list_for_each_safe(l, tmp, &r->open, link) {
            if (oc_ws_send_blob(l->ws, word) == OC_E_TOO_LARGE) {
                oc_ws_close(l->ws, 1008, "slow consumer");
            }
        }
        oc_blob_unref(word);
    }
    if (r->count > 0) {
        oc_timer_set(r->loop, t, pause > LOOK_MS ? pause : LOOK_MS);
    }
}

struct gw_canvas_reload *gw_canvas_reload_create(
        struct oc_loop *loop, struct oc_turns *turns, int root_fd) {
    struct gw_canvas_reload *r = oc_new(struct gw_canvas_reload);
    r->loop = loop;
    r->root_fd = root_fd;
    r->turns = turns;
    oc_turn_init(&r->turn);
    oc_list_init(&r->open);
    r->look = (struct oc_timer){ .on_expire = on_look, .user = r };
    r->ping = (struct oc_timer){ .on_expire = on_ping, .user = r };
    return r;
}

void gw_canvas_reload_destroy(struct gw_canvas_reload *r) {
    if (!r) {
        return;
    }
    while (!oc_list_empty(&r->open)) {
        canvas_reload_drop(oc_list_first(&r->open, struct listener, link));
    }
    oc_timer_cancel(&r->look);
    oc_timer_cancel(&r->ping);
    oc_turn_finish(&r->turn);
    oc_free(r);
}

bool gw_canvas_reload_is_full(const struct gw_canvas_reload *r) {
    return r->count >= GW_MAX_RELOAD_SOCKETS;
}

static void on_message(void *user, struct oc_blob *text) {
    (void)user;
    (void)text; /* they have nothing to say */
}

static bool may_receive(void *user) {
    struct listener *l = user;
    return oc_turn_may(l->reload->turns, &l->reload->turn, &l->turn_waiter);
}

static void on_received(void *user, size_t bytes) {
    struct listener *l = user;
    l->turn_waiter.had_some = true;
    oc_turn_spend_bytes(l->reload->turns, &l->reload->turn, &l->received, bytes);
}

static void go_on(void *user) {
    struct listener *l = user;
    oc_ws_go_on(l->ws);
}

static void on_activity(void *user) {
    struct listener *l = user;
    l->heard_ms = now_ms(l->reload);
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    (void)code;
    (void)reason;
    canvas_reload_drop(user);
}

void gw_canvas_reload_accept(struct gw_canvas_reload *r, struct oc_ws *take_ws) {
    static const struct oc_ws_events events = { .on_message = on_message,
        .on_closed = on_closed,
        .on_activity = on_activity,
        .may_receive = may_receive,
        .on_received = on_received };
    struct listener *l = oc_new(struct listener);
    l->ws = take_ws;
    l->reload = r;
    l->heard_ms = now_ms(r);
    l->turn_waiter = (struct oc_turn_waiter){ .go_on = go_on, .user = l };
    oc_list_init(&l->turn_waiter.link);
    oc_list_append(&r->open, &l->link);
    oc_ws_set_events(take_ws, &events, l);
    if (r->count++ == 0) {
        r->stamp = gw_canvas_files_stamp(r->root_fd);
        oc_timer_set(r->loop, &r->look, LOOK_MS);
        oc_timer_set(r->loop, &r->ping, PING_MS);
    }
}
