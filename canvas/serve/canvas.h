/* One canvas: model, scene, input and pixels together, as the programs use it (headless helper, window, `canvas render`). */
#ifndef CANVAS_SERVE_CANVAS_H
#define CANVAS_SERVE_CANVAS_H

#include "canvas/input/input.h"
#include "canvas/paint/paint.h"
#include "canvas/scene/scene.h"

struct oc_canvas;

struct oc_canvas_events {
    void (*on_changed)(void *user); /* a new picture is due: once until oc_canvas_seen */
    void (*on_action)(void *user, const struct oc_value *action); /* {"userAction":{…}} with "id" */
    /* {"surfaceId","path":["a","0"],"value"}: what a person entered; oc_canvas_enter does it again elsewhere */
    void (*on_entered)(void *user, const struct oc_value *entry);
    void (*on_wanted)(void *user, const char *url); /* a picture; answer with oc_canvas_bring */
    void (*on_copy)(void *user, const char *text);
    void (*on_paste)(void *user);
    void (*on_open)(void *user, const char *url);
    void (*on_play)(void *user, const struct oc_play *what);
    void (*on_play_gone)(void *user); /* what plays is not to be seen any more */
};

struct oc_canvas_opts {
    const char *theme;    /* NULL: "openclaw" */
    double width, height; /* view port in page pixels; height 0: as high as the content */
    double scale;         /* 0: 1 */
};

struct oc_canvas *oc_canvas_create(
        const struct oc_canvas_opts *opts, const struct oc_canvas_events *events, void *user);
void oc_canvas_destroy(struct oc_canvas *c);
void oc_canvas_resize(struct oc_canvas *c, double width, double height, double scale);
enum oc_code oc_canvas_set_theme(struct oc_canvas *c, const char *name, struct oc_error *err);

enum oc_code oc_canvas_push(
        struct oc_canvas *c, const char *jsonl, size_t len, struct oc_error *err) OC_MUST_USE;
void oc_canvas_enter(struct oc_canvas *c, const struct oc_value *entry);
void oc_canvas_reset(struct oc_canvas *c);
void oc_canvas_bring(
        struct oc_canvas *c, const char *url, const void *bytes, size_t len, const char *error);
/* Is looked at until the next call; told again after each change. NULL: nothing plays. */
void oc_canvas_set_playing(struct oc_canvas *c, const struct oc_playing *playing);
bool oc_canvas_is_loading(const struct oc_canvas *c);  /* pictures */
bool oc_canvas_is_decoding(const struct oc_canvas *c); /* of those, some whose bytes are here */
int oc_canvas_fd(const struct oc_canvas *c); /* readable: oc_canvas_tick has something to do */
const struct oc_locals *oc_canvas_locals(const struct oc_canvas *c);
struct oc_model *oc_canvas_model(struct oc_canvas *c);

/* Brings scene and display list up to date; cheap when nothing changed. */
struct oc_scene *oc_canvas_scene(struct oc_canvas *c);
const struct oc_display_list *oc_canvas_list(struct oc_canvas *c);
struct oc_input *oc_canvas_input(struct oc_canvas *c);
void oc_canvas_after_input(struct oc_canvas *c); /* call after oc_input_…: announces a change */
void oc_canvas_seen(struct oc_canvas *c);        /* from now on a change is told again */
/* For a window: paints what changed and gives the whole, width × height × scale; NULL when there is no memory for it. */
struct _cairo_surface *oc_canvas_paint(struct oc_canvas *c);
enum oc_code oc_canvas_picture(struct oc_canvas *c, enum oc_picture_format format,
        unsigned max_width, double quality, struct oc_buf *out, struct oc_error *err) OC_MUST_USE;
size_t oc_canvas_painted(
        const struct oc_canvas *c); /* device pixels the last picture or paint cost */
const struct oc_diags *oc_canvas_diags(const struct oc_canvas *c); /* of the last push and scene */

/* The pill in the corner: "Sending: order" … Updated and Failed end by themselves: wait as long as oc_canvas_wait_ms says (-1: for
 * ever), then call oc_canvas_tick. */
enum oc_pill { OC_PILL_NONE, OC_PILL_SENDING, OC_PILL_WORKING, OC_PILL_UPDATED, OC_PILL_FAILED };
void oc_canvas_pill(struct oc_canvas *c, enum oc_pill pill, const char *text);
void oc_canvas_blink(struct oc_canvas *c); /* shows or hides the caret */
int oc_canvas_wait_ms(const struct oc_canvas *c);
void oc_canvas_tick(struct oc_canvas *c);

#endif
