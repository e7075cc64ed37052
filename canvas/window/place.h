/* Where a window is: only X11 lets a program say and ask. Elsewhere these do nothing. */
#ifndef CANVAS_WINDOW_PLACE_H
#define CANVAS_WINDOW_PLACE_H

#include "canvas/serve/serve_canvas.h"

#include <gtk/gtk.h>
#include <stdbool.h>

/* Of a window that is on the screen: before, its window manager would place it anew. */
void cv_place_move(GtkWindow *window, const struct cv_placement *p);
bool cv_place_find(GtkWindow *window, double *ret_x, double *ret_y);
/* Told each time the window has come to the screen. */
void cv_place_watch(GtkWindow *window, void (*on_map)(void *user), void *user);
/* Where GTK draws the title itself, it takes its room from the content: true when the window was as
 * asked for, and grows by what the content lacks. */
bool cv_place_grow(GtkWindow *window, GtkWidget *content, const struct cv_placement *asked);
/* For a window that nobody has placed: away from the right edge, where desktops show notifications,
 * as far as there is room. width: of the window, which GTK has not heard of yet. */
void cv_place_aside(GtkWindow *window, double width);
/* Call when the window is realized and before it is shown: it will not take the focus. */
void cv_place_unasked(GtkWindow *window);

#endif
