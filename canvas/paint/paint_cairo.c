/* Display list → Cairo. Boxes are snapped to device pixels as browsers do, so that one-pixel
 * borders and cards at fractional places stay sharp. */
#include "canvas/images/images.h"
#include "canvas/paint/icon_path.h"
#include "canvas/paint/paint.h"
#include "canvas/paint/paint_image.h"
#include "canvas/paint/paint_light.h"
#include "canvas/text/text_draw.h"

#include <cairo.h>
#include <math.h>

static void set_color(cairo_t *cr, cv_color c) {
    cairo_set_source_rgba(cr, (c >> 24) / 255.0, ((c >> 16) & 0xff) / 255.0,
            ((c >> 8) & 0xff) / 255.0, (c & 0xff) / 255.0);
}

static void add_stop(cairo_pattern_t *p, double at, cv_color c) {
    cairo_pattern_add_color_stop_rgba(p, at, (c >> 24) / 255.0, ((c >> 16) & 0xff) / 255.0,
            ((c >> 8) & 0xff) / 255.0, (c & 0xff) / 255.0);
}

static void paint_cairo_snap(double *from, double *to) {
    bool is_thin = *to > *from && round(*to) <= round(*from);
    *from = is_thin ? floor(*from) : round(*from);
    *to = is_thin ? *from + 1 : round(*to);
}

/* To whole device pixels; what is thinner than one becomes the one where it begins, which is what
 * damage counts on. */
static struct cv_rect paint_cairo_snapped(cairo_t *cr, struct cv_rect r) {
    double x0 = r.x, y0 = r.y, x1 = r.x + r.w, y1 = r.y + r.h;
    cairo_user_to_device(cr, &x0, &y0);
    cairo_user_to_device(cr, &x1, &y1);
    paint_cairo_snap(&x0, &x1);
    paint_cairo_snap(&y0, &y1);
    cairo_device_to_user(cr, &x0, &y0);
    cairo_device_to_user(cr, &x1, &y1);
    return (struct cv_rect){ x0, y0, x1 - x0, y1 - y0 };
}

static void trace_box(cairo_t *cr, struct cv_rect r, double radius) {
    radius = fmin(radius, fmin(r.w, r.h) / 2);
    cairo_new_path(cr);
    if (radius < 0.01) {
        cairo_rectangle(cr, r.x, r.y, r.w, r.h);
        return;
    }
    cairo_arc(cr, r.x + r.w - radius, r.y + radius, radius, -M_PI / 2, 0);
    cairo_arc(cr, r.x + r.w - radius, r.y + r.h - radius, radius, 0, M_PI / 2);
    cairo_arc(cr, r.x + radius, r.y + r.h - radius, radius, M_PI / 2, M_PI);
    cairo_arc(cr, r.x + radius, r.y + radius, radius, M_PI, 3 * M_PI / 2);
    cairo_close_path(cr);
}

/* CSS: the gradient line goes through the centre and is as long as to reach the corners. */
static cairo_pattern_t *paint_cairo_gradient(const struct cv_dl_op *op, struct cv_rect r) {
    double a = op->angle * M_PI / 180, dx = sin(a), dy = -cos(a);
    double half = (fabs(r.w * dx) + fabs(r.h * dy)) / 2, cx = r.x + r.w / 2, cy = r.y + r.h / 2;
    cairo_pattern_t *p = cairo_pattern_create_linear(
            cx - dx * half, cy - dy * half, cx + dx * half, cy + dy * half);
    add_stop(p, 0, op->fill);
    add_stop(p, 1, op->fill_to);
    return p;
}

static void draw_box(cairo_t *cr, const struct cv_dl_op *op) {
    struct cv_rect r = paint_cairo_snapped(cr, op->rect);
    if ((op->fill & 0xff) || (op->fill_to & 0xff)) {
        trace_box(cr, r, op->radius);
        if (op->fill_to != op->fill) {
            cairo_pattern_t *p = paint_cairo_gradient(op, r);
            cairo_set_source(cr, p);
            cairo_pattern_destroy(p);
        } else {
            set_color(cr, op->fill);
        }
        cairo_fill(cr);
    }
    double px = op->border_px;
    if (px > 0 && (op->border & 0xff) && r.w >= px && r.h >= px) {
        struct cv_rect inner = { r.x + px / 2, r.y + px / 2, r.w - px, r.h - px };
        trace_box(cr, inner, fmax(op->radius - px / 2, 0));
        set_color(cr, op->border);
        cairo_set_line_width(cr, px);
        cairo_stroke(cr);
    }
}

static void draw_line(cairo_t *cr, const struct cv_dl_op *op) {
    struct cv_rect r = op->rect;
    set_color(cr, op->fill);
    double px = op->border_px > 0 ? op->border_px : 1;
    if (r.w == 0 || r.h == 0) { /* upright or level: a box, to be sharp */
        struct cv_rect box = r.h == 0 ? (struct cv_rect){ r.x, r.y - px / 2, r.w, px }
                                      : (struct cv_rect){ r.x - px / 2, r.y, px, r.h };
        box = paint_cairo_snapped(cr, box);
        cairo_rectangle(cr, box.x, box.y, box.w, box.h);
        cairo_fill(cr);
        return;
    }
    cairo_set_line_width(cr, px);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_move_to(cr, r.x, r.y);
    cairo_line_to(cr, r.x + r.w, r.y + r.h);
    cairo_stroke(cr);
}

static void fit_scale(
        enum cv_fit fit, struct cv_rect r, double w, double h, double *ret_x, double *ret_y) {
    double sx = r.w / w, sy = r.h / h;
    switch (fit) {
    case CV_FIT_FILL:
        break;
    case CV_FIT_CONTAIN:
        sx = sy = fmin(sx, sy);
        break;
    case CV_FIT_COVER:
        sx = sy = fmax(sx, sy);
        break;
    case CV_FIT_NONE:
        sx = sy = 1;
        break;
    case CV_FIT_SCALE_DOWN:
        sx = sy = fmin(fmin(sx, sy), 1);
        break;
    }
    *ret_x = sx;
    *ret_y = sy;
}

static void draw_image(cairo_t *cr, const struct cv_dl_op *op) {
    const struct cv_image *image = op->image;
    struct cv_rect r = paint_cairo_snapped(cr, op->rect);
    if (!image || image->state != CV_IMAGE_READY || image->w < 1 || image->h < 1 || r.w <= 0 ||
            r.h <= 0) {
        return;
    }
    double sx, sy;
    fit_scale(op->fit, r, image->w, image->h, &sx, &sy);
    double w = image->w * sx, h = image->h * sy;
    cairo_save(cr);
    trace_box(cr, r, op->radius);
    cairo_clip(cr);
    cv_image_draw(image, cr, (struct cv_rect){ r.x + (r.w - w) / 2, r.y + (r.h - h) / 2, w, h });
    cairo_restore(cr);
}

static void draw_clip(cairo_t *cr, const struct cv_dl_op *op) {
    struct cv_rect r = paint_cairo_snapped(cr, op->rect);
    cairo_save(cr);
    trace_box(cr, r, op->radius);
    cairo_clip(cr);
}

static void draw_text(cairo_t *cr, const struct cv_dl_op *op) {
    double x = op->rect.x, y = op->rect.y;
    cairo_user_to_device(cr, &x, &y);
    y = round(y); /* the baseline is a whole number of pixels below */
    cairo_device_to_user(cr, &x, &y);
    cv_text_draw(op->text, cr, op->rect.x, y, op->rect.w);
}

static void paint_cairo_draw(cairo_t *cr, const struct cv_dl_op *op) {
    switch (op->kind) {
    case CV_DL_BOX:
        draw_box(cr, op);
        break;
    case CV_DL_SHADOW:
        cv_shadow_draw(cr, op->rect, op->radius, op->border_px, op->fill);
        break;
    case CV_DL_TEXT:
        draw_text(cr, op);
        break;
    case CV_DL_IMAGE:
        draw_image(cr, op);
        break;
    case CV_DL_ICON:
        set_color(cr, op->fill);
        cv_icon_draw(cr, op->icon, op->rect.x, op->rect.y, op->rect.w, op->rect.h);
        break;
    case CV_DL_LINE:
        draw_line(cr, op);
        break;
    case CV_DL_GLOW:
        cv_glow_draw(cr, op->rect, op->fill, op->fill_to, op->border);
        break;
    case CV_DL_CLIP:
    case CV_DL_UNCLIP:
        break;
    }
}

static bool paint_cairo_touches(struct cv_rect r, const struct cv_rect *damage, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct cv_rect both = cv_rect_intersect(r, damage[i]);
        if (both.w > 0 && both.h > 0) {
            return true;
        }
    }
    return false;
}

void cv_paint(
        cairo_t *cr, const struct cv_display_list *dl, const struct cv_rect *damage, size_t count) {
    struct cv_rect all;
    if (count) {
        for (size_t i = 0; i < count; i++) {
            cairo_rectangle(cr, damage[i].x, damage[i].y, damage[i].w, damage[i].h);
        }
        cairo_save(cr);
        cairo_clip(cr);
    } else {
        cairo_save(cr);
        double x0, y0, x1, y1;
        cairo_clip_extents(cr, &x0, &y0, &x1, &y1);
        all = (struct cv_rect){ x0, y0, x1 - x0, y1 - y0 };
        damage = &all;
        count = 1;
    }
    size_t depth = 0, hidden = 0; /* clips around; those since the first that hides all below it */
    for (size_t i = 0, n = cv_dl_count(dl); i < n; i++) {
        const struct cv_dl_op *op = cv_dl_at(dl, i);
        bool is_seen = !hidden && paint_cairo_touches(cv_dl_bounds(dl, i), damage, count);
        if (op->kind == CV_DL_CLIP) {
            if (!is_seen) {
                hidden++;
            } else {
                draw_clip(cr, op);
                depth++;
            }
        } else if (op->kind == CV_DL_UNCLIP) {
            if (hidden) {
                hidden--;
            } else if (depth) {
                cairo_restore(cr);
                depth--;
            }
        } else if (is_seen) {
            paint_cairo_draw(cr, op);
        }
    }
    while (depth--) {
        cairo_restore(cr);
    }
    cairo_restore(cr);
}
