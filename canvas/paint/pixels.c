/* Pixels that are kept between paints, so that a change costs what it touches. */
#include "canvas/paint/pixels.h"

#include "canvas/model/limits.h"
#include "canvas/paint/encode.h"
#include "canvas/paint/paint.h"
#include "lib/base/mem.h"

#include <math.h>

#define MAX_DAMAGE 8
#define STRIP_PIXELS (512 * 1024) /* more than CV_MAX_SIDE: at least a few rows */

struct cv_pixels *cv_pixels_create(void) {
    struct cv_pixels *p = oc_new(struct cv_pixels);
    p->shown = cv_dl_create();
    return p;
}

void cv_pixels_destroy(struct cv_pixels *p) {
    if (!p) {
        return;
    }
    if (p->surface) {
        cairo_surface_destroy(p->surface);
    }
    cv_png_destroy(p->png);
    cv_dl_destroy(p->shown);
    oc_free(p);
}

static int pixels_side(double page_px, double scale) {
    double px = ceil(page_px * scale - 0.001);
    return px >= 1 ? (px > CV_MAX_SIDE ? CV_MAX_SIDE : (int)px) : 1;
}

/* Grown to whole device pixels, so that nothing at its rim is blended twice. */
static struct cv_rect to_pixels(struct cv_rect r, double scale, int w, int h) {
    double x0 = floor(fmax(r.x * scale, 0)), y0 = floor(fmax(r.y * scale, 0));
    double x1 = ceil(fmin((r.x + r.w) * scale, w)), y1 = ceil(fmin((r.y + r.h) * scale, h));
    return (struct cv_rect){ x0 / scale, y0 / scale, fmax(x1 - x0, 0) / scale,
        fmax(y1 - y0, 0) / scale };
}

/* top: of the surface, in device pixels. */
static void paint_part(cairo_surface_t *on, int top, double scale, const struct cv_display_list *dl,
        const struct cv_rect *damage, size_t count, cv_color page) {
    cairo_t *cr = cairo_create(on);
    cairo_translate(cr, 0, -top);
    cairo_scale(cr, scale, scale);
    for (size_t i = 0; i < count; i++) {
        cairo_rectangle(cr, damage[i].x, damage[i].y, damage[i].w, damage[i].h);
    }
    cairo_set_source_rgb(
            cr, (page >> 24) / 255.0, ((page >> 16) & 0xff) / 255.0, ((page >> 8) & 0xff) / 255.0);
    cairo_fill(cr);
    cv_paint(cr, dl, damage, count);
    cairo_destroy(cr);
    cairo_surface_flush(on);
}

enum oc_code cv_pixels_paint(struct cv_pixels *p, const struct cv_display_list *dl, double width,
        double height, double scale, cv_color page, struct oc_error *err) {
    scale = scale >= 0.1 && scale <= 8 ? scale : 1;
    int w = pixels_side(width, scale), h = pixels_side(height, scale);
    bool is_new = !p->surface || p->w != w || p->h != h || p->scale != scale || p->page != page;
    if (is_new) {
        if (!p->surface || p->w != w || p->h != h) {
            if (p->surface) {
                cairo_surface_destroy(p->surface);
            }
            p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
        }
        if (cairo_surface_status(p->surface) != CAIRO_STATUS_SUCCESS) {
            cairo_surface_destroy(oc_take(&p->surface));
            return oc_fail(err, OC_E_TOO_LARGE, "no memory for a picture of %d×%d pixels", w, h);
        }
        p->w = w;
        p->h = h;
        p->scale = scale;
        p->page = page;
    }
    struct cv_rect damage[MAX_DAMAGE] = { { 0, 0, w / scale, h / scale } };
    size_t count = is_new ? 1 : 0;
    if (!is_new) {
        size_t n = cv_dl_damage(p->shown, dl, damage, MAX_DAMAGE);
        for (size_t i = 0; i < n; i++) {
            struct cv_rect r = to_pixels(damage[i], scale, w, h);
            if (r.w > 0 && r.h > 0) {
                damage[count++] = r;
            }
        }
    }
    p->painted = 0;
    for (size_t i = 0; i < count; i++) {
        p->painted += (size_t)lround(damage[i].w * scale * damage[i].h * scale);
    }
    if (count) {
        paint_part(p->surface, 0, scale, dl, damage, count, page);
    }
    cv_dl_copy(p->shown, dl);
    return OC_OK;
}

enum oc_code cv_pixels_stream(struct cv_pixels *p, const struct cv_display_list *dl, double width,
        double height, double scale, cv_color page, struct oc_buf *out, struct oc_error *err) {
    scale = scale >= 0.1 && scale <= 8 ? scale : 1;
    int w = pixels_side(width, scale), h = pixels_side(height, scale), part = STRIP_PIXELS / w;
    cairo_surface_t *strip = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, part);
    if (cairo_surface_status(strip) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(strip);
        return oc_fail(err, OC_E_TOO_LARGE, "no memory for a picture of %d×%d pixels", w, h);
    }
    if (!p->png) {
        p->png = cv_png_create();
    }
    cv_png_begin(p->png, (unsigned)w, (unsigned)h, out);
    for (int y = 0; y < h && !out->failed; y += part) {
        int rows = h - y < part ? h - y : part;
        struct cv_rect all = { 0, y / scale, w / scale, rows / scale };
        paint_part(strip, y, scale, dl, &all, 1, page);
        cv_png_add(
                p->png, &(struct cv_raster){
                                .px = (const uint32_t *)(void *)cairo_image_surface_get_data(strip),
                                .w = (unsigned)w,
                                .h = (unsigned)rows,
                                .stride = (size_t)cairo_image_surface_get_stride(strip) / 4 });
    }
    cairo_surface_destroy(strip);
    p->painted = (size_t)w * (size_t)h;
    return cv_png_end(p->png, err);
}

size_t cv_pixels_painted(const struct cv_pixels *p) {
    return p->painted;
}

cairo_surface_t *cv_pixels_surface(struct cv_pixels *p) {
    return p->surface;
}
