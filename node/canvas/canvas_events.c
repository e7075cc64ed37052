#include "node/canvas/canvas_impl.h"

#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/text/quoted.h"
#include "node/canvas/canvas_actions.h"
#include "node/canvas/canvas_kept.h"
#include "node/canvas/canvas_pictures.h"
#include "node/canvas/canvas_player.h"

#include <fcntl.h>

#define TAG "node.canvas"

enum { SAVE_MS = 1000 };

void nd_canvas_bring(void *user, uint64_t id, const char *url, int fd, const char *error) {
    struct nd_canvas *c = user;
    if (!c->helper) {
        nd_canvas_pictures_taken(c->pictures, id);
        return;
    }
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "url", url);
    oc_json_set_str(params, "error", error);
    struct nd_canvas_asked *a = nd_canvas_enqueue(
            c, &(struct nd_canvas_ask){ .what = "bring", .take_params = params }, false);
    a->picture = id;
    a->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    nd_canvas_send(a);
}

void nd_canvas_tell_status(void *user, const char *id, const char *error) {
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "id", id);
    oc_json_set_bool(params, "ok", error == NULL);
    oc_json_set_str(params, "error", error);
    nd_canvas_tell(user, &(struct nd_canvas_ask){ .what = "action-status", .take_params = params });
}

static void log_opened(const char *url, const char *via) {
    OC_AUTO_FREE char *shown = oc_quoted(url, 200);
    oc_log(OC_LOG_INFO, TAG, "a link was pressed url=%s via=%s", shown, via ? "input" : "person");
}

static void on_play(struct nd_canvas *c, const cJSON *play, int fd) {
    const char *url = oc_json_get_str(play, "url");
    if (oc_json_get_bool(play, "stop", false)) {
        nd_canvas_player_stop(c->player);
    } else if (!nd_canvas_actions_allow(c->actions)) {
        nd_canvas_player_refuse(c->player, play, "too many in a short time");
    } else {
        log_opened(url ? url : "data:", NULL);
        nd_canvas_player_start(c->player, play, fd);
    }
}

void nd_canvas_tell_player(void *user, cJSON *take_state) {
    nd_canvas_tell(user, &(struct nd_canvas_ask){ .what = "player", .take_params = take_state });
}

void nd_canvas_take_event(struct nd_canvas *c, const cJSON *event, int fd) {
    const char *wanted = oc_json_get_str(event, "wanted"), *opened = oc_json_get_str(event, "open");
    const cJSON *action = oc_json_get(event, "action"), *geometry = oc_json_get(event, "geometry"),
                *play = oc_json_get(event, "play");
    if (wanted) {
        nd_canvas_pictures_want(
                c->pictures, wanted, c->site->machine->config, c->site->machine->state_dir);
    } else if (cJSON_IsObject(action)) {
        nd_canvas_actions_take(c->actions, action, c->session_key, oc_json_get_str(event, "via"));
    } else if (cJSON_IsObject(play)) {
        on_play(c, play, fd);
    } else if (opened) {
        log_opened(opened, oc_json_get_str(event, "via"));
    } else if (oc_json_get(event, "changed")) {
        nd_canvas_tell_watches(c);
    } else if (oc_json_get_bool(event, "pushed", false)) {
        nd_canvas_keep_scripted(c, fd);
    } else if (oc_json_get_bool(event, "entered", false)) {
        nd_canvas_keep_entered(c, fd);
    } else if (oc_json_get_bool(event, "reset", false)) {
        nd_canvas_kept_clear(c->kept);
    } else if (oc_json_get_bool(event, "closed", false)) {
        c->is_visible = false;
        nd_canvas_player_stop(c->player);
    } else if (cJSON_IsObject(geometry)) {
        nd_canvas_place(c, geometry);
        oc_timer_set(c->site->machine->loop, &c->save,
                SAVE_MS); /* a window is dragged along many places */
    }
    nd_canvas_watch_idle(c);
}
