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
#define EMPTY_CAPTION "Canvas (A2UI)"
#define LEAST_HEIGHT 64 /* of a picture, also with nothing on it */

struct oc_canvas {
    struct oc_canvas_events events;
    void *user;
    double width, height, scale;
    struct oc_model *model;
    struct oc_locals *locals;
    struct oc_texts *texts;
    struct oc_images *images;
    struct oc_scene scene;
    struct oc_input input;
    struct oc_display_list *list;
    struct oc_pixels *pixels;
    struct oc_diags push_diags, diags;
    bool is_stale; /* scene and list are older than what they show */
    char *fresh; /* a surface that was not shown before the last push, until it has been drawn; NULL: none */
    bool is_announced; /* on_changed was told and nobody has looked since */
    bool is_building;
    enum oc_pill pill;
    char *pill_text;
    int64_t pill_until_ms; /* monotonic; 0: stays */
};

static void refresh(struct oc_canvas *c);

static int64_t mono_ms(void) {
    return oc_mono_ms(&oc_clock_system);
}

/* Also makes input look at a new scene first: the items of the old one may point to what is gone. */
static void changed(struct oc_canvas *c) {
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
static void run_images(struct oc_canvas *c) {
    if (!c->is_building && oc_images_run(c->images)) {
        changed(c);
    }
}

static void on_wanted(void *user, const char *url) {
    struct oc_canvas *c = user;
    if (c->events.on_wanted) {
        c->events.on_wanted(c->user, url);
    }
}

static struct oc_slice slice(const char *s) {
    return (struct oc_slice){ s, strlen(s) };
}

/* {"name",…} becomes {"userAction":{"id","name",…}}. */
static void on_action(void *user, struct oc_value *take_action) {
    struct oc_canvas *c = user;
    char id[OC_UUID_LEN + 1];
    oc_uuid4(id);
    struct oc_value *outer = oc_value_create(OC_V_MAP), *inner = oc_value_create(OC_V_MAP);
    oc_value_set(inner, slice("id"), oc_value_create_string(id, strlen(id)));
    for (size_t i = 0; i < oc_value_count(take_action); i++) {
        oc_value_set(
                inner, oc_value_key(take_action, i), oc_value_ref(oc_value_at(take_action, i)));
    }
    oc_value_destroy(take_action);
    oc_value_set(outer, slice("userAction"), inner);
    if (c->events.on_action) {
        c->events.on_action(c->user, outer);
    }
    oc_value_destroy(outer);
}

static void on_refused(void *user, const char *why) {
    oc_canvas_pill(user, OC_PILL_FAILED, why);
}

static void on_entered(void *user, const struct oc_surface *s, const struct oc_slice *segments,
        unsigned count, const struct oc_value *value) {
    struct oc_canvas *c = user;
    if (!c->events.on_entered) {
        return;
    }
    struct oc_value *entry = oc_value_create(OC_V_MAP), *path = oc_value_create(OC_V_ARRAY);
    for (unsigned i = 0; i < count; i++) {
        oc_value_append(path, oc_value_create_string(segments[i].ptr, segments[i].len));
    }
    oc_value_set(entry, slice("surfaceId"), oc_value_create_string(s->id, strlen(s->id)));
    oc_value_set(entry, slice("path"), path);
    oc_value_set(entry, slice("value"), oc_value_ref(value));
    c->events.on_entered(c->user, entry);
    oc_value_destroy(entry);
}

static void on_copy(void *user, const char *text) {
    struct oc_canvas *c = user;
    if (c->events.on_copy) {
        c->events.on_copy(c->user, text);
    }
}

static void on_paste(void *user) {
    struct oc_canvas *c = user;
    if (c->events.on_paste) {
        c->events.on_paste(c->user);
    }
}

static void on_open(void *user, const char *url) {
    struct oc_canvas *c = user;
    if (c->events.on_open) {
        c->events.on_open(c->user, url);
    }
}

static void on_play(void *user, const struct oc_play *what) {
    struct oc_canvas *c = user;
    if (c->events.on_play) {
        c->events.on_play(c->user, what);
    } else if (oc_address_is_web(what->url)) {
        on_open(c, what->url);
    }
}

static void on_stale(void *user) {
    (void)oc_canvas_scene(user);
}

struct oc_canvas *oc_canvas_create(
        const struct oc_canvas_opts *opts, const struct oc_canvas_events *events, void *user) {
    struct oc_canvas *c = oc_new(struct oc_canvas);
    const struct oc_theme *theme = oc_theme_find(opts->theme ? opts->theme : "openclaw");
    if (events) {
        c->events = *events;
    }
    c->user = user;
    c->model = oc_model_create();
    c->locals = oc_locals_create();
    c->texts = oc_texts_create();
    c->images = oc_images_create(on_wanted, c);
    c->list = oc_dl_create();
    c->pixels = oc_pixels_create();
    oc_input_init(&c->input);
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
    c->scene = (struct oc_scene){ .theme = theme ? theme : oc_theme_find("openclaw"),
        .model = c->model,
        .texts = c->texts,
        .images = c->images,
        .arena = oc_arena_create(),
        .caret_on = true };
    oc_canvas_resize(c, opts->width, opts->height, opts->scale);
    return c;
}

void oc_canvas_destroy(struct oc_canvas *c) {
    if (!c) {
        return;
    }
    oc_input_finish(&c->input);
    oc_scene_finish(&c->scene);
    oc_arena_destroy(c->scene.arena);
    oc_pixels_destroy(c->pixels);
    oc_dl_destroy(c->list);
    oc_images_destroy(c->images);
    oc_texts_destroy(c->texts);
    oc_locals_destroy(c->locals);
    oc_model_destroy(c->model);
    oc_diags_clear(&c->diags);
    oc_diags_clear(&c->push_diags);
    oc_free(c->pill_text);
    oc_free(c->fresh);
    oc_free(c);
}

void oc_canvas_resize(struct oc_canvas *c, double width, double height, double scale) {
    double w = width >= 1 && width <= OC_CANVAS_MAX_SIDE ? width : 800;
    double h = height >= 0 && height <= OC_CANVAS_MAX_SIDE ? height : 0;
    double s = scale >= 0.25 && scale <= 4 ? scale : 1;
    if (w == c->width && h == c->height && s == c->scale) {
        return;
    }
    c->width = w;
    c->height = h;
    c->scale = s;
    changed(c);
}

enum oc_code oc_canvas_set_theme(struct oc_canvas *c, const char *name, struct oc_error *err) {
    const struct oc_theme *theme = oc_theme_find(name);
    if (!theme) {
        return oc_fail(err, OC_E_NOT_FOUND,
                "there is no theme '%s' (themes: openclaw, default, default-dark)", name);
    }
    if (theme != c->scene.theme) {
        c->scene.theme = theme;
        changed(c);
    }
    return OC_OK;
}

static void list_shown(const struct oc_canvas *c, struct oc_strv *ret) {
    for (size_t i = 0; i < oc_model_surface_count(c->model); i++) {
        const struct oc_surface *s = oc_model_surface(c->model, i);
        if (s->root) {
            oc_strv_add(ret, s->id);
        }
    }
}

/* A further surface may begin where nobody looks. */
static void note_new(struct oc_canvas *c, const struct oc_strv *before) {
    OC_AUTO_STRV struct oc_strv now = { 0 };
    list_shown(c, &now);
    oc_free(oc_take(&c->fresh));
    for (size_t i = 0; before->count && !c->fresh && i < now.count; i++) {
        bool was_shown = false;
        for (size_t k = 0; k < before->count && !was_shown; k++) {
            was_shown = strcmp(before->items[k], now.items[i]) == 0;
        }
        c->fresh = was_shown ? NULL : oc_strdup(now.items[i]);
    }
}

enum oc_code oc_canvas_push(
        struct oc_canvas *c, const char *jsonl, size_t len, struct oc_error *err) {
    struct oc_push *push = NULL;
    enum oc_code rc = oc_push_parse(jsonl, len, &push, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_STRV struct oc_strv shown = { 0 };
    list_shown(c, &shown);
    oc_diags_clear(&c->push_diags);
    oc_model_apply(c->model, push, &c->push_diags);
    oc_push_destroy(push);
    oc_images_budget(c->images, OC_CANVAS_MAX_DECODE_MS);
    note_new(c, &shown);
    changed(c);
    return OC_OK;
}

void oc_canvas_enter(struct oc_canvas *c, const struct oc_value *entry) {
    struct oc_slice name = oc_value_string(oc_value_get(entry, "surfaceId"));
    OC_AUTO_FREE char *id = oc_strndup(name.ptr ? name.ptr : "", name.len);
    const struct oc_surface *s = oc_model_find(c->model, id);
    const struct oc_value *path = oc_value_get(entry, "path"),
                          *value = oc_value_get(entry, "value");
    struct oc_slice segments[OC_CANVAS_MAX_PATH];
    struct oc_context place = { .path = "", .segments = segments };
    size_t count = oc_value_count(path);
    if (!s || !value || count == 0 || count > OC_CANVAS_MAX_PATH) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        segments[place.count++] = oc_value_string(oc_value_at(path, i));
    }
    (void)oc_surface_write(c->model, s, &place, slice(""), oc_value_copy(value));
    changed(c);
}

void oc_canvas_reset(struct oc_canvas *c) {
    oc_model_reset(c->model);
    oc_diags_clear(&c->push_diags);
    c->scene.scroll_y = 0;
    changed(c);
    refresh(c); /* what was shown takes no room beside what comes next */
}

void oc_canvas_bring(
        struct oc_canvas *c, const char *url, const void *bytes, size_t len, const char *error) {
    oc_images_bring(c->images, url, bytes, len, error);
    run_images(c);
}

void oc_canvas_set_playing(struct oc_canvas *c, const struct oc_playing *playing) {
    if (playing || c->scene.playing) {
        changed(c);
    }
    c->scene.playing = playing;
}

bool oc_canvas_is_loading(const struct oc_canvas *c) {
    return oc_images_are_loading(c->images);
}

bool oc_canvas_is_decoding(const struct oc_canvas *c) {
    return oc_images_are_decoding(c->images);
}

int oc_canvas_fd(const struct oc_canvas *c) {
    return oc_images_fd(c->images);
}

const struct oc_locals *oc_canvas_locals(const struct oc_canvas *c) {
    return c->locals;
}

struct oc_model *oc_canvas_model(struct oc_canvas *c) {
    return c->model;
}

static struct oc_text *label(struct oc_canvas *c, const char *text, double px, oc_color color) {
    struct oc_text_style style = { .family = c->scene.theme->family,
        .size_px = px,
        .line_px = px + 5,
        .weight = 400,
        .color = color,
        .no_wrap = true,
        .ellipsis = true };
    return oc_text_get(c->texts, slice(text), &style);
}

static void paint_empty(struct oc_canvas *c) {
    struct oc_text *t = label(c, EMPTY_CAPTION, 14, c->scene.theme->muted);
    double w = fmin(oc_text_max_width(t), c->width);
    oc_dl_text(c->list, (c->width - w) / 2, 18, w, t);
}

static void paint_pill(struct oc_canvas *c, double view_h) {
    static const char *const words[] = { "", "Sending", "Working", "Updated", "Failed" };
    static const oc_color lights[] = { 0, 0x38bdf8ff, 0xfbbf24ff, 0x22c55eff, 0xf87171ff };
    const struct oc_theme *th = c->scene.theme;
    bool has_name = c->pill_text && *c->pill_text;
    char text[240];
    snprintf(text, sizeof(text), "%s%s%.200s", words[c->pill], has_name ? ": " : "",
            has_name ? c->pill_text : "");
    struct oc_text *t = label(c, text, 13, 0xf3f4f6ff);
    double w = fmin(oc_text_max_width(t), fmax(c->width - 80, 40)), h = oc_text_height(t, w);
    struct oc_rect box = { c->width - w - 12 - 36, view_h - h - 12 - 16, w + 36, h + 16 };
    oc_dl_box(c->list, box, 12, th->pill_back, th->pill_border, 1);
    oc_dl_box(c->list, (struct oc_rect){ box.x + 10, box.y + box.h / 2 - 4, 8, 8 }, 4,
            lights[c->pill], 0, 0);
    oc_dl_text(c->list, box.x + 26, box.y + 8, w, t);
}

static double view_height(const struct oc_canvas *c) {
    return c->height > 0 ? c->height : c->scene.height;
}

static void copy_diags(struct oc_diags *to, const struct oc_diags *from) {
    oc_diags_clear(to);
    for (size_t i = 0; i < from->count; i++) {
        const struct oc_diag *d = &from->items[i];
        oc_diags_add(to, d->level, d->line, d->surface, d->component, d->code, "%s", d->message);
    }
    to->dropped = from->dropped;
}

/* To a surface that has just come, as far as it takes to see it; not under the hands of who is typing. */
static void go_to_fresh(struct oc_canvas *c) {
    struct oc_scene *s = &c->scene;
    OC_AUTO_FREE char *fresh = oc_take(&c->fresh);
    const struct oc_item *focus = oc_input_focused(s, c->input.focus), *first = NULL;
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
        oc_scene_layout(s);
    }
}

static void build(struct oc_canvas *c) {
    struct oc_scene *s = &c->scene;
    c->is_building = true;
    c->is_stale = c->input.changed = false;
    copy_diags(&c->diags, &c->push_diags);
    oc_arena_clear(s->arena);
    oc_texts_age(c->texts);
    oc_images_age(c->images);
    s->serial++;
    s->width = c->width;
    s->view_height = c->height;
    s->diags = &c->diags;
    s->focus = c->input.focus;
    s->hover = c->input.hover;
    s->pressed = c->input.pressed;
    s->focus_visible = c->input.focus_visible;
    s->now_ms = oc_wall_ms(&oc_clock_system);
    oc_scene_build(s, c->locals);
    oc_scene_layout(s);
    go_to_fresh(c);
    if (c->height <= 0) {
        s->height = fmax(s->height, LEAST_HEIGHT);
    }
    oc_dl_clear(c->list);
    oc_scene_paint(s, c->list);
    if (!s->count) {
        paint_empty(c);
    }
    if (c->pill != OC_PILL_NONE) {
        paint_pill(c, view_height(c));
    }
    c->is_building = false;
    if (s->playing && c->events.on_play_gone && !oc_playing_is_there(s)) {
        c->events.on_play_gone(c->user);
    }
}

static void refresh(struct oc_canvas *c) {
    if (c->is_building || !(c->is_stale || c->input.changed)) {
        return;
    }
    unsigned before = c->scene.count;
    build(c);
    if (oc_images_begin(c->images)) {
        build(c);
    }
    if (before < LARGE_SCENE || c->scene.count > before / 2) {
        return;
    }
    for (int i = 0; i < KEPT_SCENES; i++) { /* after so many, nothing of a large page is left */
        build(c);
    }
    malloc_trim(0);
}

struct oc_scene *oc_canvas_scene(struct oc_canvas *c) {
    refresh(c);
    return &c->scene;
}

const struct oc_display_list *oc_canvas_list(struct oc_canvas *c) {
    refresh(c);
    return c->list;
}

struct oc_input *oc_canvas_input(struct oc_canvas *c) {
    return &c->input;
}

void oc_canvas_after_input(struct oc_canvas *c) {
    if (c->input.changed) {
        changed(c);
    }
}

void oc_canvas_blink(struct oc_canvas *c) {
    c->scene.caret_on = !c->scene.caret_on;
    changed(c);
}

void oc_canvas_seen(struct oc_canvas *c) {
    refresh(c);
    c->is_announced = false;
}

static enum oc_code paint(struct oc_canvas *c, struct oc_error *err) {
    return oc_pixels_paint(
            c->pixels, c->list, c->width, view_height(c), c->scale, c->scene.theme->page, err);
}

struct _cairo_surface *oc_canvas_paint(struct oc_canvas *c) {
    oc_canvas_seen(c);
    return paint(c, NULL) == OC_OK ? oc_pixels_surface(c->pixels) : NULL;
}

enum oc_code oc_canvas_picture(struct oc_canvas *c, enum oc_picture_format format,
        unsigned max_width, double quality, struct oc_buf *out, struct oc_error *err) {
    refresh(c);
    double h = view_height(c);
    oc_color page = c->scene.theme->page;
    if (format == OC_PICTURE_PNG && !max_width && c->width * h * c->scale * c->scale > MAX_KEPT) {
        return oc_pixels_stream(c->pixels, c->list, c->width, h, c->scale, page, out, err);
    }
    enum oc_code rc = paint(c, err);
    return rc == OC_OK ? oc_pixels_encode(c->pixels, format, max_width, quality, out, err) : rc;
}

size_t oc_canvas_painted(const struct oc_canvas *c) {
    return oc_pixels_painted(c->pixels);
}

const struct oc_diags *oc_canvas_diags(const struct oc_canvas *c) {
    return &c->diags;
}

void oc_canvas_pill(struct oc_canvas *c, enum oc_pill pill, const char *text) {
    bool is_same =
            pill == c->pill && strcmp(text ? text : "", c->pill_text ? c->pill_text : "") == 0;
    c->pill_until_ms = pill == OC_PILL_UPDATED  ? mono_ms() + UPDATED_MS
                       : pill == OC_PILL_FAILED ? mono_ms() + FAILED_MS
                                                : 0;
    if (is_same) {
        return;
    }
    c->pill = pill;
    oc_free(c->pill_text);
    c->pill_text = oc_strdup(text);
    changed(c);
}

int oc_canvas_wait_ms(const struct oc_canvas *c) {
    if (!c->pill_until_ms) {
        return -1;
    }
    int64_t left = c->pill_until_ms - mono_ms();
    return left > 0 ? (int)left : 0;
}

void oc_canvas_tick(struct oc_canvas *c) {
    if (c->pill_until_ms && mono_ms() >= c->pill_until_ms) {
        oc_canvas_pill(c, OC_PILL_NONE, NULL);
    }
    run_images(c);
}
