/* Draws an icon of canvas/model/icons.def. */
#ifndef CANVAS_PAINT_ICON_PATH_H
#define CANVAS_PAINT_ICON_PATH_H

struct _cairo;

/* In the context's source, centred in the rectangle. */
void cv_icon_draw(struct _cairo *cr, const char *name, double x, double y, double w, double h);

#endif
