#include "node/canvas/canvas.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/canvas/canvas_actions.h"
#include "node/canvas/canvas_impl.h"
#include "node/canvas/canvas_kept.h"
#include "node/canvas/canvas_pictures.h"
#include "node/canvas/canvas_player.h"
#include "node/canvas/canvas_window.h"
#include "node/owner/switches.h"

#include <string.h>

enum { MAX_ASKED = 64 }; /* by callers */

static bool has_display(void) {
    OC_AUTO_STRV struct oc_strv env = { 0 };
    nd_helper_env(&env);
    for (size_t i = 0; i < env.count; i++) {
        if (oc_starts_with(env.items[i], "WAYLAND_DISPLAY=") ||
                oc_starts_with(env.items[i], "DISPLAY=")) {
            return true;
        }
    }
    return false;
}

/* False: it did not start, and on_message has said so. */
bool nd_canvas_start(struct nd_canvas *c) {
    static const struct nd_helper_events events = { .on_message = nd_canvas_on_message,
        .on_writable = nd_canvas_on_writable };
    OC_AUTO_FREE char *root = c->site->machine->state_dir
                                      ? oc_path_join(c->site->machine->state_dir, "canvas")
                                      : NULL;
    int64_t now = oc_loop_now_ms(c->site->machine->loop);
    c->is_window = now >= c->no_window_until_ms && has_display() &&
                   nd_helper_is_installed(ND_HELPER_CANVAS_WINDOW);
    c->has_spoken = c->is_full = false;
    c->started_ms = now;
    c->helper = nd_helper_start(c->site->helpers,
            &(struct nd_helper_opts){
                    .program = c->is_window ? ND_HELPER_CANVAS_WINDOW : ND_HELPER_CANVAS,
                    .what = "canvas",
                    .root = root,
                    .serves = true },
            &events, c);
    return c->helper != NULL;
}

/* Those that are set meanwhile wait for the next time. */
void nd_canvas_tell_watches(struct nd_canvas *c) {
    struct oc_list due;
    oc_list_init(&due);
    while (!oc_list_empty(&c->watches)) {
        struct oc_list *l = c->watches.next;
        oc_list_remove(l);
        oc_list_append(&due, l);
    }
    while (!oc_list_empty(&due)) {
        struct nd_canvas_watch *w = OC_CONTAINER(due.next, struct nd_canvas_watch, link);
        nd_canvas_unwatch(w);
        w->on_changed(w);
    }
}

static void on_come_back(struct oc_timer *t) {
    struct nd_canvas *c = t->user;
    if (!c->helper && c->is_visible && nd_canvas_start(c)) {
        nd_canvas_show_again(c);
    }
}

static void on_save(struct oc_timer *t) {
    struct nd_canvas *c = t->user;
    nd_canvas_window_save(c->site->machine->state_dir, c->placement);
}

static void on_idle(struct oc_timer *t) {
    struct nd_canvas *c = t->user;
    nd_helper_stop(oc_take(&c->helper));
    nd_canvas_pictures_clear(c->pictures);
}

void nd_canvas_on_message(
        void *user, const cJSON *message, int *fd, const struct nd_helper_answer *end) {
    struct nd_canvas *c = user;
    if (!message) {
        nd_canvas_on_death(c, end);
        return;
    }
    const cJSON *event = oc_json_get(message, "event");
    if (event) {
        nd_canvas_take_event(c, event, *fd);
    } else {
        nd_canvas_take_answer(c, message, fd);
    }
}

static struct nd_canvas *canvas_of(struct nd_canvas_site *site) {
    if (!site->canvas) {
        struct nd_canvas *c = site->canvas = oc_new(struct nd_canvas);
        c->site = site;
        oc_list_init(&c->asked);
        oc_list_init(&c->watches);
        c->kept = nd_canvas_kept_create();
        c->actions = nd_canvas_actions_create(site, nd_canvas_tell_status, c);
        c->pictures = nd_canvas_pictures_create(site->machine->loop, nd_canvas_bring, c);
        c->player = nd_canvas_player_create(site, nd_canvas_tell_player, c);
        c->idle = (struct oc_timer){ .on_expire = on_idle, .user = c };
        c->come_back = (struct oc_timer){ .on_expire = on_come_back, .user = c };
        c->save = (struct oc_timer){ .on_expire = on_save, .user = c };
        c->placement = nd_canvas_window_load(site->machine->state_dir);
        c->placement = c->placement ? c->placement : cJSON_CreateObject();
    }
    return site->canvas;
}

uint64_t nd_node_canvas_ask(struct nd_canvas_site *site, const struct nd_canvas_ask *ask,
        nd_canvas_done *done, void *user) {
    struct nd_canvas *c = canvas_of(site);
    bool shows = strcmp(ask->what, "present") == 0 || strcmp(ask->what, "navigate") == 0;
    if (!c->helper && nd_canvas_start(c)) {
        oc_timer_cancel(&c->come_back);
        nd_canvas_show_again(c);
        nd_canvas_tell_watches(c); /* it does not know that somebody waits for a change */
    }
    struct nd_canvas_asked *a = nd_canvas_enqueue(c, ask, true);
    uint64_t id = a->id;
    a->done = done;
    a->user = user;
    a->shows = shows;
    if (shows) {
        nd_canvas_add_web(c, ask->take_params);
    }
    nd_canvas_place(c, oc_json_get(ask->take_params, "placement"));
    a->jsonl = strcmp(ask->what, "push") == 0 ? oc_blob_copy(ask->bytes, ask->len) : NULL;
    a->session_key = oc_str_blank(ask->session_key) ? NULL : oc_strdup(ask->session_key);
    if (ask->bytes && a->fd < 0) {
        nd_canvas_fail(a, "no memory to hand it over", NULL);
    } else if (c->asked_count > MAX_ASKED) {
        nd_canvas_fail(a, "node busy: too many requests to the canvas",
                &(struct oc_grounds){ .cause = OC_CAUSE_BUSY, .remedy = OC_REMEDY_TRY_LATER });
    } else if (!c->helper) {
        nd_canvas_fail(a, "the canvas program does not start", &c->gone);
    } else {
        nd_canvas_send(a);
    }
    return nd_canvas_find(c, id) ? id : 0;
}

void nd_canvas_forget(struct nd_canvas_site *site, uint64_t id) {
    struct nd_canvas_asked *a = site->canvas ? nd_canvas_find(site->canvas, id) : NULL;
    if (a) {
        a->done = NULL;
    }
}

static void canvas_stop(struct nd_canvas *c) {
    oc_timer_cancel(&c->idle);
    oc_timer_cancel(&c->come_back);
    nd_helper_stop(oc_take(&c->helper));
    nd_canvas_player_stop(c->player);
    nd_canvas_pictures_clear(c->pictures);
    c->is_visible = false;
    while (!oc_list_empty(&c->asked)) {
        nd_canvas_fail(OC_CONTAINER(c->asked.next, struct nd_canvas_asked, link),
                "the canvas was ended", NULL);
    }
    nd_canvas_kept_clear(c->kept);
    oc_free(oc_take(&c->page));
}

void nd_canvas_check(struct nd_canvas_site *site) {
    if (site->canvas && !nd_switch_is_on(site->machine->switches_path, "canvas")) {
        canvas_stop(site->canvas);
    }
}

void nd_canvas_settings(struct nd_canvas_site *site) {
    if (site->canvas) {
        nd_canvas_tell_theme(site->canvas);
        nd_canvas_tell_gateway(site->canvas);
    }
}

void nd_canvas_finish(struct nd_canvas_site *site) {
    struct nd_canvas *c = site->canvas;
    if (!c) {
        return;
    }
    if (c->save.loop) {
        on_save(&c->save);
    }
    oc_timer_cancel(&c->save);
    canvas_stop(c);
    site->canvas = NULL;
    nd_canvas_player_destroy(c->player);
    nd_canvas_pictures_destroy(c->pictures);
    nd_canvas_kept_destroy(c->kept);
    nd_canvas_actions_destroy(c->actions);
    cJSON_Delete(c->placement);
    oc_free(c->session_key);
    oc_free(c);
}

void nd_node_canvas_watch(struct nd_canvas_site *site, struct nd_canvas_watch *w) {
    nd_canvas_unwatch(w);
    oc_list_append(&canvas_of(site)->watches, &w->link);
    w->is_set = true;
}

void nd_canvas_unwatch(struct nd_canvas_watch *w) {
    if (w->is_set) {
        oc_list_remove(&w->link);
        w->is_set = false;
    }
}
