/* Where a window is: only X11 lets a program say and ask. Elsewhere these do nothing. */
#ifndef CANVAS_WINDOW_PLACE_H
#define CANVAS_WINDOW_PLACE_H

#include <gtk/gtk.h>
#include <stdbool.h>

void oc_place_move(GtkWindow *window, double x, double y);
bool oc_place_find(GtkWindow *window, double *ret_x, double *ret_y);
/* Call when the window is realized and before it is shown: it will not take the focus. */
void oc_place_unasked(GtkWindow *window);

#endif
