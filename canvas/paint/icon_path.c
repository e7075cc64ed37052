/* Icons: the path language of icons.def onto a Cairo path. */
#include "canvas/paint/icon_path.h"

#include "canvas/model/icons.h"

#include "lib/base/one_of.h"

#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define UNITS 24.0
#define STROKE 2.0

struct pen {
    const char *at;
    double x, y;             /* where it is */
    double start_x, start_y; /* of the sub-path, for Z */
};

static bool next_number(struct pen *p, double *ret) {
    while (*p->at == ' ' || *p->at == ',' || *p->at == '\n') {
        p->at++;
    }
    char *end;
    double v = strtod(p->at, &end);
    if (end == p->at) {
        return false;
    }
    p->at = end;
    *ret = v;
    return true;
}

static bool next_numbers(struct pen *p, double *ret, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!next_number(p, &ret[i])) {
            return false;
        }
    }
    return true;
}

/* An elliptical arc as SVG gives it (end points, flags) becomes one as Cairo wants it (centre,
 * angles). */
static void arc_to(cairo_t *cr, struct pen *p, const double a[7]) {
    double rx = fabs(a[0]), ry = fabs(a[1]), phi = a[2] * M_PI / 180, x2 = a[5], y2 = a[6];
    double c = cos(phi), s = sin(phi), dx = (p->x - x2) / 2, dy = (p->y - y2) / 2;
    double x1p = c * dx + s * dy, y1p = -s * dx + c * dy;
    if (rx < 1e-6 || ry < 1e-6 || (fabs(dx) < 1e-9 && fabs(dy) < 1e-9)) {
        cairo_line_to(cr, x2, y2);
        return;
    }
    double lambda = x1p * x1p / (rx * rx) + y1p * y1p / (ry * ry);
    if (lambda > 1) {
        rx *= sqrt(lambda);
        ry *= sqrt(lambda);
    }
    double num = rx * rx * ry * ry - rx * rx * y1p * y1p - ry * ry * x1p * x1p;
    double den = rx * rx * y1p * y1p + ry * ry * x1p * x1p;
    double k = sqrt(fmax(num / den, 0)) * ((a[3] != 0) == (a[4] != 0) ? -1 : 1);
    double cxp = k * rx * y1p / ry, cyp = -k * ry * x1p / rx;
    double cx = c * cxp - s * cyp + (p->x + x2) / 2, cy = s * cxp + c * cyp + (p->y + y2) / 2;
    double from = atan2((y1p - cyp) / ry, (x1p - cxp) / rx);
    double to = atan2((-y1p - cyp) / ry, (-x1p - cxp) / rx);
    cairo_matrix_t saved;
    cairo_get_matrix(cr, &saved);
    cairo_translate(cr, cx, cy);
    cairo_rotate(cr, phi);
    cairo_scale(cr, rx, ry);
    if (a[4] != 0) {
        cairo_arc(cr, 0, 0, 1, from, to);
    } else {
        cairo_arc_negative(cr, 0, 0, 1, from, to);
    }
    cairo_set_matrix(cr, &saved);
}

static void quad_to(cairo_t *cr, const struct pen *p, const double a[4]) {
    cairo_curve_to(cr, p->x + (a[0] - p->x) * 2 / 3, p->y + (a[1] - p->y) * 2 / 3,
            a[2] + (a[0] - a[2]) * 2 / 3, a[3] + (a[1] - a[3]) * 2 / 3, a[2], a[3]);
}

static void icon_path_rel(const struct pen *p, bool is_rel, double *a, size_t n) {
    for (size_t i = 0; is_rel && i < n; i++) {
        a[i] += i % 2 ? p->y : p->x;
    }
}

/* One command with its numbers; false at the end or at what is not understood. */
static bool icon_path_step(cairo_t *cr, struct pen *p, char *command) {
    while (*p->at == ' ' || *p->at == ',' || *p->at == '\n') {
        p->at++;
    }
    if (!*p->at) {
        return false;
    }
    if (oc_is_one_of(*p->at, "MLHVCQAZmlhvcqaz")) {
        *command = *p->at++;
    }
    bool is_rel = *command >= 'a';
    double a[7];
    switch (is_rel ? *command - 'a' + 'A' : *command) {
    case 'M':
    case 'L':
        if (!next_numbers(p, a, 2)) {
            return false;
        }
        icon_path_rel(p, is_rel, a, 2);
        if (*command == 'M' || *command == 'm') {
            cairo_move_to(cr, a[0], a[1]);
            p->start_x = a[0];
            p->start_y = a[1];
            *command = is_rel ? 'l' : 'L'; /* further pairs are lines */
        } else {
            cairo_line_to(cr, a[0], a[1]);
        }
        break;
    case 'H':
    case 'V':
        if (!next_number(p, a)) {
            return false;
        }
        bool is_h = *command == 'H' || *command == 'h';
        double v = a[0] + (is_rel ? (is_h ? p->x : p->y) : 0);
        a[0] = is_h ? v : p->x;
        a[1] = is_h ? p->y : v;
        cairo_line_to(cr, a[0], a[1]);
        break;
    case 'C':
        if (!next_numbers(p, a, 6)) {
            return false;
        }
        icon_path_rel(p, is_rel, a, 6);
        cairo_curve_to(cr, a[0], a[1], a[2], a[3], a[4], a[5]);
        memmove(a, a + 4, 2 * sizeof(*a));
        break;
    case 'Q':
        if (!next_numbers(p, a, 4)) {
            return false;
        }
        icon_path_rel(p, is_rel, a, 4);
        quad_to(cr, p, a);
        memmove(a, a + 2, 2 * sizeof(*a));
        break;
    case 'A':
        if (!next_numbers(p, a, 7)) {
            return false;
        }
        icon_path_rel(p, is_rel, a + 5, 2);
        arc_to(cr, p, a);
        memmove(a, a + 5, 2 * sizeof(*a));
        break;
    case 'Z':
        cairo_close_path(cr);
        a[0] = p->start_x;
        a[1] = p->start_y;
        break;
    default:
        return false;
    }
    p->x = a[0];
    p->y = a[1];
    return true;
}

static void icon_path_trace(cairo_t *cr, const char *path) {
    struct pen p = { .at = path };
    char command = 'M';
    cairo_new_path(cr);
    while (icon_path_step(cr, &p, &command)) {
    }
}

void cv_icon_draw(cairo_t *cr, const char *name, double x, double y, double w, double h) {
    const struct cv_icon *icon = cv_icon_find(name);
    double side = fmin(w, h);
    cairo_save(cr);
    cairo_translate(cr, x + (w - side) / 2, y + (h - side) / 2);
    cairo_scale(cr, side / UNITS, side / UNITS);
    cairo_set_line_width(cr, STROKE);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    if (icon->path) {
        icon_path_trace(cr, icon->path);
        cairo_stroke(cr);
    }
    if (icon->solid) {
        icon_path_trace(cr, icon->solid);
        cairo_fill(cr);
    }
    cairo_restore(cr);
}
