/* struct oc_pixels, for pixels.c (painting) and encode*.c. */
#ifndef CANVAS_PIXELS_H
#define CANVAS_PIXELS_H

#include "canvas/display_list.h"

#include <cairo.h>
#include <stdint.h>

/* What making a PNG needs besides the picture, kept because getting fresh memory from the system for every picture costs as much
 * as a third of the work. */
struct oc_png_room {
    struct libdeflate_compressor *compressor;
    unsigned char *raw, *packed;
    size_t raw_size, packed_size;
};

struct oc_pixels {
    struct oc_png_room png;
    cairo_surface_t *surface; /* RGB24; NULL before the first paint */
    int w, h;
    double scale;
    oc_color page;
    struct oc_display_list *shown; /* what is on it: keys and bounds, its texts may be gone */
    size_t painted;
};

/* Rows of 0xXXRRGGBB, stride in pixels. */
struct oc_raster {
    const uint32_t *px;
    unsigned w, h;
    size_t stride;
};

enum oc_code oc_png_encode(struct oc_png_room *room, const struct oc_raster *r, struct oc_buf *out,
        struct oc_error *err);
void oc_png_room_finish(struct oc_png_room *room);
enum oc_code oc_jpeg_encode(
        const struct oc_raster *r, double quality, struct oc_buf *out, struct oc_error *err);

#endif
