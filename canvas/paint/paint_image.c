/* Pictures at the size they are shown at. Scaling a photograph well costs more than the rest of a
 * page, so the last two sizes stay with the picture and go with it; parts that are painted again
 * later are then the very same pixels, too. */
#include "canvas/paint/paint_image.h"

#include "canvas/images/images.h"
#include "lib/base/mem.h"

#include <cairo.h>
#include <math.h>

#define MAX_KEPT 4e6 /* pixels of one scaled copy */

struct copies {
    cairo_surface_t *at[2]; /* NULL: none */
};

static const cairo_user_data_key_t copies_key;

static void copies_destroy(void *user) {
    struct copies *c = user;
    for (int i = 0; i < 2; i++) {
        if (c->at[i]) {
            cairo_surface_destroy(c->at[i]);
        }
    }
    oc_free(c);
}

static void paint_image_stretch(
        cairo_t *cr, cairo_surface_t *from, double x, double y, double w, double h) {
    double fw = cairo_image_surface_get_width(from), fh = cairo_image_surface_get_height(from);
    cairo_translate(cr, x, y);
    cairo_scale(cr, w / fw, h / fh);
    cairo_set_source_surface(cr, from, 0, 0);
    cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD); /* no pale rim */
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_GOOD);
    cairo_rectangle(cr, 0, 0, fw, fh);
    cairo_fill(cr);
}

static cairo_surface_t *copy_of(cairo_surface_t *from, int w, int h) {
    struct copies *c = cairo_surface_get_user_data(from, &copies_key);
    if (!c) {
        c = oc_new(struct copies);
        if (cairo_surface_set_user_data(from, &copies_key, c, copies_destroy) !=
                CAIRO_STATUS_SUCCESS) {
            oc_free(c);
            return NULL;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (c->at[i] && cairo_image_surface_get_width(c->at[i]) == w &&
                cairo_image_surface_get_height(c->at[i]) == h) {
            return c->at[i];
        }
    }
    if (c->at[1]) {
        cairo_surface_destroy(c->at[1]);
    }
    c->at[1] = c->at[0];
    c->at[0] = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, w, h);
    cairo_t *cr = cairo_create(c->at[0]);
    paint_image_stretch(cr, from, 0, 0, w, h);
    cairo_destroy(cr);
    return c->at[0];
}

void cv_image_draw(const struct cv_image *image, cairo_t *cr, struct cv_rect r) {
    cairo_surface_t *from = image->pixels;
    if (!from) {
        return;
    }
    double x0 = r.x, y0 = r.y, x1 = r.x + r.w, y1 = r.y + r.h;
    cairo_user_to_device(cr, &x0, &y0);
    cairo_user_to_device(cr, &x1, &y1);
    double w = round(x1) - round(x0), h = round(y1) - round(y0);
    cairo_save(cr);
    bool is_same =
            w == cairo_image_surface_get_width(from) && h == cairo_image_surface_get_height(from);
    cairo_surface_t *copy = is_same                                 ? from
                            : w >= 1 && h >= 1 && w * h <= MAX_KEPT ? copy_of(from, (int)w, (int)h)
                                                                    : NULL;
    if (copy) {
        cairo_identity_matrix(cr);
        cairo_set_source_surface(cr, copy, round(x0), round(y0));
        cairo_paint(cr);
    } else {
        paint_image_stretch(cr, from, r.x, r.y, r.w, r.h);
    }
    cairo_restore(cr);
}
