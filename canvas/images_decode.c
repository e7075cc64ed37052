#include "canvas/images_decode.h"

#include "base/mem.h"
#include "canvas/images_apart.h"
#include "canvas/limits.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

static bool begins(const uint8_t *bytes, size_t len, size_t at, const char *with, size_t n) {
    return len >= at + n && memcmp(bytes + at, with, n) == 0;
}

/* XML that has an <svg in its first kilobytes. */
static bool is_svg(const uint8_t *bytes, size_t len) {
    size_t i = begins(bytes, len, 0, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (i < len && bytes[i] <= ' ')
        i++;
    return i < len && bytes[i] == '<' &&
           memmem(bytes + i, len - i < 4096 ? len - i : 4096, "<svg", 4);
}

static oc_picture_decoder *decoder_for(const uint8_t *bytes, size_t len) {
    if (begins(bytes, len, 0, "\x89PNG\r\n\x1a\n", 8))
        return oc_decode_png;
    if (begins(bytes, len, 0, "\xff\xd8\xff", 3))
        return oc_decode_jpeg;
    if (begins(bytes, len, 0, "GIF87a", 6) || begins(bytes, len, 0, "GIF89a", 6))
        return oc_decode_gif;
    if (begins(bytes, len, 0, "RIFF", 4) && begins(bytes, len, 8, "WEBP", 4))
        return oc_decode_webp;
    return is_svg(bytes, len) ? oc_decode_svg : NULL;
}

static enum oc_code no_picture(size_t len, struct oc_error *err) {
    return oc_fail(err, OC_E_INVALID,
            len ? "not a PNG, JPEG, GIF, WebP or SVG picture" : "the file is empty");
}

enum oc_code oc_picture_decode(
        const void *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    oc_picture_decoder *decode = decoder_for(bytes, len);
    return !decode                   ? no_picture(len, err)
           : decode == oc_decode_svg ? oc_decode_svg(bytes, len, ret, err)
                                     : oc_decode_apart(decode, bytes, len, ret, err);
}

enum oc_code oc_picture_decode_here(
        const void *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    oc_picture_decoder *decode = decoder_for(bytes, len);
    return decode ? decode(bytes, len, ret, err) : no_picture(len, err);
}

enum oc_code oc_picture_begin(struct oc_picture *p, double w, double h, unsigned px_w,
        unsigned px_h, struct oc_error *err) {
    if (!(w > 0) || !(h > 0) || !px_w || !px_h)
        return oc_fail(err, OC_E_INVALID, "the picture has no size");
    if (px_w > OC_CANVAS_MAX_SIDE || px_h > OC_CANVAS_MAX_SIDE ||
            (size_t)px_w * px_h > OC_CANVAS_MAX_IMAGE_PIXELS) {
        return oc_fail(err, OC_E_TOO_LARGE, "%.0f×%.0f is too large for a picture", w, h);
    }
    size_t count = (size_t)px_w * px_h;
    *p = (struct oc_picture){ .w = w, .h = h, .px_w = px_w, .px_h = px_h, .bytes = count * 4 };
    p->argb = oc_new_array(uint32_t, count);
    return OC_OK;
}

void oc_picture_finish(struct oc_picture *p) {
    oc_free(oc_take(&p->argb));
}

static const cairo_user_data_key_t bytes_key;

void *oc_picture_keep(struct oc_picture *p) {
    uint32_t *argb = oc_take(&p->argb);
    cairo_surface_t *s = cairo_image_surface_create_for_data((unsigned char *)argb,
            CAIRO_FORMAT_ARGB32, (int)p->px_w, (int)p->px_h, (int)p->px_w * 4);
    cairo_surface_set_user_data(s, &bytes_key, argb, oc_free);
    return s;
}

void oc_picture_drop(void *pixels) {
    if (pixels)
        cairo_surface_destroy(pixels);
}
