/* Bytes of a picture to pixels. Two implementations, as for text.h: images_decode.c with the real
 * libraries, images_plain.c for tests and fuzzing. What decides is how the bytes begin, never a
 * name or a declared type. */
#ifndef CANVAS_IMAGES_IMAGES_DECODE_H
#define CANVAS_IMAGES_IMAGES_DECODE_H

#include "lib/base/error.h"

#include <stddef.h>
#include <stdint.h>

#define CV_PICTURE_COMFORTABLE_SIDE 2048 /* formats that can, decode larger ones smaller */

struct cv_picture {
    double w, h; /* natural size */
    unsigned px_w,
            px_h;   /* of the pixels: less than natural for large ones, more for small drawings */
    uint32_t *argb; /* premultiplied, px_w × px_h; from oc_alloc */
    size_t bytes;
};

/* In a process of its own, which takes its time beside whatever else is done. The pixels take no
 * more than `room` bytes: larger pictures come smaller. NULL: err says why. */
struct cv_decoding;
struct cv_decoding *cv_decoding_start(
        const void *bytes, size_t len, size_t room, struct oc_error *err) OC_MUST_USE;
int cv_decoding_fd(const struct cv_decoding *d); /* readable when it is over; -1: only _end knows */
int64_t cv_decoding_until_ms(const struct cv_decoding *d); /* then it is late, and _end kills it */
/* Waits until it is over. */
enum oc_code cv_decoding_end(struct cv_decoding *take_d, struct cv_picture *ret,
        int64_t *ret_cpu_ms, struct oc_error *err) OC_MUST_USE;
void cv_decoding_cancel(struct cv_decoding *take_d);
/* Whether it can be a picture at all, and the most bytes that its pixels would take. */
enum oc_code cv_picture_need(
        const void *bytes, size_t len, size_t *ret_bytes, struct oc_error *err) OC_MUST_USE;
/* The same in this process, which is for tests: a decoder that is broken takes it along. */
enum oc_code cv_picture_decode_here(
        const void *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) OC_MUST_USE;
/* For cv_image.pixels; takes argb. */
void *cv_picture_keep(struct cv_picture *take_picture);
void cv_picture_drop(void *pixels); /* NULL is fine */

/* One format each, in images_png.c, images_jpeg.c, images_gif.c, images_webp.c, images_svg.c. All
 * look at the size before they decode. */
enum oc_code cv_decode_png(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) OC_MUST_USE;
enum oc_code cv_decode_jpeg(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) OC_MUST_USE;
enum oc_code cv_decode_gif(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) OC_MUST_USE;
enum oc_code cv_decode_webp(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) OC_MUST_USE;
enum oc_code cv_decode_svg(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) OC_MUST_USE;

/* How the pixels of a picture come into memory. */
enum cv_picture_way {
    CV_PICTURE_WHOLE,  /* all of them, as they are in the file */
    CV_PICTURE_SCALED, /* fewer: the decoder makes it smaller while it reads */
};
/* The one place that decides whether a picture is too large to decode. */
enum oc_code cv_picture_may_decode(
        double w, double h, enum cv_picture_way way, struct oc_error *err) OC_MUST_USE;
/* Sets the sizes and allocates, or says that it is too large. */
enum oc_code cv_picture_begin(struct cv_picture *p, double w, double h, unsigned px_w,
        unsigned px_h, struct oc_error *err) OC_MUST_USE;
/* Halves it, or takes a third or a fourth, until it has room. */
enum oc_code cv_picture_shrink(struct cv_picture *p, size_t room, struct oc_error *err) OC_MUST_USE;
void cv_picture_finish(struct cv_picture *p);
static inline void cv_auto_picture(struct cv_picture *p) {
    cv_picture_finish(p);
}
#define CV_AUTO_PICTURE __attribute__((cleanup(cv_auto_picture)))

static inline uint32_t cv_premultiply(uint32_t a, uint32_t r, uint32_t g, uint32_t b) {
    return a << 24 | (r * a + 127) / 255 << 16 | (g * a + 127) / 255 << 8 | (b * a + 127) / 255;
}

#endif
