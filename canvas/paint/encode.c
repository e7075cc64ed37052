/* Pixels → picture: scaling down, then PNG or JPEG. */
#include "canvas/paint/encode.h"
#include "canvas/paint/paint.h"
#include "canvas/paint/pixels.h"
#include "lib/base/mem.h"

#include <math.h>
#include <string.h>

/* What one pixel of the small picture takes from the large one: pixels from…to, the first and the
 * last only in part. Weights are of 256. */
struct share {
    unsigned from, to; /* inclusive */
    unsigned first, last;
};

static struct share share_of(unsigned i, double step, unsigned limit) {
    double a = i * step, b = (i + 1) * step;
    struct share s = { .from = (unsigned)a, .to = (unsigned)ceil(b) - 1 };
    if (s.to >= limit) {
        s.to = limit - 1;
    }
    s.first = (unsigned)lround((fmin(s.from + 1, b) - a) * 256);
    s.last = s.to == s.from ? s.first : (unsigned)lround((b - s.to) * 256);
    return s;
}

static unsigned encode_weight(const struct share *s, unsigned i) {
    return i == s->from ? s->first : i == s->to ? s->last : 256;
}

/* The mean of all the pixels under each new pixel: soft, no ringing around text, and exact for
 * whole factors. */
static uint32_t *encode_shrink(const struct cv_raster *r, unsigned w, unsigned h) {
    uint32_t *to = oc_new_array(uint32_t, (size_t)w * h);
    OC_AUTO_FREE struct share *xs = oc_new_array(struct share, w);
    OC_AUTO_FREE uint64_t *sums = oc_new_array(uint64_t, (size_t)w * 4); /* r, g, b, weight */
    for (unsigned x = 0; x < w; x++) {
        xs[x] = share_of(x, (double)r->w / w, r->w);
    }
    for (unsigned y = 0; y < h; y++) {
        struct share ys = share_of(y, (double)r->h / h, r->h);
        memset(sums, 0, (size_t)w * 4 * sizeof(*sums));
        for (unsigned sy = ys.from; sy <= ys.to; sy++) {
            const uint32_t *row = r->px + sy * r->stride;
            unsigned wy = encode_weight(&ys, sy);
            for (unsigned x = 0; x < w; x++) {
                uint64_t *sum = &sums[(size_t)x * 4];
                for (unsigned sx = xs[x].from; sx <= xs[x].to; sx++) {
                    uint64_t k = (uint64_t)wy * encode_weight(&xs[x], sx);
                    uint32_t p = row[sx];
                    sum[0] += k * ((p >> 16) & 0xff);
                    sum[1] += k * ((p >> 8) & 0xff);
                    sum[2] += k * (p & 0xff);
                    sum[3] += k;
                }
            }
        }
        for (unsigned x = 0; x < w; x++) {
            const uint64_t *s = &sums[(size_t)x * 4];
            uint64_t half = s[3] / 2;
            to[(size_t)y * w + x] = (uint32_t)((s[0] + half) / s[3]) << 16 |
                                    (uint32_t)((s[1] + half) / s[3]) << 8 |
                                    (uint32_t)((s[2] + half) / s[3]);
        }
    }
    return to;
}

enum oc_code cv_pixels_encode(struct cv_pixels *p, enum cv_picture_format format,
        unsigned max_width, double quality, struct oc_buf *out, struct oc_error *err) {
    if (!p->surface) {
        return oc_fail(err, OC_E_UNAVAILABLE, "nothing has been painted yet");
    }
    cairo_surface_flush(p->surface);
    struct cv_raster r = {
        .px = (const uint32_t *)(void *)cairo_image_surface_get_data(p->surface),
        .w = (unsigned)p->w,
        .h = (unsigned)p->h,
        .stride = (size_t)cairo_image_surface_get_stride(p->surface) / 4,
    };
    OC_AUTO_FREE uint32_t *small = NULL;
    if (max_width && max_width < r.w) {
        unsigned h = (unsigned)lround((double)r.h * max_width / r.w);
        small = encode_shrink(&r, max_width, h ? h : 1);
        r = (struct cv_raster){ small, max_width, h ? h : 1, max_width };
    }
    if (format == CV_PICTURE_JPEG) {
        return cv_jpeg_encode(&r, quality, out, err);
    }
    if (!p->png) {
        p->png = cv_png_create();
    }
    cv_png_begin(p->png, r.w, r.h, out);
    cv_png_add(p->png, &r);
    return cv_png_end(p->png, err);
}
