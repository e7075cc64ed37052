#include "node/canvas/canvas_impl.h"

#include "lib/base/mem.h"
#include "lib/helper/packet.h"
#include "lib/log/log.h"
#include "node/canvas/canvas_kept.h"
#include "node/canvas/canvas_pictures.h"
#include "node/canvas/canvas_player.h"
#include "node/canvas/canvas_surface.h"

#define TAG "node.canvas"

enum {
    STEADY_MS = 10000,    /* who lives longer did not die of what it was told */
    NO_WINDOW_MS = 60000, /* after a window that could not open */
    COME_BACK_MS = 200,   /* a window that died is shown again */
    MAX_DEATHS = 3,
};
#define REPLAY_BYTES ((size_t)8 * 1024 * 1024)
#define MAX_REPLAY ((size_t)17 * 1024 * 1024)

/* Remembers what the canvas shows now. */
void nd_canvas_take_note(
        struct nd_canvas *c, struct nd_canvas_asked *a, const struct nd_helper_answer *answer) {
    const char *what = oc_json_get_str(a->message, "do");
    if (a->session_key) {
        oc_free(c->session_key);
        c->session_key = oc_take(&a->session_key);
    }
    if (a->jsonl) {
        if (!nd_canvas_kept_add(c->kept, a->jsonl->data, a->jsonl->len)) {
            oc_log(OC_LOG_WARN, TAG,
                    "the surfaces are too large to be shown again if the canvas dies");
        }
        c->is_visible = true;
        oc_free(oc_take(&c->page));
    } else if (a->shows) {
        const cJSON *params = oc_json_get(a->message, "params");
        const char *page = oc_json_get_str(params, "page"),
                   *url = page ? page : oc_json_get_str(params, "url");
        bool is_own = oc_json_get_bool(answer->result, "own", false);
        c->is_visible = c->is_visible || oc_streq(what, "present");
        if (is_own || !oc_str_blank(url)) { /* without an address a page that is there stays */
            oc_free(c->page);
            c->page = is_own ? NULL : oc_strdup(url);
            if (c->page) {
                nd_canvas_player_stop(c->player);
            }
        }
    } else if (oc_streq(what, "reset")) {
        nd_canvas_kept_clear(c->kept);
        oc_free(oc_take(&c->page));
        nd_canvas_player_stop(c->player);
    } else if (oc_streq(what, "hide")) {
        c->is_visible = false;
        nd_canvas_player_stop(c->player);
    }
}

/* Where the window is to be, or is: what was said last counts. */
void nd_canvas_place(struct nd_canvas *c, const cJSON *placement) {
    static const char *const keys[] = { "x", "y", "width", "height" };
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        const cJSON *v = oc_json_get(placement, keys[i]);
        oc_json_set(c->placement, keys[i], cJSON_IsNumber(v) ? cJSON_Duplicate(v, false) : NULL);
    }
}

/* What pages need: whether the owner trusts those of the private network to speak to the agent. */
void nd_canvas_add_web(const struct nd_canvas *c, cJSON *params) {
    const cJSON *settings = oc_json_path(c->site->machine->config, "node.canvas");
    if (oc_json_get(params, "url")) {
        oc_json_set_bool(params, "trustNetwork", oc_json_get_bool(settings, "trustNetwork", false));
    }
}

void nd_canvas_tell_theme(struct nd_canvas *c) {
    const char *theme =
            oc_json_get_str(oc_json_path(c->site->machine->config, "node.canvas"), "theme");
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "name", theme ? theme : "auto");
    nd_canvas_tell(c, &(struct nd_canvas_ask){ .what = "theme", .take_params = params });
}

void nd_canvas_tell_gateway(struct nd_canvas *c) {
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "name", c->site->uplink->gateway);
    nd_canvas_tell(c, &(struct nd_canvas_ask){ .what = "gateway", .take_params = params });
}

/* The page that was shown is a file of the gateway, and this its address now. */
static void on_hosted(void *user, const char *address) {
    const struct nd_canvas_site *site = user;
    struct nd_canvas *c = site->canvas;
    if (c && c->page && address && nd_canvas_surface_has(site, c->page)) {
        cJSON *params = cJSON_CreateObject();
        oc_json_set_str(params, "url", address);
        oc_json_set_bool(params, "quiet", !c->is_visible);
        nd_canvas_add_web(c, params);
        nd_canvas_tell(c, &(struct nd_canvas_ask){ .what = "present", .take_params = params });
    }
}

/* Quietly: a window that was hidden stays so, one that was not opens once, when all is there. */
void nd_canvas_show_again(struct nd_canvas *c) {
    OC_AUTO_BUF struct oc_buf part = OC_BUF_INIT(MAX_REPLAY);
    size_t at = 0;
    bool is_entered;
    nd_canvas_tell_theme(c);
    nd_canvas_tell_gateway(c);
    while (nd_canvas_kept_next(c->kept, &at, REPLAY_BYTES, &part, &is_entered)) {
        cJSON *params = cJSON_CreateObject();
        oc_json_set_bool(params, "quiet", true);
        struct nd_canvas_asked *a = nd_canvas_enqueue(c,
                &(struct nd_canvas_ask){ .what = is_entered ? "enter" : "push",
                        .take_params = params,
                        .bytes = part.data,
                        .len = part.len },
                false);
        a->is_replay = true;
        nd_canvas_send(a);
    }
    if (c->page || c->is_visible || c->placement->child) {
        cJSON *params = cJSON_CreateObject();
        oc_json_set_str(params, "url", c->page);
        oc_json_set(params, "placement", cJSON_Duplicate(c->placement, true));
        oc_json_set_bool(params, "quiet", !c->is_visible);
        nd_canvas_add_web(c, params);
        bool is_hosted = nd_canvas_surface_has(c->site, c->page);
        OC_AUTO_SECRET char *address = is_hosted ? nd_canvas_surface_known(c->site, c->page) : NULL;
        if (is_hosted) {
            cJSON_DeleteItemFromObjectCaseSensitive(params, "url");
            oc_json_set_str(params, "url", address);
        }
        nd_canvas_tell(c, &(struct nd_canvas_ask){ .what = "present", .take_params = params });
        if (is_hosted && !address) {
            nd_canvas_surface_find(c->site, c->page, on_hosted, c->site);
        }
    }
}

/* What it died of before it had taken what it was shown again, and that twice, is what it was
 * shown. */
static void count_death(struct nd_canvas *c) {
    bool was_steady = oc_loop_now_ms(c->site->machine->loop) - c->started_ms >= STEADY_MS;
    bool was_told_again = false;
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        const struct nd_canvas_asked *a = OC_CONTAINER(l, struct nd_canvas_asked, link);
        was_told_again = was_told_again || a->is_replay;
    }
    c->deaths = was_steady ? 1 : c->deaths + 1;
    c->replay_deaths = was_told_again ? c->replay_deaths + 1 : 0;
    if (c->replay_deaths >= 2) {
        oc_log(OC_LOG_ERROR, TAG, "the canvas dies of its surfaces; they are dropped");
        nd_canvas_kept_clear(c->kept);
    }
}

void nd_canvas_on_death(struct nd_canvas *c, const struct nd_helper_answer *end) {
    c->helper = NULL;
    c->gone = end->grounds;
    nd_canvas_player_stop(c->player);
    nd_canvas_pictures_clear(c->pictures); /* the next one wants its own */
    if (c->is_window && !c->has_spoken) {
        c->no_window_until_ms = oc_loop_now_ms(c->site->machine->loop) + NO_WINDOW_MS;
    } else {
        count_death(c);
    }
    oc_timer_cancel(&c->idle);
    struct oc_list again;
    oc_list_init(&again);
    while (!oc_list_empty(&c->asked)) {
        struct nd_canvas_asked *a = OC_CONTAINER(c->asked.next, struct nd_canvas_asked, link);
        if (a->done && !a->is_again) {
            oc_list_remove(&a->link);
            oc_list_append(&again, &a->link);
            a->is_again = true;
        } else {
            nd_canvas_fail(a, end->message, &end->grounds);
        }
    }
    bool is_asked = !oc_list_empty(&again);
    if (is_asked && nd_canvas_start(c)) {
        nd_canvas_show_again(c);
    }
    while (!oc_list_empty(&again)) {
        struct nd_canvas_asked *a = OC_CONTAINER(again.next, struct nd_canvas_asked, link);
        oc_list_remove(&a->link);
        oc_list_append(&c->asked, &a->link);
        if (c->helper) {
            nd_canvas_send(a);
        } else {
            nd_canvas_fail(a, end->message, &end->grounds);
        }
    }
    if (!c->helper && c->is_visible && c->is_window && c->deaths < MAX_DEATHS) {
        oc_timer_set(c->site->machine->loop, &c->come_back, COME_BACK_MS);
    }
    if (c->deaths < MAX_DEATHS) { /* who looks starts it again */
        nd_canvas_tell_watches(c);
    }
}

void nd_canvas_keep_scripted(struct nd_canvas *c, int fd) {
    OC_AUTO_BUF struct oc_buf jsonl = { 0 };
    struct oc_error err;
    if (oc_sealed_read(fd, MAX_REPLAY, &jsonl, &err) == OC_OK) {
        (void)nd_canvas_kept_add(c->kept, jsonl.data, jsonl.len);
    }
}

void nd_canvas_keep_entered(struct nd_canvas *c, int fd) {
    OC_AUTO_BUF struct oc_buf entry = { 0 };
    struct oc_error err;
    if (oc_sealed_read(fd, REPLAY_BYTES, &entry, &err) == OC_OK && entry.len > 0) {
        nd_canvas_kept_enter(c->kept, entry.data, entry.len);
    }
}
