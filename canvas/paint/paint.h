/* Display list → pixels → PNG or JPEG. The only files that see Cairo are paint_cairo.c,
 * text_pango.c, images_*.c and the window. */
#ifndef CANVAS_PAINT_PAINT_H
#define CANVAS_PAINT_PAINT_H

#include "canvas/display/display_list.h"
#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stdbool.h>

struct _cairo;
struct _cairo_surface;

/* Paints what touches one of the rectangles (none: all) onto a context whose unit is one page
 * pixel. */
void cv_paint(struct _cairo *cr, const struct cv_display_list *dl, const struct cv_rect *damage,
        size_t count);

/* Pixels that are kept and painted on where something changed. */
struct cv_pixels;
struct cv_pixels *cv_pixels_create(void);
void cv_pixels_destroy(struct cv_pixels *p);
/* Paints; only the damage when size and scale are as before. width, height: page pixels; scale
 * 1–3. */
enum oc_code cv_pixels_paint(struct cv_pixels *p, const struct cv_display_list *dl, double width,
        double height, double scale, cv_color page, struct oc_error *err) OC_MUST_USE;
size_t cv_pixels_painted(const struct cv_pixels
                *p); /* device pixels that the last paint touched, for tests and the bench */

struct _cairo_surface *cv_pixels_surface(struct cv_pixels *p); /* of the last paint; lent */

/* The same as painting and encoding as PNG, without ever having all of a tall page's pixels in
 * memory, and without keeping them. */
enum oc_code cv_pixels_stream(struct cv_pixels *p, const struct cv_display_list *dl, double width,
        double height, double scale, cv_color page, struct oc_buf *out,
        struct oc_error *err) OC_MUST_USE;

enum cv_picture_format { CV_PICTURE_PNG, CV_PICTURE_JPEG };
/* encode.c. max_width 0: as it is; scaled down only. quality 0..1 for JPEG. */
enum oc_code cv_pixels_encode(struct cv_pixels *p, enum cv_picture_format format,
        unsigned max_width, double quality, struct oc_buf *out, struct oc_error *err) OC_MUST_USE;

#endif
