/* struct cv_pixels, for pixels.c (painting) and encode.c. */
#ifndef CANVAS_PAINT_PIXELS_H
#define CANVAS_PAINT_PIXELS_H

#include "canvas/display/display_list.h"

#include <cairo.h>
#include <stddef.h>

struct cv_pixels {
    struct cv_png *png;       /* of encode.h; NULL: not yet */
    cairo_surface_t *surface; /* RGB24; NULL before the first paint */
    int w, h;
    double scale;
    cv_color page;
    struct cv_display_list *shown; /* what is on it: keys and bounds, its texts may be gone */
    size_t painted;
};

#endif
