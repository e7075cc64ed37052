/* One canvas: model, scene, input and pixels together, as the programs use it (headless helper,
 * window, `canvas render`). */
#ifndef CANVAS_SERVE_CANVAS_H
#define CANVAS_SERVE_CANVAS_H

#include "canvas/input/input.h"
#include "canvas/paint/paint.h"
#include "canvas/scene/scene.h"

struct cv_canvas;

struct cv_events {
    void (*on_changed)(void *user); /* a new picture is due: once until cv_seen */
    void (*on_action)(void *user, const struct cv_value *action); /* {"userAction":{…}} with "id" */
    /* {"surfaceId","path":["a","0"],"value"}: what a person entered; cv_enter does it again
     * elsewhere */
    void (*on_entered)(void *user, const struct cv_value *entry);
    void (*on_wanted)(void *user, const char *url); /* a picture; answer with cv_bring */
    void (*on_copy)(void *user, const char *text);
    void (*on_paste)(void *user);
    void (*on_open)(void *user, const char *url);
    void (*on_play)(void *user, const struct cv_play *what);
    void (*on_play_gone)(void *user); /* what plays is not to be seen any more */
};

struct cv_opts {
    const char *theme;    /* NULL: CV_THEME */
    double width, height; /* view port in page pixels; height 0: as high as the content */
    double scale;         /* 0: 1 */
};

struct cv_canvas *cv_canvas_create(
        const struct cv_opts *opts, const struct cv_events *events, void *user);
void cv_canvas_destroy(struct cv_canvas *c);
/* The view port of somebody who sees the canvas elsewhere. It is laid out and scrolled for itself;
 * data, focus and what is open are the same for all. Between cv_use_port with one and with NULL,
 * all below is about that one. Those that are not used for long are forgotten. */
struct cv_port {
    double width, height, scale; /* as cv_opts' */
};
void cv_use_port(struct cv_canvas *c, const struct cv_port *port); /* NULL: the canvas' own */
void cv_canvas_size(struct cv_canvas *c, double *ret_width, double *ret_height);

void cv_resize(struct cv_canvas *c, double width, double height, double scale);
enum oc_code cv_set_theme(struct cv_canvas *c, const char *name, struct oc_error *err);

enum oc_code cv_canvas_push(
        struct cv_canvas *c, const char *jsonl, size_t len, struct oc_error *err) OC_MUST_USE;
void cv_enter(struct cv_canvas *c, const struct cv_value *entry);
void cv_reset(struct cv_canvas *c);
void cv_bring(
        struct cv_canvas *c, const char *url, const void *bytes, size_t len, const char *error);
/* Is looked at until the next call; told again after each change. NULL: nothing plays. */
void cv_set_playing(struct cv_canvas *c, const struct cv_playing *playing);
bool cv_is_loading(const struct cv_canvas *c);  /* pictures */
bool cv_is_decoding(const struct cv_canvas *c); /* of those, some whose bytes are here */
int cv_fd(const struct cv_canvas *c);           /* readable: cv_tick has something to do */
/* For tests. */
const struct cv_locals *cv_canvas_locals(const struct cv_canvas *c);
struct cv_model *cv_canvas_model(struct cv_canvas *c);

/* Brings scene and display list up to date; cheap when nothing changed. */
struct cv_scene *cv_canvas_scene(struct cv_canvas *c);
const struct cv_display_list *cv_list(struct cv_canvas *c);
struct cv_input *cv_canvas_input(struct cv_canvas *c);
void cv_after_input(struct cv_canvas *c); /* call after cv_input_…: announces a change */
void cv_seen(struct cv_canvas *c);        /* from now on a change is told again */
/* For a window: paints what changed and gives the whole, width × height × scale; NULL when there is
 * no memory for it. */
struct _cairo_surface *cv_canvas_paint(struct cv_canvas *c);
enum oc_code cv_canvas_picture(struct cv_canvas *c, enum cv_picture_format format,
        unsigned max_width, double quality, struct oc_buf *out, struct oc_error *err) OC_MUST_USE;
/* For tests. */
size_t cv_painted(const struct cv_canvas *c); /* device pixels the last picture or paint cost */
const struct cv_diags *cv_canvas_diags(const struct cv_canvas *c); /* of the last push and scene */

/* The pill in the corner: "Sending: order" … Updated and Failed end by themselves: wait as long as
 * cv_wait_ms says (-1: forever), then call cv_tick. */
enum cv_pill { CV_PILL_NONE, CV_PILL_SENDING, CV_PILL_WORKING, CV_PILL_UPDATED, CV_PILL_FAILED };
void cv_canvas_pill(struct cv_canvas *c, enum cv_pill pill, const char *text);
void cv_blink(struct cv_canvas *c); /* shows or hides the caret */
int cv_wait_ms(const struct cv_canvas *c);
void cv_tick(struct cv_canvas *c);

#endif
