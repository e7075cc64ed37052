/* The window: a GTK drawing area that shows one canvas and brings it what a person does. */
#ifndef CANVAS_WINDOW_VIEW_H
#define CANVAS_WINDOW_VIEW_H

#include "canvas/serve/canvas.h"
#include "canvas/serve/serve_canvas.h"

struct cv_view;

struct cv_view_events {
    void (*on_geometry)(
            void *user, const struct cv_placement *where); /* x, y NaN: the desktop does not tell */
    void (*on_closed)(void *user);                         /* by the person; it is hidden */
};

/* Made hidden. The canvas is borrowed. */
struct cv_view *cv_view_create(
        struct cv_canvas *canvas, const struct cv_view_events *events, void *user);
void cv_view_destroy(struct cv_view *v);
/* Without taking the keyboard from whoever has it. */
void cv_view_show(struct cv_view *v, const struct cv_placement *placement);
void cv_view_hide(struct cv_view *v);
bool cv_view_is_shown(const struct cv_view *v);
void cv_view_name(struct cv_view *v, const char *title);
void cv_view_changed(struct cv_view *v); /* a new picture is due */
void cv_view_copy(struct cv_view *v, const char *text);
void cv_view_paste(struct cv_view *v);

#endif
