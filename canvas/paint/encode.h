/* Rows of pixels to a picture file: encode_png.c, encode_jpeg.c. encode.c scales and chooses. */
#ifndef CANVAS_PAINT_ENCODE_H
#define CANVAS_PAINT_ENCODE_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Rows of 0xXXRRGGBB, stride in pixels. */
struct cv_raster {
    const uint32_t *px;
    unsigned w, h;
    size_t stride;
};

/* A PNG row by row; the rows' order is top down, in as many parts as the caller likes. */
struct cv_png;
struct cv_png *cv_png_create(void);
void cv_png_destroy(struct cv_png *p);
void cv_png_begin(struct cv_png *p, unsigned w, unsigned h, struct oc_buf *out);
void cv_png_add(struct cv_png *p, const struct cv_raster *rows); /* of the width told at begin */
enum oc_code cv_png_end(struct cv_png *p, struct oc_error *err);

enum oc_code cv_jpeg_encode(
        const struct cv_raster *r, double quality, struct oc_buf *out, struct oc_error *err);

#endif
