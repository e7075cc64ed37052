#include "canvas/images/images_decode.h"

#include "canvas/images/images_apart.h"
#include "canvas/model/limits.h"
#include "lib/base/mem.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

#define MOST_STEP 4 /* smaller than that, and it is not the picture any more */

static bool images_decode_begins(
        const uint8_t *bytes, size_t len, size_t at, const char *with, size_t n) {
    return len >= at + n && memcmp(bytes + at, with, n) == 0;
}

/* XML that has an <svg in its first kilobytes. */
static bool is_svg(const uint8_t *bytes, size_t len) {
    size_t i = images_decode_begins(bytes, len, 0, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (i < len && bytes[i] <= ' ') {
        i++;
    }
    return i < len && bytes[i] == '<' &&
           memmem(bytes + i, len - i < 4096 ? len - i : 4096, "<svg", 4);
}

static cv_picture_decoder *decoder_for(const uint8_t *bytes, size_t len) {
    if (images_decode_begins(bytes, len, 0, "\x89PNG\r\n\x1a\n", 8)) {
        return cv_decode_png;
    }
    if (images_decode_begins(bytes, len, 0, "\xff\xd8\xff", 3)) {
        return cv_decode_jpeg;
    }
    if (images_decode_begins(bytes, len, 0, "GIF87a", 6) ||
            images_decode_begins(bytes, len, 0, "GIF89a", 6)) {
        return cv_decode_gif;
    }
    if (images_decode_begins(bytes, len, 0, "RIFF", 4) &&
            images_decode_begins(bytes, len, 8, "WEBP", 4)) {
        return cv_decode_webp;
    }
    return is_svg(bytes, len) ? cv_decode_svg : NULL;
}

static enum oc_code no_picture(size_t len, struct oc_error *err) {
    return oc_fail(err, OC_E_INVALID,
            len ? "not a PNG, JPEG, GIF, WebP or SVG picture" : "the file is empty");
}

struct cv_decoding *cv_decoding_start(
        const void *bytes, size_t len, size_t room, struct oc_error *err) {
    cv_picture_decoder *decode = decoder_for(bytes, len);
    if (!decode) {
        (void)!no_picture(len, err);
        return NULL;
    }
    return decode == cv_decode_svg ? cv_svg_start(bytes, len, err)
                                   : cv_apart_start(decode, bytes, len, room, err);
}

/* PNG and GIF come as large as their heads say; the others are never larger than is comfortable,
 * and a row or two. */
enum oc_code cv_picture_need(
        const void *bytes, size_t len, size_t *ret_bytes, struct oc_error *err) {
    const uint8_t *p = bytes;
    cv_picture_decoder *decode = decoder_for(p, len);
    size_t w = CV_PICTURE_COMFORTABLE_SIDE + 8, h = w;
    if (!decode) {
        return no_picture(len, err);
    }
    if (decode == cv_decode_png && len >= 24) {
        w = (size_t)p[16] << 24 | (size_t)p[17] << 16 | (size_t)p[18] << 8 | p[19];
        h = (size_t)p[20] << 24 | (size_t)p[21] << 16 | (size_t)p[22] << 8 | p[23];
    } else if (decode == cv_decode_gif && len >= 10) {
        w = (size_t)p[7] << 8 | p[6];
        h = (size_t)p[9] << 8 | p[8];
    }
    bool is_sane = w <= CV_MAX_SIDE && h <= CV_MAX_SIDE &&
                   w * h <= CV_MAX_IMAGE_PIXELS; /* or it will be refused */
    *ret_bytes = is_sane ? w * h * 4 : 0;
    return OC_OK;
}

enum oc_code cv_picture_decode_here(
        const void *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    cv_picture_decoder *decode = decoder_for(bytes, len);
    return decode ? decode(bytes, len, ret, err) : no_picture(len, err);
}

enum oc_code cv_picture_may_decode(
        double w, double h, enum cv_picture_way way, struct oc_error *err) {
    bool is_whole = way == CV_PICTURE_WHOLE;
    double most = (double)(is_whole ? CV_MAX_IMAGE_PIXELS : CV_MAX_SCALED_IMAGE_PIXELS);
    if (!(w > 0) || !(h > 0)) {
        return oc_fail(err, OC_E_INVALID, "the picture has no size");
    }
    if (w * h > most || (is_whole && (w > CV_MAX_SIDE || h > CV_MAX_SIDE))) {
        return oc_fail(err, OC_E_TOO_LARGE, "%.0f×%.0f is too large for a picture", w, h);
    }
    return OC_OK;
}

enum oc_code cv_picture_begin(struct cv_picture *p, double w, double h, unsigned px_w,
        unsigned px_h, struct oc_error *err) {
    if (!(w > 0) || !(h > 0)) {
        return oc_fail(err, OC_E_INVALID, "the picture has no size");
    }
    enum oc_code rc = cv_picture_may_decode(px_w, px_h, CV_PICTURE_WHOLE, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t count = (size_t)px_w * px_h;
    *p = (struct cv_picture){ .w = w, .h = h, .px_w = px_w, .px_h = px_h, .bytes = count * 4 };
    p->argb = oc_new_array(uint32_t, count);
    return OC_OK;
}

/* The mean of step × step pixels, fewer at the right and at the bottom. */
static uint32_t images_decode_mean(
        const struct cv_picture *p, unsigned x0, unsigned y0, unsigned step) {
    uint32_t sum[4] = { 0 }, n = 0, ret = 0;
    for (unsigned y = y0; y < y0 + step && y < p->px_h; y++) {
        for (unsigned x = x0; x < x0 + step && x < p->px_w; x++, n++) {
            for (unsigned c = 0; c < 4; c++) {
                sum[c] += p->argb[(size_t)y * p->px_w + x] >> 8 * c & 255;
            }
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        ret |= (sum[c] + n / 2) / n << 8 * c;
    }
    return ret;
}

enum oc_code cv_picture_shrink(struct cv_picture *p, size_t room, struct oc_error *err) {
    unsigned step = 1, w = p->px_w, h = p->px_h;
    while (step < MOST_STEP && (size_t)w * h * 4 > room) {
        step++;
        w = (p->px_w + step - 1) / step;
        h = (p->px_h + step - 1) / step;
    }
    if ((size_t)w * h * 4 > room) {
        return oc_fail(err, OC_E_TOO_LARGE, "all pictures together are too large");
    }
    for (unsigned y = 0; step > 1 && y < h; y++) {
        for (unsigned x = 0; x < w; x++) { /* never over what is still to be read */
            p->argb[(size_t)y * w + x] = images_decode_mean(p, x * step, y * step, step);
        }
    }
    p->px_w = w;
    p->px_h = h;
    p->bytes = (size_t)w * h * 4;
    return OC_OK;
}

void cv_picture_finish(struct cv_picture *p) {
    oc_free(oc_take(&p->argb));
}

static const cairo_user_data_key_t bytes_key;

void *cv_picture_keep(struct cv_picture *p) {
    uint32_t *argb = oc_take(&p->argb);
    cairo_surface_t *s = cairo_image_surface_create_for_data((unsigned char *)argb,
            CAIRO_FORMAT_ARGB32, (int)p->px_w, (int)p->px_h, (int)p->px_w * 4);
    cairo_surface_set_user_data(s, &bytes_key, argb, oc_free);
    return s;
}

void cv_picture_drop(void *pixels) {
    if (pixels) {
        cairo_surface_destroy(pixels);
    }
}
