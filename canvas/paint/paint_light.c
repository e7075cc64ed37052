#include "canvas/paint/paint_light.h"

#include "canvas/model/limits.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

#define SHADOW_STOPS 8
#define GLOW_DEEP 1800.0 /* a page that is taller than this is lit at its top only, */
#define GLOW_TOP 1200.0  /* as if it were so high, and below that it has faded away */
#define GLOW_SHARE 4     /* the glow is worked out for every 4th pixel and stretched */

/* How dark a blurred edge is at a distance (in blurs) inside of it. */
static double paint_light_shade(double inside) {
    return 0.5 * (1 + erf(inside * M_SQRT2));
}

static void add_stops(cairo_pattern_t *p, double from, double to, cv_color c) {
    double r = (c >> 24) / 255.0, g = ((c >> 16) & 0xff) / 255.0, b = ((c >> 8) & 0xff) / 255.0;
    for (int i = 0; i <= SHADOW_STOPS; i++) {
        double t = (double)i / SHADOW_STOPS; /* from the middle outwards: inside 1 … -1 */
        double a = i == SHADOW_STOPS ? 0 : paint_light_shade(1 - 2 * t) * (c & 0xff) / 255.0;
        cairo_pattern_add_color_stop_rgba(p, from + (to - from) * t, r, g, b, a);
    }
}

static void fill_with(cairo_t *cr, cairo_pattern_t *p, double x, double y, double w, double h) {
    if (w > 0 && h > 0) {
        cairo_rectangle(cr, x, y, w, h);
        cairo_set_source(cr, p);
        cairo_fill(cr);
    }
    cairo_pattern_destroy(p);
}

/* A blurred rounded box, nearly: a solid middle, four edges that fade away from it, and round fades
 * in the corners. */
void cv_shadow_draw(cairo_t *cr, struct cv_rect r, double radius, double blur, cv_color color) {
    double round = fmin(fmax(radius, blur), fmin(r.w, r.h) / 2); /* of the corners' middle line */
    if (!(color & 0xff) || round <= 0 || blur <= 0) {
        return;
    }
    double reach = fmin(blur, round), out = round + reach; /* the fade lies reach in and out */
    double x0 = r.x + round, y0 = r.y + round, x1 = r.x + r.w - round, y1 = r.y + r.h - round;
    const double corners[4][2] = { { x0, y0 }, { x1, y0 }, { x0, y1 }, { x1, y1 } };
    cairo_save(cr);
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE); /* the parts must meet without seams */
    for (int i = 0; i < 4; i++) {
        double cx = corners[i][0], cy = corners[i][1];
        cairo_pattern_t *p = cairo_pattern_create_radial(cx, cy, 0, cx, cy, out);
        add_stops(p, (round - reach) / out, 1, color);
        fill_with(cr, p, i % 2 ? cx : cx - out, i / 2 ? cy : cy - out, out, out);
    }
    const double edges[4][8] = {
        /* gradient from x, y to x, y; box */
        { 0, y0 - round + reach, 0, y0 - out, x0, y0 - out, x1 - x0, out },
        { 0, y1 + round - reach, 0, y1 + out, x0, y1, x1 - x0, out },
        { x0 - round + reach, 0, x0 - out, 0, x0 - out, y0, out, y1 - y0 },
        { x1 + round - reach, 0, x1 + out, 0, x1, y0, out, y1 - y0 },
    };
    for (int i = 0; i < 4; i++) {
        const double *e = edges[i];
        cairo_pattern_t *p = cairo_pattern_create_linear(e[0], e[1], e[2], e[3]);
        add_stops(p, 0, 1, color);
        fill_with(cr, p, e[4], e[5], e[6], e[7]);
    }
    cairo_set_source_rgba(cr, (color >> 24) / 255.0, ((color >> 16) & 0xff) / 255.0,
            ((color >> 8) & 0xff) / 255.0, paint_light_shade(1) * (color & 0xff) / 255.0);
    cairo_rectangle(cr, x0, y0, x1 - x0, y1 - y0);
    cairo_fill(cr);
    cairo_restore(cr);
}

/* One light: an ellipse around a point of the page that fades to nothing at `reach` of its size. */
static void draw_light(cairo_t *cr, struct cv_rect page, cv_color c, double at_x, double at_y,
        double rx, double ry, double reach) {
    cairo_pattern_t *p = cairo_pattern_create_radial(0, 0, 0, 0, 0, reach);
    double r = (c >> 24) / 255.0, g = ((c >> 16) & 0xff) / 255.0, b = ((c >> 8) & 0xff) / 255.0;
    cairo_pattern_add_color_stop_rgba(p, 0, r, g, b, (c & 0xff) / 255.0);
    cairo_pattern_add_color_stop_rgba(p, 1, r, g, b, 0);
    cairo_save(cr);
    cairo_translate(cr, page.x + page.w * at_x, page.y + page.h * at_y);
    cairo_scale(cr, rx, ry);
    cairo_set_source(cr, p);
    cairo_paint(cr);
    cairo_restore(cr);
    cairo_pattern_destroy(p);
}

/* Lights change slowly, so a small picture of them is stretched; working out each pixel costs ten
 * times as much. */
static cairo_surface_t *make_glow(int w, int h, double scale, const cv_color c[3]) {
    int sw = w / GLOW_SHARE + 1, sh = h / GLOW_SHARE + 1;
    cairo_surface_t *small = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, sw, sh);
    cairo_t *cr = cairo_create(small);
    cairo_scale(cr, scale / GLOW_SHARE, scale / GLOW_SHARE);
    double page_h = h / scale;
    struct cv_rect all = { 0, 0, w / scale, page_h >= GLOW_DEEP ? GLOW_TOP : page_h };
    draw_light(cr, all, c[0], 0.15, 0.2, 1200, 900, 0.55);
    draw_light(cr, all, c[1], 0.85, 0.3, 900, 700, 0.6);
    draw_light(cr, all, c[2], 0.6, 0.9, 1000, 900, 0.6);
    cairo_destroy(cr);
    cairo_surface_t *whole = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, w, h);
    cr = cairo_create(whole);
    cairo_scale(cr, GLOW_SHARE, GLOW_SHARE);
    cairo_set_source_surface(cr, small, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_BILINEAR);
    cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
    cairo_set_operator(cr, CAIRO_OPERATOR_SOURCE);
    cairo_paint(cr);
    cairo_destroy(cr);
    cairo_surface_destroy(small);
    return whole;
}

/* The last one is kept: it stays the same until the window gets another size, and parts of it that
 * are painted again later are the very same pixels, which they would not be when stretched anew. */
static cairo_surface_t *kept_glow(int w, int h, double scale, const cv_color c[3]) {
    static cairo_surface_t *kept;
    static cv_color colors[3];
    static int kept_w, kept_h;
    static double kept_scale;
    if (kept && kept_w == w && kept_h == h && kept_scale == scale &&
            memcmp(colors, c, sizeof(colors)) == 0) {
        return kept;
    }
    if (kept) {
        cairo_surface_destroy(kept);
    }
    kept = make_glow(w, h, scale, c);
    kept_w = w;
    kept_h = h;
    kept_scale = scale;
    memcpy(colors, c, sizeof(colors));
    return kept;
}

void cv_glow_draw(cairo_t *cr, struct cv_rect page, cv_color a, cv_color b, cv_color c) {
    cairo_matrix_t m;
    cairo_get_matrix(cr, &m);
    double x = page.x, y = page.y;
    double w = ceil(page.w * m.xx), h = ceil(fmin(page.h, GLOW_DEEP) * m.xx);
    if (!(w >= 1) || !(h >= 1) || w > CV_MAX_SIDE || h > CV_MAX_SIDE) {
        return;
    }
    cairo_user_to_device(cr, &x, &y);
    cairo_save(cr);
    cairo_identity_matrix(cr);
    cairo_set_source_surface(
            cr, kept_glow((int)w, (int)h, m.xx, (const cv_color[]){ a, b, c }), round(x), round(y));
    cairo_paint(cr);
    cairo_restore(cr);
}
