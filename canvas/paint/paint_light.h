/* The soft things: shadows, and the glow behind openclaw's page. */
#ifndef CANVAS_PAINT_PAINT_LIGHT_H
#define CANVAS_PAINT_PAINT_LIGHT_H

#include "canvas/display/display_list.h"

struct _cairo;

void cv_shadow_draw(
        struct _cairo *cr, struct cv_rect r, double radius, double blur, cv_color color);
void cv_glow_draw(struct _cairo *cr, struct cv_rect page, cv_color a, cv_color b, cv_color c);

#endif
