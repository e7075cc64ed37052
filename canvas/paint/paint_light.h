/* The soft things: shadows, and the glow behind openclaw's page. */
#ifndef CANVAS_PAINT_PAINT_LIGHT_H
#define CANVAS_PAINT_PAINT_LIGHT_H

#include "canvas/display/display_list.h"

struct _cairo;

void oc_shadow_draw(
        struct _cairo *cr, struct oc_rect r, double radius, double blur, oc_color color);
void oc_glow_draw(struct _cairo *cr, struct oc_rect page, oc_color a, oc_color b, oc_color c);

#endif
