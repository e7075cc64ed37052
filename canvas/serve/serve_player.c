/* Players: a press of the person at this machine goes to the node, which fetches what is to be
 * played and plays it; see node/canvas/canvas_player.h for the messages. Without a window, and from
 * elsewhere, nothing is ever played. */
#include "canvas/serve/serve_private.h"

#include "canvas/images/data_url.h"
#include "canvas/text/address.h"
#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <string.h>

static void serve_player_forget(struct cv_serve_canvas *s) {
    cv_set_playing(s->canvas, NULL);
    oc_free(oc_take(&s->playing.key));
    oc_free(oc_take(&s->playing.url));
}

void cv_serve_player_finish(struct cv_serve_canvas *s) {
    oc_free(s->playing.key);
    oc_free(s->playing.url);
}

static void serve_player_tell(struct cv_serve_canvas *s, cJSON *take_play, int fd) {
    cJSON *event = cJSON_CreateObject();
    oc_json_set_int(take_play, "id", s->play_id);
    oc_json_set(event, "play", take_play);
    cv_serve_tell(s, event, fd);
}

void cv_serve_play_gone(void *user) {
    struct cv_serve_canvas *s = user;
    cJSON *play = cJSON_CreateObject();
    serve_player_forget(s);
    oc_json_set_bool(play, "stop", true);
    serve_player_tell(s, play, -1);
}

static void serve_player_start(struct cv_serve_canvas *s, const struct cv_play *what, int fd) {
    cJSON *play = cv_serve_str("kind", what->is_film ? "video" : "audio");
    OC_AUTO_FREE char *key = oc_strdup(what->key), *url = oc_strdup(what->url);
    oc_json_set_str(play, "title", what->title ? what->title : "");
    oc_json_set_str(play, "url", fd >= 0 ? NULL : what->url);
    serve_player_forget(s);
    s->play_id++;
    s->playing = (struct cv_playing){ .key = oc_take(&key), .url = oc_take(&url) };
    cv_set_playing(s->canvas, &s->playing);
    serve_player_tell(s, play, fd);
}

void cv_serve_play(void *user, const struct cv_play *what) {
    struct cv_serve_canvas *s = user;
    if (s->is_remote || !s->screen || !s->screen->open) {
        cv_serve_open(s, what->url);
    } else if (s->playing.key && strcmp(s->playing.key, what->key) == 0 &&
               strcmp(s->playing.url, what->url) == 0) {
        cv_serve_play_gone(s);
    } else if (cv_data_url_is(what->url)) {
        size_t len = 0;
        const char *why = "no memory to hand it over";
        OC_AUTO_FREE uint8_t *bytes = cv_data_url_decode(what->url, &len, &why);
        OC_AUTO_FD int fd = bytes ? oc_sealed_create(bytes, len) : -1;
        if (fd >= 0) {
            serve_player_start(s, what, fd);
        } else {
            cv_canvas_pill(s->canvas, CV_PILL_FAILED, why);
        }
    } else if (strlen(what->url) > CV_SERVE_MAX_URL) {
        cv_canvas_pill(s->canvas, CV_PILL_FAILED, "the address is too long");
    } else {
        serve_player_start(s, what, -1);
    }
}

/* Nobody here can play it. */
static void open_outside(struct cv_serve_canvas *s) {
    OC_AUTO_FREE char *url = oc_strdup(s->playing.url);
    serve_player_forget(s);
    if (cv_address_is_web(url)) {
        cv_serve_open(s, url);
    } else {
        cv_canvas_pill(
                s->canvas, CV_PILL_FAILED, "openclaw-media, which plays it, is not installed");
    }
}

void cv_serve_player(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    const char *state = oc_json_get_str(r->params, "state"),
               *error = oc_json_get_str(r->params, "error");
    struct cv_playing *p = &s->playing;
    if (!p->key || oc_json_get_int(r->params, "id", 0, OC_JSON_MAX_EXACT, 0) != s->play_id ||
            !state) {
        /* of one that was pressed before */
    } else if (strcmp(state, "playing") == 0) {
        int64_t position = oc_json_get_ms(r->params, "positionMs", 0),
                duration = oc_json_get_ms(r->params, "durationMs", 0);
        bool is_news = !p->has_begun || position / 1000 != p->position_ms / 1000 ||
                       duration / 1000 != p->duration_ms / 1000;
        p->has_begun = true;
        p->position_ms = position > 0 ? position : 0;
        p->duration_ms = duration > 0 ? duration : 0;
        if (is_news) {
            cv_set_playing(s->canvas, p);
        }
    } else if (strcmp(state, "open") == 0) {
        open_outside(s);
    } else {
        serve_player_forget(s);
        if (error) {
            cv_canvas_pill(s->canvas, CV_PILL_FAILED, error);
        }
    }
    cv_serve_canvas_answer(s, r->id, NULL, -1);
}
