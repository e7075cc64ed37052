/* The window: a GTK drawing area that shows one canvas and brings it what a person does. */
#ifndef CANVAS_WINDOW_VIEW_H
#define CANVAS_WINDOW_VIEW_H

#include "canvas/serve/canvas.h"
#include "canvas/serve/serve_canvas.h"

struct oc_view;

struct oc_view_events {
    void (*on_geometry)(
            void *user, const struct oc_placement *where); /* x, y NaN: the desktop does not tell */
    void (*on_closed)(void *user);                         /* by the person; it is hidden */
};

/* Made hidden. The canvas is borrowed. */
struct oc_view *oc_view_create(
        struct oc_canvas *canvas, const struct oc_view_events *events, void *user);
void oc_view_destroy(struct oc_view *v);
/* Without taking the keyboard from whoever has it. */
void oc_view_show(struct oc_view *v, const struct oc_placement *placement);
void oc_view_hide(struct oc_view *v);
bool oc_view_is_shown(const struct oc_view *v);
void oc_view_changed(struct oc_view *v); /* a new picture is due */
void oc_view_copy(struct oc_view *v, const char *text);
void oc_view_paste(struct oc_view *v);

#endif
