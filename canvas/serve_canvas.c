#include "canvas/serve_canvas.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/packet.h"
#include "canvas/eval.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define LOADING_MS 4000 /* that a snapshot waits for pictures that are on their way */
#define MAX_WAITING 16  /* snapshots */
#define MAX_URL 8192    /* of a picture */
#define MAX_ACTION ((size_t)96 * 1024)

struct waiting {
    int64_t id, until_ms;
    cJSON *params;
};

struct oc_serve_canvas {
    int socket;
    bool is_gone;
    struct oc_canvas *canvas;
    const struct oc_serve_screen *screen;
    const struct oc_serve_web *web;
    bool shows_web;
    double width, height, scale;
    int64_t revision;  /* of what is to be seen */
    bool tells_change; /* somebody looked and wants to know when to look again */
    char *action;      /* name of the last one, for the pill; NULL: answered by a push */
    struct waiting waiting[MAX_WAITING];
    size_t waiting_count;
};

/* One request; fd is its bytes, or -1. */
struct request {
    int64_t id;
    const char *what;
    const cJSON *params;
    int fd;
};

static int64_t now_ms(void) {
    return oc_mono_ms(&oc_clock_system);
}

/* Answers must not get lost because the node is slow. */
static void send_packet(struct oc_serve_canvas *s, cJSON *take_message, int fd) {
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

void oc_serve_canvas_answer(
        struct oc_serve_canvas *s, int64_t id, cJSON *take_result, int take_fd) {
    OC_AUTO_FD int fd = take_fd;
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "id", id);
    oc_json_set_bool(o, "ok", true);
    oc_json_set(o, "result", take_result ? take_result : cJSON_CreateObject());
    send_packet(s, o, fd);
}

void oc_serve_canvas_fail(
        struct oc_serve_canvas *s, int64_t id, const char *code, const char *message) {
    OC_AUTO_FREE char *text = oc_strfmt("%s: %s", code, message);
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "id", id);
    oc_json_set_bool(o, "ok", false);
    oc_json_set_str(o, "code", code);
    oc_json_set_str(o, "message", text);
    send_packet(s, o, -1);
}

static void tell(struct oc_serve_canvas *s, cJSON *take_event, int fd) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "event", take_event);
    send_packet(s, o, fd);
}

void oc_serve_canvas_tell(struct oc_serve_canvas *s, cJSON *take_event) {
    tell(s, take_event, -1);
}

static cJSON *event_str(const char *key, const char *value) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, key, value);
    return o;
}

static cJSON *event_true(const char *key) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, key, true);
    return o;
}

static cJSON *surfaces(struct oc_serve_canvas *s) {
    const struct oc_model *m = oc_canvas_model(s->canvas);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < oc_model_surface_count(m); i++) {
        cJSON_AddItemToArray(list, cJSON_CreateString(oc_model_surface(m, i)->id));
    }
    return list;
}

static void show(struct oc_serve_canvas *s, const struct oc_placement *placement) {
    static const struct oc_placement as_it_is = { NAN, NAN, NAN, NAN };
    if (s->screen && s->screen->show) {
        s->screen->show(s->screen->user, placement ? placement : &as_it_is);
    }
}

static void show_surfaces(struct oc_serve_canvas *s) {
    if (s->shows_web) {
        s->shows_web = false;
        s->web->leave(s->web->user);
    }
}

static void fail_with(struct oc_serve_canvas *s, const struct request *r, const char *code,
        const struct oc_error *err) {
    oc_serve_canvas_fail(s, r->id, code, err->text);
}

static enum oc_code apply(
        struct oc_serve_canvas *s, const char *jsonl, size_t len, struct oc_error *err) {
    enum oc_code rc = oc_canvas_push(s->canvas, jsonl, len, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_FREE char *action = oc_take(&s->action);
    if (action) {
        oc_canvas_pill(s->canvas, OC_PILL_UPDATED, action);
    }
    show_surfaces(s);
    (void)oc_canvas_list(s->canvas); /* pictures are asked for now, not when somebody looks */
    show(s, NULL);
    return OC_OK;
}

static enum oc_code check_array(const struct oc_value *messages, struct oc_error *err) {
    struct oc_push *push = NULL;
    enum oc_code rc = oc_push_parse_array(messages, &push, err);
    oc_push_destroy(push);
    return rc;
}

/* The lines were an array once; whoever sent it counts from messages[0]. */
static enum oc_code check_lines(const struct oc_buf *text, struct oc_error *err) {
    struct oc_value *messages = oc_value_create(OC_V_ARRAY), *one = NULL;
    enum oc_code rc = OC_OK;
    for (size_t from = 0; rc == OC_OK && from < text->len;) {
        const char *lf = memchr(text->data + from, '\n', text->len - from);
        size_t len = (lf ? (size_t)(lf - text->data) : text->len) - from;
        rc = oc_value_parse(text->data + from, len, &one, err);
        if (rc == OC_OK) {
            oc_value_append(messages, one);
        }
        from += len + 1;
    }
    rc = rc == OC_OK ? check_array(messages, err) : rc;
    oc_value_destroy(messages);
    return rc;
}

static void do_push(struct oc_serve_canvas *s, const struct request *r) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err;
    enum oc_code rc = oc_sealed_read(r->fd, OC_CANVAS_MAX_PUSH, &text, &err);
    if (rc == OC_OK && oc_json_get_bool(r->params, "array", false)) {
        rc = check_lines(&text, &err);
    }
    rc = rc == OC_OK ? apply(s, text.data, text.len, &err) : rc;
    if (rc != OC_OK) {
        fail_with(s, r, "INVALID_REQUEST", &err);
        return;
    }
    cJSON *result = cJSON_CreateObject();
    oc_json_set(result, "surfaces", surfaces(s));
    oc_serve_canvas_answer(s, r->id, result, -1);
}

static void reset(struct oc_serve_canvas *s) {
    oc_free(oc_take(&s->action));
    oc_canvas_pill(s->canvas, OC_PILL_NONE, NULL);
    oc_canvas_reset(s->canvas);
    show_surfaces(s);
}

static void do_reset(struct oc_serve_canvas *s, const struct request *r) {
    reset(s);
    oc_serve_canvas_answer(s, r->id, NULL, -1);
}

static double number(const cJSON *o, const char *key, double def) {
    const cJSON *v = oc_json_get(o, key);
    return cJSON_IsNumber(v) && isfinite(v->valuedouble) ? v->valuedouble : def;
}

static double side(const cJSON *o, const char *key) {
    double v = number(o, key, NAN);
    return v >= 1 ? fmin(v, OC_CANVAS_MAX_SIDE / 4.0) : NAN;
}

static void place(struct oc_serve_canvas *s, const cJSON *o) {
    struct oc_placement p = { number(o, "x", NAN), number(o, "y", NAN), side(o, "width"),
        side(o, "height") };
    if (s->screen) { /* the window says what became of it */
        show(s, &p);
        return;
    }
    s->width = isnan(p.width) ? s->width : p.width;
    s->height = isnan(p.height) ? s->height : p.height;
    oc_canvas_resize(s->canvas, s->width, s->height, s->scale);
}

/* The page of the reference that draws A2UI: here it is the canvas itself. */
static bool is_own_page(const char *url) {
    return oc_str_blank(url) || strcmp(url, "/") == 0 || strcmp(url, OC_CANVAS_HREF) == 0 ||
           strstr(url, "/__openclaw__/a2ui/") != NULL;
}

static void ask_web(struct oc_serve_canvas *s, const struct request *r, const char *what) {
    if (!s->web) {
        oc_serve_canvas_fail(s, r->id, "CANVAS_UNAVAILABLE",
                "no web engine: the package openclaw-web is not installed; A2UI surfaces work "
                "without it");
        return;
    }
    s->shows_web = true;
    s->web->ask(s->web->user, r->id, what, r->params);
}

static void do_present(struct oc_serve_canvas *s, const struct request *r) {
    const char *url = oc_json_get_str(r->params, "url");
    if (is_own_page(url) || s->web) {
        place(s, oc_json_get(r->params, "placement"));
    }
    if (!is_own_page(url)) {
        ask_web(s, r, "navigate");
        return;
    }
    if (url && !oc_str_blank(url)) {
        show_surfaces(s); /* none: shown again as it was */
    }
    oc_serve_canvas_answer(s, r->id, NULL, -1);
}

static void do_hide(struct oc_serve_canvas *s, const struct request *r) {
    if (s->screen && s->screen->hide) {
        s->screen->hide(s->screen->user);
    }
    oc_serve_canvas_answer(s, r->id, NULL, -1);
}

static void do_navigate(struct oc_serve_canvas *s, const struct request *r) {
    if (!is_own_page(oc_json_get_str(r->params, "url"))) {
        ask_web(s, r, "navigate");
        return;
    }
    show_surfaces(s);
    oc_serve_canvas_answer(s, r->id, NULL, -1);
}

static char *answer_text(struct oc_serve_canvas *s, bool with_ok) {
    OC_AUTO_JSON cJSON *list = surfaces(s);
    if (!with_ok) {
        return oc_json_print(list, false);
    }
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "ok", true);
    oc_json_set(o, "surfaces", oc_take(&list));
    return oc_json_print(o, false);
}

static enum oc_code eval_apply(
        struct oc_serve_canvas *s, struct oc_slice array, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf jsonl = { 0 };
    enum oc_code rc = oc_eval_to_jsonl(array, &jsonl, err);
    rc = rc == OC_OK ? apply(s, jsonl.data ? jsonl.data : "", jsonl.len, err) : rc;
    if (rc == OC_OK) {
        OC_AUTO_FD int fd = oc_sealed_create(jsonl.data, jsonl.len);
        tell(s, event_true("pushed"), fd);
    }
    return rc;
}

static void eval(struct oc_serve_canvas *s, const struct request *r, struct oc_slice script) {
    struct oc_eval e = oc_eval_read(script.ptr, script.len);
    OC_AUTO_FREE char *text = NULL;
    struct oc_error err;
    switch (e.what) {
    case OC_EVAL_UNSUPPORTED:
        oc_serve_canvas_fail(s, r->id, "CANVAS_EVAL_UNSUPPORTED",
                "A2UI surfaces are drawn natively, without JavaScript; here work "
                "openclawA2UI.getSurfaces(), .reset(), .applyMessages([…]), document.title and "
                "location.href");
        return;
    case OC_EVAL_TEXT:
        text = oc_strdup(e.text);
        break;
    case OC_EVAL_GET_SURFACES:
        text = answer_text(s, false);
        break;
    case OC_EVAL_RESET:
        reset(s);
        tell(s, event_true("reset"), -1);
        text = oc_strdup("{\"ok\":true}");
        break;
    case OC_EVAL_APPLY_MESSAGES:
        if (eval_apply(s, e.argument, &err) != OC_OK) {
            fail_with(s, r, "INVALID_REQUEST", &err);
            return;
        }
        text = answer_text(s, true);
        break;
    }
    oc_serve_canvas_answer(s, r->id, event_str("result", text), -1);
}

static void do_eval(struct oc_serve_canvas *s, const struct request *r) {
    const char *script = oc_json_get_str(r->params, "javaScript");
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err;
    if (s->shows_web) {
        s->web->ask(s->web->user, r->id, "eval", r->params);
    } else if (script) {
        eval(s, r, (struct oc_slice){ script, strlen(script) });
    } else if (oc_sealed_read(r->fd, OC_CANVAS_MAX_PUSH, &text, &err) == OC_OK) {
        eval(s, r, (struct oc_slice){ text.data, text.len });
    } else {
        oc_serve_canvas_fail(s, r->id, "INVALID_REQUEST", "javaScript required");
    }
}

/* PNG and JPEG say their size near the start; the encoder knows what became of maxWidth, we look. */
static void picture_size(const struct oc_buf *b, cJSON *result) {
    const unsigned char *p = (const unsigned char *)b->data;
    unsigned width = 0, height = 0;
    if (b->len > 24 && memcmp(p, "\x89PNG", 4) == 0) {
        width = (unsigned)p[16] << 24 | (unsigned)p[17] << 16 | (unsigned)p[18] << 8 | p[19];
        height = (unsigned)p[20] << 24 | (unsigned)p[21] << 16 | (unsigned)p[22] << 8 | p[23];
    }
    for (size_t i = 2; width == 0 && i + 9 < b->len && p[i] == 0xff;) {
        if (p[i + 1] >= 0xc0 && p[i + 1] <= 0xc2) {
            height = (unsigned)p[i + 5] << 8 | p[i + 6];
            width = (unsigned)p[i + 7] << 8 | p[i + 8];
        }
        i += 2 + ((size_t)p[i + 2] << 8 | p[i + 3]);
    }
    if (width > 0) {
        oc_json_set_int(result, "width", width);
        oc_json_set_int(result, "height", height);
    }
}

static void snapshot(struct oc_serve_canvas *s, int64_t id, const cJSON *params) {
    const char *format = oc_json_get_str(params, "format");
    bool is_png = oc_streq(format, "png");
    size_t max = (size_t)oc_json_get_int(params, "maxBytes", 0);
    OC_AUTO_BUF struct oc_buf picture = OC_BUF_INIT((size_t)256 * 1024 * 1024);
    struct oc_error err;
    enum oc_code rc = oc_canvas_picture(s->canvas, is_png ? OC_PICTURE_PNG : OC_PICTURE_JPEG,
            (unsigned)oc_json_get_int(params, "maxWidth", 0), number(params, "quality", 0.9),
            &picture, &err);
    if (rc == OC_OK && max > 0 && picture.len > max) {
        rc = oc_fail(&err, OC_E_TOO_LARGE,
                "the picture has %zu bytes, and %zu fit into an answer; ask for a smaller maxWidth "
                "or for jpeg",
                picture.len, max);
    }
    int fd = rc == OC_OK ? oc_sealed_create(picture.data, picture.len) : -1;
    if (rc == OC_OK && fd < 0) {
        rc = oc_fail(&err, OC_E_IO, "no memory for the picture");
    }
    if (rc != OC_OK) {
        oc_serve_canvas_fail(s, id, "CANVAS_UNAVAILABLE", err.text);
        return;
    }
    cJSON *result = event_str("format", is_png ? "png" : "jpeg");
    picture_size(&picture, result);
    oc_serve_canvas_answer(s, id, result, fd);
}

static void do_snapshot(struct oc_serve_canvas *s, const struct request *r) {
    if (s->shows_web) {
        s->web->ask(s->web->user, r->id, "snapshot", r->params);
        return;
    }
    (void)oc_canvas_list(s->canvas); /* asks for the pictures that it needs */
    if (oc_canvas_is_loading(s->canvas) && s->waiting_count < MAX_WAITING) {
        s->waiting[s->waiting_count++] =
                (struct waiting){ r->id, now_ms() + LOADING_MS, cJSON_Duplicate(r->params, true) };
        return;
    }
    snapshot(s, r->id, r->params);
}

static void take_waiting(struct oc_serve_canvas *s, bool all) {
    int64_t now = now_ms();
    struct waiting due[MAX_WAITING];
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < s->waiting_count; i++) {
        if (all || s->waiting[i].until_ms <= now) {
            due[count++] = s->waiting[i];
        } else {
            s->waiting[kept++] = s->waiting[i];
        }
    }
    s->waiting_count = kept;
    for (size_t i = 0; i < count; i++) {
        snapshot(s, due[i].id, due[i].params);
        cJSON_Delete(due[i].params);
    }
}

static void do_view(struct oc_serve_canvas *s, const struct request *r) {
    struct oc_rect damage[1];
    OC_AUTO_BUF struct oc_buf picture = OC_BUF_INIT((size_t)256 * 1024 * 1024);
    struct oc_error err;
    bool changed = oc_json_get_int(r->params, "since", -1) != s->revision;
    if (changed && oc_canvas_picture(s->canvas, OC_PICTURE_PNG, 0, 0, &picture, &err) != OC_OK) {
        fail_with(s, r, "CANVAS_UNAVAILABLE", &err);
        return;
    }
    (void)oc_canvas_frame(s->canvas, damage, 1); /* from now on a change is told again */
    s->tells_change = true;
    cJSON *result = cJSON_CreateObject();
    oc_json_set_int(result, "rev", s->revision);
    cJSON_AddNumberToObject(result, "width", s->width);
    cJSON_AddNumberToObject(result, "height", s->height);
    oc_json_set_bool(result, "changed", changed);
    oc_serve_canvas_answer(
            s, r->id, result, changed ? oc_sealed_create(picture.data, picture.len) : -1);
}

static const char *const key_names[] = { "", "Tab", "Enter", "Space", "Escape", "Left", "Right",
    "Up", "Down", "Home", "End", "PageUp", "PageDown", "Backspace", "Delete", "a", "c", "v", "x" };
static const char *const pointer_names[] = { "move", "press", "release", "leave" };

static int name_index(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; name && i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* What a person does elsewhere: {"pointer":"press","x","y"}, {"scroll":true,"x","y","dx","dy"}, {"key":"Tab"}, {"text":"é"}. */
static void do_input(struct oc_serve_canvas *s, const struct request *r) {
    (void)oc_canvas_scene(s->canvas);
    struct oc_input *in = oc_canvas_input(s->canvas);
    unsigned mods = (unsigned)oc_json_get_int(r->params, "mods", 0);
    double x = number(r->params, "x", 0), y = number(r->params, "y", 0);
    const char *text = oc_json_get_str(r->params, "text");
    int pointer = name_index(
            pointer_names, OC_COUNT(pointer_names), oc_json_get_str(r->params, "pointer"));
    int key = name_index(key_names, OC_COUNT(key_names), oc_json_get_str(r->params, "key"));
    bool taken = false;
    if (pointer >= 0) {
        taken = oc_input_pointer(in, (enum oc_pointer)pointer, x, y, mods);
    } else if (key > 0) {
        taken = oc_input_key(in, (enum oc_key)key, mods);
    } else if (text) {
        taken = oc_input_text(in, text);
    } else if (oc_json_get_bool(r->params, "scroll", false)) {
        taken = oc_input_scroll(in, x, y, number(r->params, "dx", 0), number(r->params, "dy", 0));
    }
    oc_canvas_after_input(s->canvas);
    cJSON *result = cJSON_CreateObject();
    oc_json_set_bool(result, "taken", taken);
    oc_serve_canvas_answer(s, r->id, result, -1);
}

static void do_action_status(struct oc_serve_canvas *s, const struct request *r) {
    const char *error = oc_json_get_str(r->params, "error");
    if (!oc_json_get_bool(r->params, "ok", false)) {
        oc_free(oc_take(&s->action));
        oc_canvas_pill(s->canvas, OC_PILL_FAILED, error ? error : "send failed");
    } else if (s->action) {
        oc_canvas_pill(s->canvas, OC_PILL_WORKING, s->action);
    }
    oc_serve_canvas_answer(s, r->id, NULL, -1);
}

static void do_bring(struct oc_serve_canvas *s, const struct request *r) {
    const char *url = oc_json_get_str(r->params, "url"),
               *error = oc_json_get_str(r->params, "error");
    OC_AUTO_BUF struct oc_buf bytes = { 0 };
    struct oc_error err;
    if (!error && oc_sealed_read(r->fd, OC_CANVAS_MAX_IMAGE_BYTES, &bytes, &err) != OC_OK) {
        error = err.text;
    }
    if (url) {
        oc_canvas_bring(s->canvas, url, bytes.data, bytes.len, error);
        (void)oc_canvas_list(s->canvas);
    }
    oc_serve_canvas_answer(s, r->id, NULL, -1);
    if (!oc_canvas_is_loading(s->canvas)) {
        take_waiting(s, true);
    }
}

static const struct {
    const char *what;
    void (*run)(struct oc_serve_canvas *s, const struct request *r);
} requests[] = {
    { "action-status", do_action_status },
    { "bring", do_bring },
    { "eval", do_eval },
    { "hide", do_hide },
    { "input", do_input },
    { "navigate", do_navigate },
    { "present", do_present },
    { "push", do_push },
    { "reset", do_reset },
    { "snapshot", do_snapshot },
    { "view", do_view },
};

static void take(struct oc_serve_canvas *s, struct oc_slice text, int fd) {
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
    struct request r = { .id = oc_json_get_int(o, "id", 0),
        .what = what ? what : "",
        .params = cJSON_IsObject(params) ? params : none,
        .fd = fd };
    for (size_t i = 0; i < OC_COUNT(requests); i++) {
        if (strcmp(requests[i].what, r.what) == 0) {
            requests[i].run(s, &r);
            return;
        }
    }
    oc_serve_canvas_fail(s, r.id, "INVALID_REQUEST", "the canvas does not know this request");
}

bool oc_serve_canvas_read(struct oc_serve_canvas *s) {
    while (!s->is_gone) {
        OC_AUTO_FD int fd = -1;
        struct oc_slice text;
        enum oc_packet got = oc_packet_recv(s->socket, false, &text, &fd);
        if (got == OC_PACKET_NONE) {
            return true;
        }
        s->is_gone = got != OC_PACKET_GOT;
        if (got == OC_PACKET_GOT) {
            take(s, text, fd);
        }
    }
    return false;
}

int oc_serve_canvas_wait_ms(const struct oc_serve_canvas *s) {
    int64_t first = oc_canvas_wait_ms(s->canvas), now = now_ms();
    for (size_t i = 0; i < s->waiting_count; i++) {
        int64_t left = s->waiting[i].until_ms > now ? s->waiting[i].until_ms - now : 0;
        first = first < 0 || left < first ? left : first;
    }
    return (int)first;
}

void oc_serve_canvas_tick(struct oc_serve_canvas *s) {
    oc_canvas_tick(s->canvas);
    take_waiting(s, false);
}

static void on_changed(void *user) {
    struct oc_serve_canvas *s = user;
    s->revision++;
    if (s->tells_change) {
        s->tells_change = false;
        cJSON *event = cJSON_CreateObject();
        oc_json_set_int(event, "changed", s->revision);
        tell(s, event, -1);
    }
    if (s->screen && s->screen->changed) {
        s->screen->changed(s->screen->user);
    }
}

static void on_action(void *user, const struct oc_value *action) {
    struct oc_serve_canvas *s = user;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_ACTION);
    OC_AUTO_JSON cJSON *parsed = NULL;
    struct oc_error err;
    if (oc_value_print(&text, action) != OC_OK) {
        oc_canvas_pill(s->canvas, OC_PILL_FAILED, "too much data for one message");
        return;
    }
    if (oc_json_parse(text.data, text.len, &parsed, &err) != OC_OK) {
        oc_canvas_pill(s->canvas, OC_PILL_FAILED, err.text);
        return;
    }
    const char *name = oc_json_get_str(oc_json_get(parsed, "userAction"), "name");
    oc_free(s->action);
    s->action = oc_strdup(name ? name : "");
    oc_canvas_pill(s->canvas, OC_PILL_SENDING, s->action);
    cJSON *event = cJSON_CreateObject();
    oc_json_set(event, "action", oc_take(&parsed));
    tell(s, event, -1);
}

static void on_wanted(void *user, const char *url) {
    struct oc_serve_canvas *s = user;
    if (strlen(url) > MAX_URL) {
        oc_canvas_bring(s->canvas, url, NULL, 0, "the address is too long");
        return;
    }
    tell(s, event_str("wanted", url), -1);
}

static void on_copy(void *user, const char *text) {
    struct oc_serve_canvas *s = user;
    if (s->screen && s->screen->copy) {
        s->screen->copy(s->screen->user, text);
    }
}

static void on_paste(void *user) {
    struct oc_serve_canvas *s = user;
    if (s->screen && s->screen->paste) {
        s->screen->paste(s->screen->user);
    }
}

static void on_open(void *user, const char *url) {
    tell(user, event_str("open", url), -1);
}

struct oc_serve_canvas *oc_serve_canvas_create(int socket, const struct oc_canvas_opts *opts,
        const struct oc_serve_screen *screen, const struct oc_serve_web *web) {
    static const struct oc_canvas_events events = { .on_changed = on_changed,
        .on_action = on_action,
        .on_wanted = on_wanted,
        .on_copy = on_copy,
        .on_paste = on_paste,
        .on_open = on_open };
    struct oc_serve_canvas *s = oc_new(struct oc_serve_canvas);
    s->socket = socket;
    s->screen = screen;
    s->web = web;
    s->width = opts->width;
    s->height = opts->height;
    s->scale = opts->scale > 0 ? opts->scale : 1;
    s->canvas = oc_canvas_create(opts, &events, s);
    return s;
}

void oc_serve_canvas_destroy(struct oc_serve_canvas *s) {
    if (s) {
        oc_canvas_destroy(s->canvas);
        for (size_t i = 0; i < s->waiting_count; i++) {
            cJSON_Delete(s->waiting[i].params);
        }
        oc_free(s->action);
        oc_free(s);
    }
}

struct oc_canvas *oc_serve_canvas_canvas(struct oc_serve_canvas *s) {
    return s->canvas;
}

bool oc_serve_canvas_shows_web(const struct oc_serve_canvas *s) {
    return s->shows_web;
}
