/* What paint_cairo.c needs of the Pango text engine beyond text.h. */
#ifndef CANVAS_TEXT_TEXT_DRAW_H
#define CANVAS_TEXT_TEXT_DRAW_H

#include "canvas/text/text.h"

struct _cairo;

/* The text in its own colours, wrapped to width, its upper left corner at x, y. Lines outside of
 * the clip are skipped. */
void cv_text_draw(struct cv_text *t, struct _cairo *cr, double x, double y, double width);

#endif
