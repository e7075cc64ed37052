#include "node/canvas/canvas_player.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/helper/capture_params.h"
#include "lib/helper/packet.h"
#include "lib/log/log.h"
#include "lib/net/fetch.h"
#include "lib/text/fix.h"
#include "lib/text/quoted.h"
#include "node/canvas/canvas_files.h"
#include "node/helper/helper.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>

enum {
    FETCH_MS = 60000,
    ANSWER_MS = 30000, /* the first time GStreamer looks at all its plugins */
    MAX_TITLE = 200,
    MAX_STALLS = 6,
};

struct nd_canvas_player {
    struct nd_canvas_site *site;
    void (*tell)(void *user, cJSON *take_state);
    void *user;
    int64_t id; /* of what plays; 0: nothing */
    cJSON *params;
    struct oc_fetch *fetch;
    struct nd_helper *helper;
    int fd; /* what it plays, for another helper should this one stall; -1: nothing yet */
    int stalls;
    struct oc_timer limit; /* of a helper that does not end by itself */
};

static void canvas_player_tell(
        struct nd_canvas_player *p, int64_t id, const char *state, const char *error) {
    OC_AUTO_FREE char *why = oc_quoted(error, 200);
    oc_log(error ? OC_LOG_INFO : OC_LOG_DEBUG, "node.canvas", "a player says state=%s why=%s",
            state, why);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "id", id);
    oc_json_set_str(o, "state", state);
    oc_json_set_str(o, "error", error);
    p->tell(p->user, o);
}

static void canvas_player_end(struct nd_canvas_player *p, const char *state, const char *error) {
    int64_t id = p->id;
    p->id = 0;
    oc_fetch_cancel(oc_take(&p->fetch));
    nd_helper_stop(oc_take(&p->helper));
    oc_auto_close(&p->fd);
    oc_timer_cancel(&p->limit);
    cJSON_Delete(oc_take(&p->params));
    if (id && state) {
        canvas_player_tell(p, id, state, error);
    }
}

static void on_limit(struct oc_timer *t) {
    canvas_player_end(t->user, "ended", NULL);
}

struct nd_canvas_player *nd_canvas_player_create(struct nd_canvas_site *site,
        void (*tell_state)(void *user, cJSON *take_state), void *user) {
    struct nd_canvas_player *p = oc_new(struct nd_canvas_player);
    *p = (struct nd_canvas_player){ .site = site, .tell = tell_state, .user = user, .fd = -1 };
    p->limit = (struct oc_timer){ .on_expire = on_limit, .user = p };
    return p;
}

void nd_canvas_player_destroy(struct nd_canvas_player *p) {
    if (p) {
        canvas_player_end(p, NULL, NULL);
        oc_free(p);
    }
}

void nd_canvas_player_stop(struct nd_canvas_player *p) {
    canvas_player_end(p, "ended", NULL);
}

void nd_canvas_player_refuse(struct nd_canvas_player *p, const cJSON *play, const char *why) {
    canvas_player_tell(p, oc_json_get_int(play, "id", 0, OC_JSON_MAX_EXACT, 0), "failed", why);
}

static void start_helper(struct nd_canvas_player *p);

/* Its sound server or display does not let it go on; a new stream mostly may. */
static void begin_again(struct nd_canvas_player *p, const cJSON *event) {
    int64_t at_ms = oc_json_get_ms(event, "positionMs", 0);
    if (++p->stalls > MAX_STALLS) {
        const char *error = oc_json_get_str(event, "error");
        OC_AUTO_FREE char *why = oc_strdup(error ? error : "it does not go on");
        canvas_player_end(p, "failed", why);
        return;
    }
    oc_log(OC_LOG_DEBUG, "node.canvas", "a player has stalled and begins again at_ms=%lld",
            (long long)at_ms);
    nd_helper_stop(oc_take(&p->helper));
    oc_json_set_int(p->params, "fromMs", at_ms);
    start_helper(p);
}

static void on_answer(void *user, struct nd_helper_answer *answer) {
    struct nd_canvas_player *p = user;
    if (!answer->ok || !answer->stays) {
        OC_AUTO_FREE char *why = answer->ok ? NULL : nd_helper_answer_text(answer);
        p->helper = NULL;
        canvas_player_end(p, answer->ok ? "ended" : "failed", why);
    }
}

static void on_event(void *user, const cJSON *event) {
    struct nd_canvas_player *p = user;
    const char *state = oc_json_get_str(event, "state");
    if (!event) {
        p->helper = NULL;
        canvas_player_end(p, "failed", "the player has ended unexpectedly");
    } else if (oc_streq(state, "playing")) {
        cJSON *o = cJSON_CreateObject();
        oc_json_set_int(o, "id", p->id);
        oc_json_set_str(o, "state", state);
        oc_json_set_int(o, "positionMs", oc_json_get_ms(event, "positionMs", 0));
        oc_json_set_int(o, "durationMs", oc_json_get_ms(event, "durationMs", 0));
        p->tell(p->user, o);
    } else if (oc_streq(state, "failed")) {
        const char *error = oc_json_get_str(event, "error");
        OC_AUTO_FREE char *why = oc_strdup(error ? error : "it cannot be played");
        canvas_player_end(p, "failed", why);
    } else if (oc_streq(state, "ended")) {
        canvas_player_end(p, "ended", NULL);
    } else if (oc_streq(state, "stalled")) {
        begin_again(p, event);
    }
}

static void start_helper(struct nd_canvas_player *p) {
    static const struct nd_helper_events events = { .on_answer = on_answer, .on_event = on_event };
    int64_t id = p->id;
    struct nd_helper *helper = nd_helper_start(p->site->helpers,
            &(struct nd_helper_opts){ .program = ND_HELPER_MEDIA,
                    .what = "play",
                    .take_params = cJSON_Duplicate(p->params, true),
                    .timeout_ms = ANSWER_MS,
                    .is_reserved = true,
                    .may_stay = true,
                    .fd = &p->fd },
            &events, p);
    if (p->id == id) { /* else it failed at once */
        p->helper = helper;
    }
}

static void canvas_player_play(struct nd_canvas_player *p, int fd) {
    p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    p->stalls = 0;
    if (p->fd < 0) {
        canvas_player_end(p, "failed", "no descriptor is left to play it with");
        return;
    }
    oc_timer_set(p->site->machine->loop, &p->limit, OC_PLAY_MAX_MS);
    start_helper(p);
}

static void on_fetched(void *user, struct oc_buf *body, const struct oc_error *err) {
    struct nd_canvas_player *p = user;
    OC_AUTO_FD int fd = err ? -1 : oc_sealed_create(body->data ? body->data : "", body->len);
    OC_AUTO_FREE char *why = err ? oc_fix_error(err) : NULL;
    p->fetch = NULL;
    if (fd >= 0) {
        canvas_player_play(p, fd);
    } else {
        canvas_player_end(p, "failed", why ? why : "no memory to hand it over");
    }
}

static void canvas_player_fetch(struct nd_canvas_player *p, const char *url) {
    OC_AUTO_STRV struct oc_strv allow_hosts = { 0 };
    oc_json_get_strv(
            oc_json_path(p->site->machine->config, "node.canvas"), "allowHosts", &allow_hosts);
    p->fetch = oc_fetch_start(p->site->machine->loop,
            &(struct oc_fetch_opts){ .url = url,
                    .accept = "audio/*, video/*, application/ogg",
                    .max_bytes = OC_PLAY_MAX_BYTES,
                    .timeout_ms = FETCH_MS,
                    .allow_hosts = &allow_hosts,
                    .allow = OC_REMEDY_ALLOW_HOST },
            on_fetched, p);
}

static void read_file(struct nd_canvas_player *p, const char *url) {
    OC_AUTO_FREE char *folder = p->site->machine->state_dir
                                        ? oc_path_join(p->site->machine->state_dir, "canvas")
                                        : NULL;
    struct nd_canvas_files files = { .fd = -1 };
    struct oc_error err;
    OC_AUTO_FD int fd = -1;
    size_t len;
    enum oc_code rc = nd_canvas_files_read(&files, folder, url, OC_PLAY_MAX_BYTES, &fd, &len, &err);
    nd_canvas_files_forget(&files);
    if (rc == OC_OK) {
        canvas_player_play(p, fd);
    } else {
        canvas_player_end(p, "failed", err.text);
    }
}

void nd_canvas_player_start(struct nd_canvas_player *p, const cJSON *asked, int fd) {
    const char *url = oc_json_get_str(asked, "url"), *title = oc_json_get_str(asked, "title");
    size_t len;
    canvas_player_end(p, NULL, NULL);
    p->id = oc_json_get_int(asked, "id", 0, OC_JSON_MAX_EXACT, 0);
    if (!nd_helper_is_installed(ND_HELPER_MEDIA)) {
        canvas_player_end(p, "open", NULL);
        return;
    }
    OC_AUTO_FREE char *shown =
            oc_printable(title ? title : "", title ? strlen(title) : 0, MAX_TITLE);
    p->params = cJSON_CreateObject();
    oc_json_set_str(p->params, "kind",
            oc_streq(oc_json_get_str(asked, "kind"), "video") ? "video" : "audio");
    oc_json_set_str(p->params, "title", shown);
    if (!url && oc_sealed_check(fd, OC_PLAY_MAX_BYTES, &len)) {
        canvas_player_play(p, fd);
    } else if (!url) {
        canvas_player_end(p, "failed", "there is nothing to play");
    } else if (strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0) {
        canvas_player_fetch(p, url);
    } else {
        read_file(p, url);
    }
}
