#include "canvas/serve/serve_canvas.h"

#include "canvas/serve/serve_private.h"
#include "canvas/text/address.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/helper/failure.h"
#include "lib/helper/packet.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define MAX_ENTRY ((size_t)7 * 1024 * 1024) /* a text of the most bytes, all of them escaped */

/* Answers must not get lost because the node is slow. */
static void send_packet(struct cv_serve_canvas *s, cJSON *take_message, int fd) {
    OC_AUTO_JSON cJSON *message = take_message;
    struct oc_error err;
    enum oc_code rc = OC_OK;
    while (!s->is_gone && (rc = oc_packet_send(s->socket, message, fd, &err)) != OC_OK) {
        struct pollfd p = { .fd = s->socket, .events = POLLOUT };
        if (rc != OC_E_UNAVAILABLE) {
            fprintf(stderr, "a message to the node is lost: %s\n", err.text);
            s->is_gone = rc == OC_E_CLOSED;
            return;
        }
        (void)poll(&p, 1, 1000);
    }
}

void cv_serve_canvas_answer(
        struct cv_serve_canvas *s, int64_t id, cJSON *take_result, int take_fd) {
    OC_AUTO_FD int fd = take_fd;
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "id", id);
    oc_json_set_bool(o, "ok", true);
    oc_json_set(o, "result", take_result ? take_result : cJSON_CreateObject());
    send_packet(s, o, fd);
}

static void send_failure(struct cv_serve_canvas *s, int64_t id, const char *code,
        const char *message, const struct oc_grounds *grounds) {
    OC_AUTO_FREE char *text = oc_strfmt("%s: %s", code, message);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "id", id);
    oc_json_set_bool(o, "ok", false);
    oc_json_set_str(o, "code", code);
    oc_json_set_str(o, "message", text);
    oc_failure_put(o, grounds);
    send_packet(s, o, -1);
}

void cv_serve_canvas_fail(
        struct cv_serve_canvas *s, int64_t id, const char *code, const char *message) {
    send_failure(s, id, code, message, &(struct oc_grounds){ 0 });
}

void cv_serve_tell(struct cv_serve_canvas *s, cJSON *take_event, int fd) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "event", take_event);
    send_packet(s, o, fd);
}

void cv_serve_fail_with(struct cv_serve_canvas *s, const struct cv_serve_asked *r, const char *code,
        const struct oc_error *err) {
    send_failure(s, r->id, code, err->text, &err->grounds);
}

#define FAR 1e6 /* pixels; no screen is as large */

double cv_serve_number(const cJSON *o, const char *key, double def) {
    return oc_json_clamp_num(o, key, -FAR, FAR, def);
}

void cv_serve_canvas_tell(struct cv_serve_canvas *s, cJSON *take_event) {
    const cJSON *geometry = oc_json_get(take_event, "geometry");
    if (geometry) {
        cJSON_Delete(s->geometry);
        s->geometry = cJSON_Duplicate(geometry, true);
    }
    if (oc_json_get_bool(take_event, "closed", false)) {
        s->web_is_shown = false;
    }
    cv_serve_tell(s, take_event, -1);
}

cJSON *cv_serve_str(const char *key, const char *value) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, key, value);
    return o;
}

static const struct {
    const char *what;
    void (*run)(struct cv_serve_canvas *s, const struct cv_serve_asked *r);
} requests[] = {
    { "action-status", cv_serve_action_status },
    { "bring", cv_serve_bring },
    { "enter", cv_serve_enter },
    { "eval", cv_serve_eval },
    { "gateway", cv_serve_gateway },
    { "hide", cv_serve_hide },
    { "input", cv_serve_input },
    { "navigate", cv_serve_navigate },
    { "player", cv_serve_player },
    { "present", cv_serve_present },
    { "push", cv_serve_push },
    { "reset", cv_serve_reset },
    { "snapshot", cv_serve_snapshot },
    { "theme", cv_serve_theme },
    { "view", cv_serve_view },
};

static void serve_canvas_take(struct cv_serve_canvas *s, struct oc_slice text, int fd) {
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    if (oc_json_parse(text.ptr, text.len, &o, &err) != OC_OK) {
        fprintf(stderr, "a message of the node makes no sense: %s\n", err.text);
        s->is_gone = true;
        return;
    }
    OC_AUTO_JSON cJSON *none = cJSON_CreateObject();
    const cJSON *params = oc_json_get(o, "params");
    const char *what = oc_json_get_str(o, "do");
    struct cv_serve_asked r = { .id = oc_json_get_int(o, "id", 0, OC_JSON_MAX_EXACT, 0),
        .what = what ? what : "",
        .params = cJSON_IsObject(params) ? params : none,
        .fd = fd };
    for (size_t i = 0; i < OC_COUNT(requests); i++) {
        if (strcmp(requests[i].what, r.what) == 0) {
            requests[i].run(s, &r);
            return;
        }
    }
    cv_serve_canvas_fail(s, r.id, "INVALID_REQUEST", "the canvas does not know this request");
}

bool cv_serve_canvas_read(struct cv_serve_canvas *s) {
    while (!s->is_gone) {
        OC_AUTO_FD int fd = -1;
        struct oc_slice text;
        enum oc_packet got = oc_packet_recv(s->socket, false, &text, &fd);
        if (got == OC_PACKET_NONE) {
            return true;
        }
        s->is_gone = got != OC_PACKET_GOT;
        if (got == OC_PACKET_GOT) {
            serve_canvas_take(s, text, fd);
        }
    }
    return false;
}

int cv_serve_canvas_wait_ms(const struct cv_serve_canvas *s) {
    int64_t first = cv_wait_ms(s->canvas), now = cv_serve_now_ms();
    for (size_t i = 0; i < s->waiting_count; i++) {
        int64_t until = cv_serve_waits_until(s, &s->waiting[i]),
                left = until > now ? until - now : 0;
        first = first < 0 || left < first ? left : first;
    }
    return (int)first;
}

int cv_serve_canvas_fd(const struct cv_serve_canvas *s) {
    return cv_fd(s->canvas);
}

void cv_serve_canvas_tick(struct cv_serve_canvas *s) {
    cv_tick(s->canvas);
    cv_serve_take_waiting(s, !cv_is_loading(s->canvas));
}

void cv_serve_changed(struct cv_serve_canvas *s) {
    s->revision++;
    if (s->tells_change) {
        s->tells_change = false;
        cJSON *event = cJSON_CreateObject();
        oc_json_set_int(event, "changed", s->revision);
        cv_serve_tell(s, event, -1);
    }
}

static void on_changed(void *user) {
    struct cv_serve_canvas *s = user;
    cv_serve_changed(s);
    if (s->screen && s->screen->changed) {
        s->screen->changed(s->screen->user);
    }
}

static void on_action(void *user, const struct cv_value *action) {
    struct cv_serve_canvas *s = user;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(CV_MAX_ACTION_BYTES);
    OC_AUTO_JSON cJSON *parsed = NULL;
    struct oc_error err;
    if (cv_value_print(&text, action) != OC_OK) {
        cv_canvas_pill(s->canvas, CV_PILL_FAILED, "too much data for one message");
        return;
    }
    if (oc_json_parse(text.data, text.len, &parsed, &err) != OC_OK) {
        cv_canvas_pill(s->canvas, CV_PILL_FAILED, err.text);
        return;
    }
    const char *name = oc_json_get_str(oc_json_get(parsed, "userAction"), "name");
    oc_free(s->action);
    s->action = oc_strdup(name ? name : "");
    cv_canvas_pill(s->canvas, CV_PILL_SENDING, s->action);
    cJSON *event = cJSON_CreateObject();
    oc_json_set(event, "action", oc_take(&parsed));
    oc_json_set_str(event, "via", s->is_remote ? "input" : NULL);
    cv_serve_tell(s, event, -1);
}

/* Whatever happens to us, the node has it. */
static void on_entered(void *user, const struct cv_value *entry) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_ENTRY);
    OC_AUTO_FD int fd =
            cv_value_print(&text, entry) == OC_OK ? oc_sealed_create(text.data, text.len) : -1;
    if (fd >= 0) {
        cJSON *event = cJSON_CreateObject();
        oc_json_set_bool(event, "entered", true);
        cv_serve_tell(user, event, fd);
    }
}

static void on_wanted(void *user, const char *url) {
    struct cv_serve_canvas *s = user;
    if (strlen(url) > CV_SERVE_MAX_URL) {
        cv_bring(s->canvas, url, NULL, 0, "the address is too long");
        return;
    }
    cv_serve_tell(s, cv_serve_str("wanted", url), -1);
}

static void on_copy(void *user, const char *text) {
    struct cv_serve_canvas *s = user;
    if (s->is_remote) {
        oc_free(s->clipboard);
        s->clipboard = oc_strdup(text);
    } else if (s->screen && s->screen->copy) {
        s->screen->copy(s->screen->user, text);
    }
}

static void on_paste(void *user) {
    struct cv_serve_canvas *s = user;
    if (s->is_remote) {
        s->pastes = true; /* once the key is done with: text may change what it is looking at */
    } else if (s->screen && s->screen->paste) {
        s->screen->paste(s->screen->user);
    }
}

/* Only for a person at this machine, in front of whom it opens. The node is told in any
 * case. */
void cv_serve_open(void *user, const char *url) {
    struct cv_serve_canvas *s = user;
    if (strlen(url) > CV_SERVE_MAX_URL || !cv_address_may_open(url)) {
        cv_canvas_pill(s->canvas, CV_PILL_FAILED, "this address is not opened");
        return;
    }
    cJSON *event = cv_serve_str("open", url);
    oc_json_set_str(event, "via", s->is_remote ? "input" : NULL);
    cv_serve_tell(s, event, -1);
    if (s->is_remote) {
        cv_canvas_pill(s->canvas, CV_PILL_FAILED, "links are opened only at the machine itself");
    } else if (s->screen && s->screen->open) {
        s->screen->open(s->screen->user, url);
    }
}

struct cv_serve_canvas *cv_serve_canvas_create(int socket, const struct cv_opts *opts,
        const struct cv_serve_screen *screen, const struct cv_serve_web *web) {
    static const struct cv_events events = { .on_changed = on_changed,
        .on_action = on_action,
        .on_entered = on_entered,
        .on_wanted = on_wanted,
        .on_copy = on_copy,
        .on_paste = on_paste,
        .on_open = cv_serve_open,
        .on_play = cv_serve_play,
        .on_play_gone = cv_serve_play_gone };
    struct cv_serve_canvas *s = oc_new(struct cv_serve_canvas);
    s->socket = socket;
    s->screen = screen;
    s->web = web;
    s->width = opts->width;
    s->height = opts->height;
    s->scale = opts->scale > 0 ? opts->scale : 1;
    uint32_t
            first; /* who has seen pictures of another process does not take ours for one of them */
    oc_random(&first, sizeof(first));
    s->revision = (int64_t)first << 16;
    s->canvas = cv_canvas_create(opts, &events, s);
    return s;
}

void cv_serve_canvas_destroy(struct cv_serve_canvas *s) {
    if (s) {
        cv_canvas_destroy(s->canvas);
        cv_serve_player_finish(s);
        for (size_t i = 0; i < s->waiting_count; i++) {
            cJSON_Delete(s->waiting[i].params);
        }
        oc_free(s->action);
        oc_free(s->clipboard);
        oc_free(s->title);
        oc_free(s->prefers);
        cJSON_Delete(s->geometry);
        oc_free(s);
    }
}

struct cv_canvas *cv_serve_canvas_canvas(struct cv_serve_canvas *s) {
    return s->canvas;
}
