#include "node/canvas/canvas.h"

#include "lib/base/list.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/limits.h"
#include "lib/text/quoted.h"
#include "node/canvas/canvas_actions.h"
#include "node/canvas/canvas_kept.h"
#include "node/canvas/canvas_pictures.h"
#include "node/canvas/canvas_player.h"
#include "node/canvas/canvas_surface.h"
#include "node/canvas/canvas_window.h"
#include "node/owner/consent.h"

#include <fcntl.h>
#include <string.h>

#define TAG "node.canvas"
#define UNAVAILABLE "CANVAS_UNAVAILABLE"

enum {
    ANSWER_MS = 30000,
    IDLE_MS = 60000,      /* without a surface */
    STEADY_MS = 10000,    /* who lives longer did not die of what it was told */
    NO_WINDOW_MS = 60000, /* after a window that could not open */
    COME_BACK_MS = 200,   /* a window that died is shown again */
    SAVE_MS = 1000,
    MAX_ASKED = 64, /* by callers */
    MAX_OWN = 64,   /* what else it is told, and has not answered */
    MAX_DEATHS = 3,
};
#define REPLAY_BYTES ((size_t)8 * 1024 * 1024)
#define MAX_REPLAY ((size_t)17 * 1024 * 1024)

struct asked {
    struct oc_node_canvas *canvas;
    struct oc_list link;
    uint64_t id;
    cJSON *message;
    int fd;
    struct oc_timer deadline;
    oc_canvas_done *done; /* NULL: nobody cares */
    void *user;
    bool is_again;         /* asked for the second time */
    bool is_replay;        /* of what was shown before */
    char *session_key;     /* of who draws when it is accepted; NULL: as it is */
    struct oc_blob *jsonl; /* push: kept when it is accepted */
    bool is_callers;
    bool is_unsent;   /* there was no room for it yet */
    uint64_t picture; /* of canvas_pictures.h, which waits for the answer; 0: it is none */
    bool shows;       /* present, navigate: its page is shown when it is accepted */
};

struct oc_node_canvas {
    struct oc_canvas_site *site;
    struct oc_helper *helper;
    bool is_window, has_spoken;
    int64_t no_window_until_ms;
    int64_t started_ms;
    unsigned deaths;        /* in a row, each soon after the start */
    unsigned replay_deaths; /* in a row, each while it was told again what it showed */
    struct oc_list asked;   /* asked.link, in order */
    size_t asked_count, own_count;
    bool is_full;           /* what is asked waits until it has read more */
    struct oc_list watches; /* oc_canvas_watch.link */
    uint64_t last_id;
    struct oc_canvas_kept *kept;
    struct oc_canvas_pictures *pictures;
    struct oc_canvas_player *player;
    char *page;       /* NULL: the surfaces are shown */
    cJSON *placement; /* as it was asked for, and as the window told; an object */
    bool is_visible;  /* a person can see it, if there is a window */
    char *session_key;
    struct oc_canvas_actions *actions;
    struct oc_timer idle, come_back, save;
};

static void on_message(void *user, const cJSON *message, int *fd, const char *why);
static void settle(struct asked *a, struct oc_helper_answer *answer);

static void fail(struct asked *a, const char *code, const char *why) {
    OC_AUTO_FREE char *text = oc_strfmt("%s: %s", code, why);
    settle(a, &(struct oc_helper_answer){ .fd = -1, .code = code, .message = text });
}

static bool has_nothing_to_show(const struct oc_node_canvas *c) {
    return oc_canvas_kept_is_empty(c->kept) && !c->page && !(c->is_window && c->is_visible);
}

static void watch_idle(struct oc_node_canvas *c) {
    if (c->helper && oc_list_empty(&c->asked) && has_nothing_to_show(c)) {
        oc_timer_set(c->site->machine->loop, &c->idle, IDLE_MS);
    } else {
        oc_timer_cancel(&c->idle);
    }
}

static void release(struct asked *a) {
    struct oc_node_canvas *c = a->canvas;
    oc_list_remove(&a->link);
    c->asked_count -= a->is_callers;
    c->own_count -= !a->is_callers;
    if (a->picture) {
        oc_canvas_pictures_taken(c->pictures, a->picture);
    }
    oc_timer_cancel(&a->deadline);
    cJSON_Delete(a->message);
    oc_auto_close(&a->fd);
    oc_blob_unref(a->jsonl);
    oc_free(a->session_key);
    oc_free(a);
}

/* Remembers what the canvas shows now. */
static void take_note(
        struct oc_node_canvas *c, struct asked *a, const struct oc_helper_answer *answer) {
    const char *what = oc_json_get_str(a->message, "do");
    if (a->session_key) {
        oc_free(c->session_key);
        c->session_key = oc_take(&a->session_key);
    }
    if (a->jsonl) {
        if (!oc_canvas_kept_add(c->kept, a->jsonl->data, a->jsonl->len)) {
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
                oc_canvas_player_stop(c->player);
            }
        }
    } else if (oc_streq(what, "reset")) {
        oc_canvas_kept_clear(c->kept);
        oc_free(oc_take(&c->page));
        oc_canvas_player_stop(c->player);
    } else if (oc_streq(what, "hide")) {
        c->is_visible = false;
        oc_canvas_player_stop(c->player);
    }
}

static void settle(struct asked *a, struct oc_helper_answer *answer) {
    struct oc_node_canvas *c = a->canvas;
    oc_canvas_done *done = a->done;
    void *user = a->user;
    if (answer->ok) {
        take_note(c, a, answer);
    }
    release(a);
    watch_idle(c);
    if (done) {
        done(user, answer);
    }
    cJSON_Delete(answer->result);
    oc_auto_close(&answer->fd);
}

static struct asked *find(struct oc_node_canvas *c, uint64_t id) {
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        struct asked *a = OC_CONTAINER(l, struct asked, link);
        if (a->id == id) {
            return a;
        }
    }
    return NULL;
}

/* It hangs: whatever else it was asked waits behind. */
static void on_late(struct oc_timer *t) {
    struct asked *a = t->user;
    struct oc_node_canvas *c = a->canvas;
    oc_log(OC_LOG_WARN, TAG, "the canvas did not answer in time and is ended what=%s",
            oc_json_get_str(a->message, "do"));
    oc_helper_stop(oc_take(&c->helper));
    a->is_again = true; /* it is the reason */
    int none = -1;
    on_message(c, NULL, &none, "it did not answer in time");
}

/* One that does not listen is dying: what was asked waits for its end, and is asked again. One that only does not keep up is asked
 * when it does; how long that may take is the deadline's to say. */
static void send_asked(struct asked *a) {
    struct oc_node_canvas *c = a->canvas;
    struct oc_error err;
    a->is_unsent = c->is_full;
    if (a->is_unsent) {
        return;
    }
    enum oc_code rc = oc_helper_send(c->helper, a->message, a->fd, &err);
    a->is_unsent = c->is_full = rc == OC_E_UNAVAILABLE;
    if (rc != OC_OK && rc != OC_E_CLOSED && !c->is_full) {
        fail(a, UNAVAILABLE, err.text);
    }
}

static struct asked *first_unsent(struct oc_node_canvas *c) {
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        struct asked *a = OC_CONTAINER(l, struct asked, link);
        if (a->is_unsent) {
            return a;
        }
    }
    return NULL;
}

static void on_writable(void *user) {
    struct oc_node_canvas *c = user;
    struct asked *a;
    c->is_full = false;
    while (c->helper && !c->is_full && (a = first_unsent(c))) {
        send_asked(a);
    }
}

static struct asked *enqueue(
        struct oc_node_canvas *c, const struct oc_canvas_ask *ask, bool is_callers) {
    struct asked *a = oc_new(struct asked);
    a->canvas = c;
    a->is_callers = is_callers;
    a->id = ++c->last_id;
    a->fd = ask->bytes ? oc_sealed_create(ask->bytes, ask->len) : -1;
    a->message = cJSON_CreateObject();
    oc_json_set_int(a->message, "id", (int64_t)a->id);
    oc_json_set_str(a->message, "do", ask->what);
    oc_json_set(a->message, "params", ask->take_params);
    a->deadline = (struct oc_timer){ .on_expire = on_late, .user = a };
    oc_list_append(&c->asked, &a->link);
    c->asked_count += is_callers;
    c->own_count += !is_callers;
    oc_timer_set(c->site->machine->loop, &a->deadline,
            ask->timeout_ms > 0 ? ask->timeout_ms : ANSWER_MS);
    return a;
}

/* Where the window is to be, or is: what was said last counts. */
static void place(struct oc_node_canvas *c, const cJSON *placement) {
    static const char *const keys[] = { "x", "y", "width", "height" };
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        const cJSON *v = oc_json_get(placement, keys[i]);
        oc_json_set(c->placement, keys[i], cJSON_IsNumber(v) ? cJSON_Duplicate(v, false) : NULL);
    }
}

/* What pages need: whether the owner trusts those of the private network to speak to the agent. */
static void add_web(const struct oc_node_canvas *c, cJSON *params) {
    const cJSON *settings = oc_json_path(c->site->machine->config, "node.canvas");
    if (oc_json_get(params, "url")) {
        oc_json_set_bool(params, "trustNetwork", oc_json_get_bool(settings, "trustNetwork", false));
    }
}

/* Ours: nobody waits for the answer. What we have to say to one that never answers has an end. */
static void tell(struct oc_node_canvas *c, const struct oc_canvas_ask *ask) {
    if (c->helper && c->own_count < MAX_OWN) {
        send_asked(enqueue(c, ask, false));
    } else {
        cJSON_Delete(ask->take_params);
    }
}

static void tell_theme(struct oc_node_canvas *c) {
    const char *theme =
            oc_json_get_str(oc_json_path(c->site->machine->config, "node.canvas"), "theme");
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "name", theme ? theme : "auto");
    tell(c, &(struct oc_canvas_ask){ .what = "theme", .take_params = params });
}

/* The page that was shown is a file of the gateway, and this its address now. */
static void on_hosted(void *user, const char *address) {
    const struct oc_canvas_site *site = user;
    struct oc_node_canvas *c = site->canvas;
    if (c && c->page && address && oc_canvas_surface_has(site, c->page)) {
        cJSON *params = cJSON_CreateObject();
        oc_json_set_str(params, "url", address);
        oc_json_set_bool(params, "quiet", !c->is_visible);
        add_web(c, params);
        tell(c, &(struct oc_canvas_ask){ .what = "present", .take_params = params });
    }
}

/* Quietly: a window that was hidden stays so, one that was not opens once, when all is there. */
static void show_again(struct oc_node_canvas *c) {
    OC_AUTO_BUF struct oc_buf part = OC_BUF_INIT(MAX_REPLAY);
    size_t at = 0;
    bool is_entered;
    tell_theme(c);
    while (oc_canvas_kept_next(c->kept, &at, REPLAY_BYTES, &part, &is_entered)) {
        cJSON *params = cJSON_CreateObject();
        oc_json_set_bool(params, "quiet", true);
        struct asked *a = enqueue(c,
                &(struct oc_canvas_ask){ .what = is_entered ? "enter" : "push",
                        .take_params = params,
                        .bytes = part.data,
                        .len = part.len },
                false);
        a->is_replay = true;
        send_asked(a);
    }
    if (c->page || c->is_visible || c->placement->child) {
        cJSON *params = cJSON_CreateObject();
        oc_json_set_str(params, "url", c->page);
        oc_json_set(params, "placement", cJSON_Duplicate(c->placement, true));
        oc_json_set_bool(params, "quiet", !c->is_visible);
        add_web(c, params);
        bool is_hosted = oc_canvas_surface_has(c->site, c->page);
        OC_AUTO_SECRET char *address = is_hosted ? oc_canvas_surface_known(c->site, c->page) : NULL;
        if (is_hosted) {
            cJSON_DeleteItemFromObjectCaseSensitive(params, "url");
            oc_json_set_str(params, "url", address);
        }
        tell(c, &(struct oc_canvas_ask){ .what = "present", .take_params = params });
        if (is_hosted && !address) {
            oc_canvas_surface_find(c->site, c->page, on_hosted, c->site);
        }
    }
}

static bool has_display(void) {
    OC_AUTO_STRV struct oc_strv env = { 0 };
    oc_helper_env(&env);
    for (size_t i = 0; i < env.count; i++) {
        if (oc_starts_with(env.items[i], "WAYLAND_DISPLAY=") ||
                oc_starts_with(env.items[i], "DISPLAY=")) {
            return true;
        }
    }
    return false;
}

/* False: it did not start, and on_message has said so. */
static bool start(struct oc_node_canvas *c) {
    static const struct oc_helper_events events = { .on_message = on_message,
        .on_writable = on_writable };
    OC_AUTO_FREE char *root = c->site->machine->state_dir
                                      ? oc_path_join(c->site->machine->state_dir, "canvas")
                                      : NULL;
    int64_t now = oc_loop_now_ms(c->site->machine->loop);
    c->is_window = now >= c->no_window_until_ms && has_display() &&
                   oc_helper_is_installed(OC_HELPER_CANVAS_WINDOW);
    c->has_spoken = c->is_full = false;
    c->started_ms = now;
    c->helper = oc_helper_start(c->site->helpers,
            &(struct oc_helper_opts){
                    .program = c->is_window ? OC_HELPER_CANVAS_WINDOW : OC_HELPER_CANVAS,
                    .what = "canvas",
                    .root = root,
                    .serves = true },
            &events, c);
    return c->helper != NULL;
}

/* What it died of before it had taken what it was shown again, and that twice, is what it was shown. */
static void count_death(struct oc_node_canvas *c) {
    bool was_steady = oc_loop_now_ms(c->site->machine->loop) - c->started_ms >= STEADY_MS;
    bool was_told_again = false;
    for (struct oc_list *l = c->asked.next; l != &c->asked; l = l->next) {
        const struct asked *a = OC_CONTAINER(l, struct asked, link);
        was_told_again = was_told_again || a->is_replay;
    }
    c->deaths = was_steady ? 1 : c->deaths + 1;
    c->replay_deaths = was_told_again ? c->replay_deaths + 1 : 0;
    if (c->replay_deaths >= 2) {
        oc_log(OC_LOG_ERROR, TAG, "the canvas dies of its surfaces; they are dropped");
        oc_canvas_kept_clear(c->kept);
    }
}

/* Those that are set meanwhile wait for the next time. */
static void tell_watches(struct oc_node_canvas *c) {
    struct oc_list due;
    oc_list_init(&due);
    while (!oc_list_empty(&c->watches)) {
        struct oc_list *l = c->watches.next;
        oc_list_remove(l);
        oc_list_append(&due, l);
    }
    while (!oc_list_empty(&due)) {
        struct oc_canvas_watch *w = OC_CONTAINER(due.next, struct oc_canvas_watch, link);
        oc_node_canvas_unwatch(w);
        w->on_changed(w);
    }
}

static void on_death(struct oc_node_canvas *c, const char *why) {
    c->helper = NULL;
    oc_canvas_player_stop(c->player);
    oc_canvas_pictures_clear(c->pictures); /* the next one wants its own */
    if (c->is_window && !c->has_spoken) {
        c->no_window_until_ms = oc_loop_now_ms(c->site->machine->loop) + NO_WINDOW_MS;
    } else {
        count_death(c);
    }
    oc_timer_cancel(&c->idle);
    struct oc_list again;
    oc_list_init(&again);
    while (!oc_list_empty(&c->asked)) {
        struct asked *a = OC_CONTAINER(c->asked.next, struct asked, link);
        if (a->done && !a->is_again) {
            oc_list_remove(&a->link);
            oc_list_append(&again, &a->link);
            a->is_again = true;
        } else {
            fail(a, UNAVAILABLE, why);
        }
    }
    bool is_asked = !oc_list_empty(&again);
    if (is_asked && start(c)) {
        show_again(c);
    }
    while (!oc_list_empty(&again)) {
        struct asked *a = OC_CONTAINER(again.next, struct asked, link);
        oc_list_remove(&a->link);
        oc_list_append(&c->asked, &a->link);
        if (c->helper) {
            send_asked(a);
        } else {
            fail(a, UNAVAILABLE, why);
        }
    }
    if (!c->helper && c->is_visible && c->is_window && c->deaths < MAX_DEATHS) {
        oc_timer_set(c->site->machine->loop, &c->come_back, COME_BACK_MS);
    }
    if (c->deaths < MAX_DEATHS) { /* who looks starts it again */
        tell_watches(c);
    }
}

static void on_come_back(struct oc_timer *t) {
    struct oc_node_canvas *c = t->user;
    if (!c->helper && c->is_visible && start(c)) {
        show_again(c);
    }
}

static void on_save(struct oc_timer *t) {
    struct oc_node_canvas *c = t->user;
    oc_canvas_window_save(c->site->machine->state_dir, c->placement);
}

static void on_idle(struct oc_timer *t) {
    struct oc_node_canvas *c = t->user;
    oc_helper_stop(oc_take(&c->helper));
    oc_canvas_pictures_clear(c->pictures);
}

static void take_answer(struct oc_node_canvas *c, const cJSON *message, int *fd) {
    struct asked *a = find(c, (uint64_t)oc_json_get_int(message, "id", 0, OC_JSON_MAX_EXACT, 0));
    struct oc_helper_answer answer = { .fd = -1, .ok = oc_json_get_bool(message, "ok", false) };
    if (!a) {
        return;
    }
    c->has_spoken = true;
    if (!answer.ok) {
        const char *code = oc_json_get_str(message, "code"),
                   *text = oc_json_get_str(message, "message");
        answer.code = code ? code : UNAVAILABLE;
        answer.message = text ? text : "the canvas gave no reason";
    } else if (*fd >= 0 && !oc_sealed_check(*fd, OC_MAX_MESSAGE_BYTES, &answer.len)) {
        fail(a, UNAVAILABLE, "the picture is not sealed or too large");
        return;
    } else {
        const cJSON *result = oc_json_get(message, "result");
        answer.result = cJSON_IsObject(result) ? cJSON_Duplicate(result, true) : NULL;
        answer.fd = oc_take_fd(fd);
    }
    settle(a, &answer);
}

static void bring(void *user, uint64_t id, const char *url, int fd, const char *error) {
    struct oc_node_canvas *c = user;
    if (!c->helper) {
        oc_canvas_pictures_taken(c->pictures, id);
        return;
    }
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "url", url);
    oc_json_set_str(params, "error", error);
    struct asked *a =
            enqueue(c, &(struct oc_canvas_ask){ .what = "bring", .take_params = params }, false);
    a->picture = id;
    a->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    send_asked(a);
}

static void tell_status(void *user, const char *id, const char *error) {
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "id", id);
    oc_json_set_bool(params, "ok", error == NULL);
    oc_json_set_str(params, "error", error);
    tell(user, &(struct oc_canvas_ask){ .what = "action-status", .take_params = params });
}

static void keep_scripted(struct oc_node_canvas *c, int fd) {
    OC_AUTO_BUF struct oc_buf jsonl = { 0 };
    struct oc_error err;
    if (oc_sealed_read(fd, MAX_REPLAY, &jsonl, &err) == OC_OK) {
        (void)oc_canvas_kept_add(c->kept, jsonl.data, jsonl.len);
    }
}

static void keep_entered(struct oc_node_canvas *c, int fd) {
    OC_AUTO_BUF struct oc_buf entry = { 0 };
    struct oc_error err;
    if (oc_sealed_read(fd, REPLAY_BYTES, &entry, &err) == OC_OK && entry.len > 0) {
        oc_canvas_kept_enter(c->kept, entry.data, entry.len);
    }
}

static void log_opened(const char *url, const char *via) {
    OC_AUTO_FREE char *shown = oc_quoted(url, 200);
    oc_log(OC_LOG_INFO, TAG, "a link was pressed url=%s via=%s", shown, via ? "input" : "person");
}

static void on_play(struct oc_node_canvas *c, const cJSON *play, int fd) {
    const char *url = oc_json_get_str(play, "url");
    if (oc_json_get_bool(play, "stop", false)) {
        oc_canvas_player_stop(c->player);
    } else if (!oc_canvas_actions_allow(c->actions)) {
        oc_canvas_player_refuse(c->player, play, "too many in a short time");
    } else {
        log_opened(url ? url : "data:", NULL);
        oc_canvas_player_start(c->player, play, fd);
    }
}

static void tell_player(void *user, cJSON *take_state) {
    tell(user, &(struct oc_canvas_ask){ .what = "player", .take_params = take_state });
}

static void take_event(struct oc_node_canvas *c, const cJSON *event, int fd) {
    const char *wanted = oc_json_get_str(event, "wanted"), *opened = oc_json_get_str(event, "open");
    const cJSON *action = oc_json_get(event, "action"), *geometry = oc_json_get(event, "geometry"),
                *play = oc_json_get(event, "play");
    if (wanted) {
        oc_canvas_pictures_want(
                c->pictures, wanted, c->site->machine->config, c->site->machine->state_dir);
    } else if (cJSON_IsObject(action)) {
        oc_canvas_actions_take(c->actions, action, c->session_key, oc_json_get_str(event, "via"));
    } else if (cJSON_IsObject(play)) {
        on_play(c, play, fd);
    } else if (opened) {
        log_opened(opened, oc_json_get_str(event, "via"));
    } else if (oc_json_get(event, "changed")) {
        tell_watches(c);
    } else if (oc_json_get_bool(event, "pushed", false)) {
        keep_scripted(c, fd);
    } else if (oc_json_get_bool(event, "entered", false)) {
        keep_entered(c, fd);
    } else if (oc_json_get_bool(event, "reset", false)) {
        oc_canvas_kept_clear(c->kept);
    } else if (oc_json_get_bool(event, "closed", false)) {
        c->is_visible = false;
        oc_canvas_player_stop(c->player);
    } else if (cJSON_IsObject(geometry)) {
        place(c, geometry);
        oc_timer_set(c->site->machine->loop, &c->save,
                SAVE_MS); /* a window is dragged along many places */
    }
    watch_idle(c);
}

static void on_message(void *user, const cJSON *message, int *fd, const char *why) {
    struct oc_node_canvas *c = user;
    if (!message) {
        on_death(c, why);
        return;
    }
    const cJSON *event = oc_json_get(message, "event");
    if (event) {
        take_event(c, event, *fd);
    } else {
        take_answer(c, message, fd);
    }
}

static struct oc_node_canvas *canvas_of(struct oc_canvas_site *site) {
    if (!site->canvas) {
        struct oc_node_canvas *c = site->canvas = oc_new(struct oc_node_canvas);
        c->site = site;
        oc_list_init(&c->asked);
        oc_list_init(&c->watches);
        c->kept = oc_canvas_kept_create();
        c->actions = oc_canvas_actions_create(site, tell_status, c);
        c->pictures = oc_canvas_pictures_create(site->machine->loop, bring, c);
        c->player = oc_canvas_player_create(site, tell_player, c);
        c->idle = (struct oc_timer){ .on_expire = on_idle, .user = c };
        c->come_back = (struct oc_timer){ .on_expire = on_come_back, .user = c };
        c->save = (struct oc_timer){ .on_expire = on_save, .user = c };
        c->placement = oc_canvas_window_load(site->machine->state_dir);
        c->placement = c->placement ? c->placement : cJSON_CreateObject();
    }
    return site->canvas;
}

uint64_t oc_node_canvas_ask(struct oc_canvas_site *site, const struct oc_canvas_ask *ask,
        oc_canvas_done *done, void *user) {
    struct oc_node_canvas *c = canvas_of(site);
    bool shows = strcmp(ask->what, "present") == 0 || strcmp(ask->what, "navigate") == 0;
    if (!c->helper && start(c)) {
        oc_timer_cancel(&c->come_back);
        show_again(c);
        tell_watches(c); /* it does not know that somebody waits for a change */
    }
    struct asked *a = enqueue(c, ask, true);
    uint64_t id = a->id;
    a->done = done;
    a->user = user;
    a->shows = shows;
    if (shows) {
        add_web(c, ask->take_params);
    }
    place(c, oc_json_get(ask->take_params, "placement"));
    a->jsonl = strcmp(ask->what, "push") == 0 ? oc_blob_copy(ask->bytes, ask->len) : NULL;
    a->session_key = oc_str_blank(ask->session_key) ? NULL : oc_strdup(ask->session_key);
    if (ask->bytes && a->fd < 0) {
        fail(a, UNAVAILABLE, "no memory to hand it over");
    } else if (c->asked_count > MAX_ASKED) {
        fail(a, UNAVAILABLE, "node busy: too many requests to the canvas");
    } else if (!c->helper) {
        fail(a, UNAVAILABLE, "the canvas program does not start");
    } else {
        send_asked(a);
    }
    return find(c, id) ? id : 0;
}

void oc_node_canvas_forget(struct oc_canvas_site *site, uint64_t id) {
    struct asked *a = site->canvas ? find(site->canvas, id) : NULL;
    if (a) {
        a->done = NULL;
    }
}

static void stop(struct oc_node_canvas *c) {
    oc_timer_cancel(&c->idle);
    oc_timer_cancel(&c->come_back);
    oc_helper_stop(oc_take(&c->helper));
    oc_canvas_player_stop(c->player);
    oc_canvas_pictures_clear(c->pictures);
    c->is_visible = false;
    while (!oc_list_empty(&c->asked)) {
        fail(OC_CONTAINER(c->asked.next, struct asked, link), UNAVAILABLE, "the canvas was ended");
    }
    oc_canvas_kept_clear(c->kept);
    oc_free(oc_take(&c->page));
}

void oc_node_canvas_check(struct oc_canvas_site *site) {
    if (site->canvas && !oc_consent_given(site->machine->consent_path, "canvas")) {
        stop(site->canvas);
    }
}

void oc_node_canvas_settings(struct oc_canvas_site *site) {
    if (site->canvas) {
        tell_theme(site->canvas);
    }
}

void oc_node_canvas_finish(struct oc_canvas_site *site) {
    struct oc_node_canvas *c = site->canvas;
    if (!c) {
        return;
    }
    if (c->save.loop) {
        on_save(&c->save);
    }
    oc_timer_cancel(&c->save);
    stop(c);
    site->canvas = NULL;
    oc_canvas_player_destroy(c->player);
    oc_canvas_pictures_destroy(c->pictures);
    oc_canvas_kept_destroy(c->kept);
    oc_canvas_actions_destroy(c->actions);
    cJSON_Delete(c->placement);
    oc_free(c->session_key);
    oc_free(c);
}

void oc_node_canvas_watch(struct oc_canvas_site *site, struct oc_canvas_watch *w) {
    oc_node_canvas_unwatch(w);
    oc_list_append(&canvas_of(site)->watches, &w->link);
    w->is_set = true;
}

void oc_node_canvas_unwatch(struct oc_canvas_watch *w) {
    if (w->is_set) {
        oc_list_remove(&w->link);
        w->is_set = false;
    }
}
