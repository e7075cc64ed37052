#include "canvas/serve/canvas.h"

#include "canvas/input/input_focus.h"
#include "canvas/text/address.h"
#include "lib/base/clock.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define UPDATED_MS 1100
#define FAILED_MS 4500
#define LARGE_SCENE 1000
#define KEPT_SCENES 2 /* of texts, pictures and local state */
#define MAX_KEPT 4e6  /* pixels; larger pictures are painted from scratch each time, in strips */
#define MAX_PORTS 8   /* elsewhere, that are kept */
#define MAX_ELSEWHERE 8e6 /* pixels of a picture for one of them */
#define LEAST_SCALE 0.25
#define EMPTY_CAPTION "Canvas (A2UI)"
#define LEAST_HEIGHT 64 /* of a picture, also with nothing on it */

/* What is shown at one place: the window, or a page elsewhere. */
struct port {
    struct cv_port size;
    double scroll_y; /* while another one is laid out */
    struct cv_pixels *pixels;
    char *fresh;   /* a surface that was not shown before the last push, until it has been drawn;
                      NULL: none */
    uint64_t used; /* when it was last; 0: never */
    bool is_new;   /* nothing was laid out for it yet */
};

struct cv_canvas {
    struct cv_events events;
    void *user;
    struct port own, others[MAX_PORTS], *port; /* port: the one that scene and list are for */
    uint64_t uses;
    struct cv_model *model;
    struct cv_locals *locals;
    struct cv_texts *texts;
    struct cv_images *images;
    struct cv_scene scene;
    struct cv_input input;
    struct cv_display_list *list;
    struct cv_diags push_diags, diags;
    bool is_stale;     /* scene and list are older than what they show */
    bool is_announced; /* on_changed was told and nobody has looked since */
    bool is_building;
    enum cv_pill pill;
    char *pill_text;
    int64_t pill_until_ms; /* monotonic; 0: stays */
};

static void canvas_refresh(struct cv_canvas *c);

static int64_t mono_ms(void) {
    return oc_mono_ms(&oc_clock_system);
}

/* Also makes input look at a new scene first: the items of the old one may point to what is
 * gone. */
static void canvas_changed(struct cv_canvas *c) {
    c->is_stale = true;
    c->input.changed = true;
    if (c->is_announced) {
        return;
    }
    c->is_announced = true;
    if (c->events.on_changed) {
        c->events.on_changed(c->user);
    }
}

/* While a scene is made it is not known which pictures it shows; refresh looks after it. */
static void run_images(struct cv_canvas *c) {
    if (!c->is_building && cv_images_run(c->images)) {
        canvas_changed(c);
    }
}

static void on_wanted(void *user, const char *url) {
    struct cv_canvas *c = user;
    if (c->events.on_wanted) {
        c->events.on_wanted(c->user, url);
    }
}

static struct oc_slice canvas_slice(const char *s) {
    return (struct oc_slice){ s, strlen(s) };
}

/* {"name",…} becomes {"userAction":{"id","name",…}}. */
static void on_action(void *user, struct cv_value *take_action) {
    struct cv_canvas *c = user;
    char id[OC_UUID_LEN + 1];
    oc_uuid4(id);
    struct cv_value *outer = cv_value_create(CV_V_MAP), *inner = cv_value_create(CV_V_MAP);
    cv_value_set(inner, canvas_slice("id"), cv_value_create_string(id, strlen(id)));
    for (size_t i = 0; i < cv_value_count(take_action); i++) {
        cv_value_set(
                inner, cv_value_key(take_action, i), cv_value_ref(cv_value_at(take_action, i)));
    }
    cv_value_destroy(take_action);
    cv_value_set(outer, canvas_slice("userAction"), inner);
    if (c->events.on_action) {
        c->events.on_action(c->user, outer);
    }
    cv_value_destroy(outer);
}

static void on_refused(void *user, const char *why) {
    cv_canvas_pill(user, CV_PILL_FAILED, why);
}

static void on_entered(void *user, const struct cv_surface *s, const struct oc_slice *segments,
        unsigned count, const struct cv_value *value) {
    struct cv_canvas *c = user;
    if (!c->events.on_entered) {
        return;
    }
    struct cv_value *entry = cv_value_create(CV_V_MAP), *path = cv_value_create(CV_V_ARRAY);
    for (unsigned i = 0; i < count; i++) {
        cv_value_append(path, cv_value_create_string(segments[i].ptr, segments[i].len));
    }
    cv_value_set(entry, canvas_slice("surfaceId"), cv_value_create_string(s->id, strlen(s->id)));
    cv_value_set(entry, canvas_slice("path"), path);
    cv_value_set(entry, canvas_slice("value"), cv_value_ref(value));
    c->events.on_entered(c->user, entry);
    cv_value_destroy(entry);
}

static void on_copy(void *user, const char *text) {
    struct cv_canvas *c = user;
    if (c->events.on_copy) {
        c->events.on_copy(c->user, text);
    }
}

static void on_paste(void *user) {
    struct cv_canvas *c = user;
    if (c->events.on_paste) {
        c->events.on_paste(c->user);
    }
}

static void on_open(void *user, const char *url) {
    struct cv_canvas *c = user;
    if (c->events.on_open) {
        c->events.on_open(c->user, url);
    }
}

static void on_play(void *user, const struct cv_play *what) {
    struct cv_canvas *c = user;
    if (c->events.on_play) {
        c->events.on_play(c->user, what);
    } else if (cv_address_is_web(what->url)) {
        on_open(c, what->url);
    }
}

static void on_stale(void *user) {
    (void)cv_canvas_scene(user);
}

struct cv_canvas *cv_canvas_create(
        const struct cv_opts *opts, const struct cv_events *events, void *user) {
    struct cv_canvas *c = oc_new(struct cv_canvas);
    const struct cv_theme *theme = cv_theme_find(opts->theme ? opts->theme : CV_THEME);
    if (events) {
        c->events = *events;
    }
    c->user = user;
    c->model = cv_model_create();
    c->locals = cv_locals_create();
    c->texts = cv_texts_create();
    c->images = cv_images_create(on_wanted, c);
    c->list = cv_dl_create();
    c->port = &c->own;
    c->own.pixels = cv_pixels_create();
    cv_input_init(&c->input);
    c->input.scene = &c->scene;
    c->input.user = c;
    c->input.on_action = on_action;
    c->input.on_refused = on_refused;
    c->input.on_entered = on_entered;
    c->input.on_copy = on_copy;
    c->input.on_paste = on_paste;
    c->input.on_open = on_open;
    c->input.on_play = on_play;
    c->input.on_stale = on_stale;
    c->scene = (struct cv_scene){ .theme = theme ? theme : cv_theme_find(CV_THEME),
        .model = c->model,
        .texts = c->texts,
        .images = c->images,
        .arena = cv_arena_create(),
        .caret_on = true };
    cv_resize(c, opts->width, opts->height, opts->scale);
    return c;
}

static void port_finish(struct port *p) {
    cv_pixels_destroy(p->pixels);
    oc_free(p->fresh);
    *p = (struct port){ 0 };
}

void cv_canvas_destroy(struct cv_canvas *c) {
    if (!c) {
        return;
    }
    cv_input_finish(&c->input);
    cv_scene_finish(&c->scene);
    cv_arena_destroy(c->scene.arena);
    for (size_t i = 0; i < MAX_PORTS; i++) {
        port_finish(&c->others[i]);
    }
    port_finish(&c->own);
    cv_dl_destroy(c->list);
    cv_images_destroy(c->images);
    cv_texts_destroy(c->texts);
    cv_locals_destroy(c->locals);
    cv_model_destroy(c->model);
    cv_diags_clear(&c->diags);
    cv_diags_clear(&c->push_diags);
    oc_free(c->pill_text);
    oc_free(c);
}

void cv_resize(struct cv_canvas *c, double width, double height, double scale) {
    double w = width >= 1 && width <= CV_MAX_SIDE ? width : 800;
    double h = height >= 0 && height <= CV_MAX_SIDE ? height : 0;
    double s = scale >= 0.25 && scale <= 4 ? scale : 1;
    struct cv_port *own = &c->own.size;
    if (w == own->width && h == own->height && s == own->scale) {
        return;
    }
    *own = (struct cv_port){ w, h, s };
    canvas_changed(c);
}

static bool is_port(const struct port *p, const struct cv_port *size) {
    return p->used > 0 && p->size.width == size->width && p->size.height == size->height &&
           p->size.scale == size->scale;
}

/* One that is there, or in the place of the one that nobody has used for longest. */
static struct port *port_find(struct cv_canvas *c, const struct cv_port *size) {
    struct port *oldest = &c->others[0];
    const struct port *like = NULL; /* the same page, of which a keyboard takes a part */
    for (size_t i = 0; i < MAX_PORTS; i++) {
        struct port *p = &c->others[i];
        if (is_port(p, size)) {
            return p;
        }
        bool is_like = is_port(p, &(struct cv_port){ size->width, p->size.height, size->scale });
        like = is_like && (!like || p->used > like->used) ? p : like;
        oldest = p->used < oldest->used ? p : oldest;
    }
    double scroll_y = like ? like->scroll_y : 0;
    port_finish(oldest);
    *oldest = (struct port){
        .size = *size, .scroll_y = scroll_y, .pixels = cv_pixels_create(), .is_new = true
    };
    return oldest;
}

/* Nothing changes, so nobody is told; but what is laid out is for somebody else. */
void cv_use_port(struct cv_canvas *c, const struct cv_port *size) {
    struct port *p = size ? port_find(c, size) : &c->own;
    p->used = ++c->uses;
    if (p == c->port) {
        return;
    }
    c->port->scroll_y = c->scene.scroll_y;
    c->port = p;
    c->scene.scroll_y = p->scroll_y;
    c->is_stale = c->input.changed = true;
}

enum oc_code cv_set_theme(struct cv_canvas *c, const char *name, struct oc_error *err) {
    const struct cv_theme *theme = cv_theme_find(name);
    if (!theme) {
        return oc_fail(err, OC_E_NOT_FOUND,
                "there is no theme '%s' (themes: openclaw, default, default-dark)", name);
    }
    if (theme != c->scene.theme) {
        c->scene.theme = theme;
        canvas_changed(c);
    }
    return OC_OK;
}

static void list_shown(const struct cv_canvas *c, struct oc_strv *ret) {
    for (size_t i = 0; i < cv_model_surface_count(c->model); i++) {
        const struct cv_surface *s = cv_model_surface(c->model, i);
        if (s->root) {
            oc_strv_add(ret, s->id);
        }
    }
}

static void port_note_new(struct port *p, const char *surface) {
    oc_free(p->fresh);
    p->fresh = oc_strdup(surface);
}

/* A further surface may begin where nobody looks. */
static void note_new(struct cv_canvas *c, const struct oc_strv *before) {
    OC_AUTO_STRV struct oc_strv now = { 0 };
    list_shown(c, &now);
    const char *fresh = NULL;
    for (size_t i = 0; before->count && !fresh && i < now.count; i++) {
        bool was_shown = false;
        for (size_t k = 0; k < before->count && !was_shown; k++) {
            was_shown = strcmp(before->items[k], now.items[i]) == 0;
        }
        fresh = was_shown ? NULL : now.items[i];
    }
    port_note_new(&c->own, fresh);
    for (size_t i = 0; i < MAX_PORTS; i++) {
        port_note_new(&c->others[i], fresh);
    }
}

enum oc_code cv_canvas_push(
        struct cv_canvas *c, const char *jsonl, size_t len, struct oc_error *err) {
    struct cv_push *push = NULL;
    enum oc_code rc = cv_push_parse(jsonl, len, &push, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_STRV struct oc_strv shown = { 0 };
    list_shown(c, &shown);
    cv_diags_clear(&c->push_diags);
    cv_model_apply(c->model, push, &c->push_diags);
    cv_push_destroy(push);
    cv_images_budget(c->images, CV_MAX_DECODE_MS);
    note_new(c, &shown);
    canvas_changed(c);
    return OC_OK;
}

void cv_enter(struct cv_canvas *c, const struct cv_value *entry) {
    struct oc_slice name = cv_value_string(cv_value_get(entry, "surfaceId"));
    OC_AUTO_FREE char *id = oc_strndup(name.ptr ? name.ptr : "", name.len);
    const struct cv_surface *s = cv_model_find(c->model, id);
    const struct cv_value *path = cv_value_get(entry, "path"),
                          *value = cv_value_get(entry, "value");
    struct oc_slice segments[CV_MAX_PATH];
    struct cv_context place = { .path = "", .segments = segments };
    size_t count = cv_value_count(path);
    if (!s || !value || count == 0 || count > CV_MAX_PATH) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        segments[place.count++] = cv_value_string(cv_value_at(path, i));
    }
    (void)cv_surface_write(c->model, s, &place, canvas_slice(""), cv_value_copy(value));
    canvas_changed(c);
}

void cv_reset(struct cv_canvas *c) {
    cv_model_reset(c->model);
    cv_diags_clear(&c->push_diags);
    c->scene.scroll_y = c->own.scroll_y = 0;
    for (size_t i = 0; i < MAX_PORTS; i++) {
        c->others[i].scroll_y = 0;
    }
    canvas_changed(c);
    canvas_refresh(c); /* what was shown takes no room beside what comes next */
}

void cv_bring(
        struct cv_canvas *c, const char *url, const void *bytes, size_t len, const char *error) {
    cv_images_bring(c->images, url, bytes, len, error);
    run_images(c);
}

void cv_set_playing(struct cv_canvas *c, const struct cv_playing *playing) {
    if (playing || c->scene.playing) {
        canvas_changed(c);
    }
    c->scene.playing = playing;
}

bool cv_is_loading(const struct cv_canvas *c) {
    return cv_images_are_loading(c->images);
}

bool cv_is_decoding(const struct cv_canvas *c) {
    return cv_images_are_decoding(c->images);
}

int cv_fd(const struct cv_canvas *c) {
    return cv_images_fd(c->images);
}

const struct cv_locals *cv_canvas_locals(const struct cv_canvas *c) {
    return c->locals;
}

struct cv_model *cv_canvas_model(struct cv_canvas *c) {
    return c->model;
}

static struct cv_text *canvas_label(
        struct cv_canvas *c, const char *text, double px, cv_color color) {
    struct cv_text_style style = { .family = c->scene.theme->family,
        .size_px = px,
        .line_px = px + 5,
        .weight = 400,
        .color = color,
        .no_wrap = true,
        .ellipsis = true };
    return cv_text_get(c->texts, canvas_slice(text), &style);
}

static void paint_empty(struct cv_canvas *c) {
    struct cv_text *t = canvas_label(c, EMPTY_CAPTION, 14, c->scene.theme->muted);
    double room = c->port->size.width, w = fmin(cv_text_max_width(t), room);
    cv_dl_text(c->list, (room - w) / 2, 18, w, t);
}

static void paint_pill(struct cv_canvas *c, double view_h) {
    static const char *const words[] = { "", "Sending", "Working", "Updated", "Failed" };
    static const cv_color lights[] = { 0, 0x38bdf8ff, 0xfbbf24ff, 0x22c55eff, 0xf87171ff };
    const struct cv_theme *th = c->scene.theme;
    bool has_name = c->pill_text && *c->pill_text;
    char text[240];
    snprintf(text, sizeof(text), "%s%s%.200s", words[c->pill], has_name ? ": " : "",
            has_name ? c->pill_text : "");
    struct cv_text *t = canvas_label(c, text, 13, 0xf3f4f6ff);
    double room = c->port->size.width;
    double w = fmin(cv_text_max_width(t), fmax(room - 80, 40)), h = cv_text_height(t, w);
    struct cv_rect box = { room - w - 12 - 36, view_h - h - 12 - 16, w + 36, h + 16 };
    cv_dl_box(c->list, box, 12, th->pill_back, th->pill_border, 1);
    cv_dl_box(c->list, (struct cv_rect){ box.x + 10, box.y + box.h / 2 - 4, 8, 8 }, 4,
            lights[c->pill], 0, 0);
    cv_dl_text(c->list, box.x + 26, box.y + 8, w, t);
}

static double view_height(const struct cv_canvas *c) {
    return c->port->size.height > 0 ? c->port->size.height : c->scene.height;
}

static void copy_diags(struct cv_diags *to, const struct cv_diags *from) {
    cv_diags_clear(to);
    for (size_t i = 0; i < from->count; i++) {
        const struct cv_diag *d = &from->items[i];
        cv_diags_add(to, d->level, d->line, d->surface, d->component, d->code, "%s", d->message);
    }
    to->dropped = from->dropped;
}

/* To a surface that has just come, as far as it takes to see it; not under the hands of who is
 * typing. */
static void go_to_fresh(struct cv_canvas *c) {
    struct cv_scene *s = &c->scene;
    OC_AUTO_FREE char *fresh = oc_take(&c->port->fresh);
    const struct cv_item *focus = cv_input_focused(s, c->input.focus), *first = NULL;
    bool is_typing = focus && focus->widget->input && focus->widget->input->is_text;
    for (unsigned i = 0; fresh && !first && i < s->count; i++) {
        first = strcmp(s->items[i].surface->id, fresh) == 0 ? &s->items[i] : NULL;
    }
    if (!first || is_typing || s->view_height <= 0) {
        return;
    }
    double pad = s->theme->page_pad, below = first->y + first->h + pad - s->view_height;
    double by = fmin(below, first->y - pad);
    if (by > 0) {
        s->scroll_y += by;
        cv_scene_layout(s);
    }
}

/* Who types sees what, also when there is less room than before. */
static void go_to_focus(struct cv_canvas *c) {
    struct cv_item *focus = cv_input_focused(&c->scene, c->input.focus);
    bool is_new = c->port->is_new;
    c->port->is_new = false;
    if (is_new && focus) {
        cv_input_reveal(&c->input, focus);
        c->input.changed = false;
        cv_scene_layout(&c->scene);
    }
}

static void canvas_build(struct cv_canvas *c) {
    struct cv_scene *s = &c->scene;
    c->is_building = true;
    c->is_stale = c->input.changed = false;
    copy_diags(&c->diags, &c->push_diags);
    cv_arena_clear(s->arena);
    cv_texts_age(c->texts);
    cv_images_age(c->images);
    s->serial++;
    s->width = c->port->size.width;
    s->view_height = c->port->size.height;
    s->diags = &c->diags;
    s->focus = c->input.focus;
    s->hover = c->input.hover;
    s->pressed = c->input.pressed;
    s->focus_visible = c->input.focus_visible;
    s->now_ms = oc_wall_ms(&oc_clock_system);
    cv_scene_build(s, c->locals);
    cv_scene_layout(s);
    go_to_fresh(c);
    go_to_focus(c);
    if (c->port->size.height <= 0) {
        s->height = fmax(s->height, LEAST_HEIGHT);
    }
    cv_dl_clear(c->list);
    cv_scene_paint(s, c->list);
    if (!s->count) {
        paint_empty(c);
    }
    if (c->pill != CV_PILL_NONE) {
        paint_pill(c, view_height(c));
    }
    c->is_building = false;
    if (s->playing && c->events.on_play_gone && !cv_playing_is_there(s)) {
        c->events.on_play_gone(c->user);
    }
}

static void canvas_refresh(struct cv_canvas *c) {
    if (c->is_building || !(c->is_stale || c->input.changed)) {
        return;
    }
    unsigned before = c->scene.count;
    canvas_build(c);
    if (cv_images_begin(c->images)) {
        canvas_build(c);
    }
    if (before < LARGE_SCENE || c->scene.count > before / 2) {
        return;
    }
    for (int i = 0; i < KEPT_SCENES; i++) { /* after so many, nothing of a large page is left */
        canvas_build(c);
    }
    malloc_trim(0);
}

struct cv_scene *cv_canvas_scene(struct cv_canvas *c) {
    canvas_refresh(c);
    return &c->scene;
}

const struct cv_display_list *cv_list(struct cv_canvas *c) {
    canvas_refresh(c);
    return c->list;
}

struct cv_input *cv_canvas_input(struct cv_canvas *c) {
    return &c->input;
}

void cv_after_input(struct cv_canvas *c) {
    if (c->input.changed) {
        canvas_changed(c);
    }
}

void cv_blink(struct cv_canvas *c) {
    c->scene.caret_on = !c->scene.caret_on;
    canvas_changed(c);
}

void cv_seen(struct cv_canvas *c) {
    canvas_refresh(c);
    c->is_announced = false;
}

/* A picture for elsewhere that would be huge is coarser. */
static double paint_scale(const struct cv_canvas *c) {
    const struct cv_port *p = &c->port->size;
    double page = p->width * view_height(c);
    bool is_huge = c->port != &c->own && page * p->scale * p->scale > MAX_ELSEWHERE;
    return is_huge ? fmax(sqrt(MAX_ELSEWHERE / page), LEAST_SCALE) : p->scale;
}

void cv_canvas_size(struct cv_canvas *c, double *ret_width, double *ret_height) {
    canvas_refresh(c);
    *ret_width = c->port->size.width;
    *ret_height = view_height(c);
}

static enum oc_code canvas_paint(struct cv_canvas *c, struct oc_error *err) {
    return cv_pixels_paint(c->port->pixels, c->list, c->port->size.width, view_height(c),
            paint_scale(c), c->scene.theme->page, err);
}

struct _cairo_surface *cv_canvas_paint(struct cv_canvas *c) {
    cv_seen(c);
    return canvas_paint(c, NULL) == OC_OK ? cv_pixels_surface(c->port->pixels) : NULL;
}

enum oc_code cv_canvas_picture(struct cv_canvas *c, enum cv_picture_format format,
        unsigned max_width, double quality, struct oc_buf *out, struct oc_error *err) {
    canvas_refresh(c);
    double w = c->port->size.width, h = view_height(c), scale = paint_scale(c);
    struct cv_pixels *pixels = c->port->pixels;
    if (format == CV_PICTURE_PNG && !max_width && w * h * scale * scale > MAX_KEPT) {
        return cv_pixels_stream(pixels, c->list, w, h, scale, c->scene.theme->page, out, err);
    }
    enum oc_code rc = canvas_paint(c, err);
    return rc == OC_OK ? cv_pixels_encode(pixels, format, max_width, quality, out, err) : rc;
}

size_t cv_painted(const struct cv_canvas *c) {
    return cv_pixels_painted(c->port->pixels);
}

const struct cv_diags *cv_canvas_diags(const struct cv_canvas *c) {
    return &c->diags;
}

void cv_canvas_pill(struct cv_canvas *c, enum cv_pill pill, const char *text) {
    bool is_same =
            pill == c->pill && strcmp(text ? text : "", c->pill_text ? c->pill_text : "") == 0;
    c->pill_until_ms = pill == CV_PILL_UPDATED  ? mono_ms() + UPDATED_MS
                       : pill == CV_PILL_FAILED ? mono_ms() + FAILED_MS
                                                : 0;
    if (is_same) {
        return;
    }
    c->pill = pill;
    oc_free(c->pill_text);
    c->pill_text = oc_strdup(text);
    canvas_changed(c);
}

int cv_wait_ms(const struct cv_canvas *c) {
    if (!c->pill_until_ms) {
        return -1;
    }
    int64_t left = c->pill_until_ms - mono_ms();
    return left > 0 ? (int)left : 0;
}

void cv_tick(struct cv_canvas *c) {
    if (c->pill_until_ms && mono_ms() >= c->pill_until_ms) {
        cv_canvas_pill(c, CV_PILL_NONE, NULL);
    }
    run_images(c);
}
