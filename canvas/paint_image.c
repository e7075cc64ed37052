#include "canvas/images.h"
#include "canvas/paint_light.h"

#include <cairo.h>

void oc_image_draw(const struct oc_image *image, cairo_t *cr, struct oc_rect r) {
    if (!image->pixels)
        return;
    cairo_save(cr);
    cairo_translate(cr, r.x, r.y);
    cairo_scale(cr, r.w / image->w, r.h / image->h);
    cairo_set_source_surface(cr, image->pixels, 0, 0);
    cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD); /* no pale rim */
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_GOOD);
    cairo_rectangle(cr, 0, 0, image->w, image->h);
    cairo_fill(cr);
    cairo_restore(cr);
}
