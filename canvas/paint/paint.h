/* Display list → pixels → PNG or JPEG. The only files that see Cairo are paint_cairo.c, text_pango.c, images_*.c and the window. */
#ifndef CANVAS_PAINT_PAINT_H
#define CANVAS_PAINT_PAINT_H

#include "canvas/display/display_list.h"
#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stdbool.h>

struct _cairo;
struct _cairo_surface;

/* Paints what touches one of the rectangles (none: all) onto a context whose unit is one page pixel. */
void oc_paint(struct _cairo *cr, const struct oc_display_list *dl, const struct oc_rect *damage,
        size_t count);

/* Pixels that are kept and painted on where something changed. */
struct oc_pixels;
struct oc_pixels *oc_pixels_create(void);
void oc_pixels_destroy(struct oc_pixels *p);
/* Paints; only the damage when size and scale are as before. width, height: page pixels; scale 1–3. */
enum oc_code oc_pixels_paint(struct oc_pixels *p, const struct oc_display_list *dl, double width,
        double height, double scale, oc_color page, struct oc_error *err) OC_MUST_USE;
size_t oc_pixels_painted(const struct oc_pixels
                *p); /* device pixels that the last paint touched, for tests and the bench */

struct _cairo_surface *oc_pixels_surface(struct oc_pixels *p); /* of the last paint; lent */

/* The same as painting and encoding as PNG, without ever having all of a tall page's pixels in memory, and without keeping them. */
enum oc_code oc_pixels_stream(struct oc_pixels *p, const struct oc_display_list *dl, double width,
        double height, double scale, oc_color page, struct oc_buf *out,
        struct oc_error *err) OC_MUST_USE;

enum oc_picture_format { OC_PICTURE_PNG, OC_PICTURE_JPEG };
/* encode.c. max_width 0: as it is; scaled down only. quality 0..1 for JPEG. */
enum oc_code oc_pixels_encode(struct oc_pixels *p, enum oc_picture_format format,
        unsigned max_width, double quality, struct oc_buf *out, struct oc_error *err) OC_MUST_USE;

#endif
