#include "canvas/widgets/field.h"

#include "canvas/text/direction.h"
#include "lib/base/utf8.h"

#include <math.h>
#include <string.h>

#define ICON_PX 18
#define DATE_TIME_LEAST 180 /* a box with both in it */

struct cv_text_style cv_field_style(const struct cv_theme *t, cv_color color) {
    const struct cv_font *f = &t->text[CV_HINT_BODY];
    return (struct cv_text_style){ .family = t->family,
        .size_px = f->size_px,
        .line_px = f->line_px,
        .weight = f->weight,
        .color = color };
}

struct cv_text *cv_field_line(
        struct cv_scene *s, const struct cv_theme *t, const char *text, cv_color color) {
    struct cv_text_style style = cv_field_style(t, color);
    style.no_wrap = style.ellipsis = true;
    struct oc_slice slice = { text, oc_utf8_cut(text, strlen(text), CV_FIELD_MAX_LABEL) };
    return cv_text_get(s->texts, slice, &style);
}

double cv_field_line_px(const struct cv_theme *t) {
    return t->text[CV_HINT_BODY].line_px;
}

void cv_field_label(struct cv_scene *s, struct cv_item *it, struct cv_field *f, const char *label) {
    const struct cv_theme *t = it->theme;
    f->above = t->label_above;
    if (!label[0]) {
        return;
    }
    f->label = cv_field_line(s, t, label, t->label_above ? t->muted : t->primary);
    cv_item_shows(it, f->label);
    f->label_w = cv_text_max_width(f->label);
    f->label_h = cv_field_line_px(t);
    f->gap = t->label_gap;
    f->is_leftwards = cv_reads_leftwards(label);
}

/* Beside the box there may be no room for both, on a phone or in a narrow window. */
static bool is_above(const struct cv_item *it, const struct cv_field *f) {
    double box_w = f->box_w > 0 ? f->box_w : CV_FIELD_BOX_W;
    return f->above ||
           (f->label && it->w < f->label_w + f->gap +
                                        fmin(box_w, box_w > CV_FIELD_BOX_W ? DATE_TIME_LEAST
                                                                           : CV_FIELD_BOX_LEAST));
}

void cv_field_intrinsic(struct cv_item *it, const struct cv_field *f) {
    double box_w = f->box_w > 0 ? f->box_w : CV_FIELD_BOX_W;
    if (f->above) {
        it->min_w = 2 * CV_FIELD_BOX_MIN;
        it->max_w = fmax(f->label_w, box_w);
        return;
    }
    it->min_w = fmin(f->label_w, box_w) + f->gap + CV_FIELD_BOX_MIN;
    it->max_w = f->label_w + f->gap + box_w;
}

void cv_field_height(struct cv_item *it, const struct cv_field *f) {
    it->nat_h = is_above(it, f) ? f->label_h + f->gap + f->box_h : fmax(f->label_h, f->box_h);
}

/* A label beside the box leaves it at least a little; a cell that is higher than needed changes
 * nothing. */
struct cv_rect cv_field_box(const struct cv_item *it, const struct cv_field *f) {
    double beside = 0, top = 0;
    if (is_above(it, f)) {
        top = f->label_h + f->gap;
    } else if (f->label) {
        beside = fmax(fmin(f->label_w + f->gap, it->w - CV_FIELD_BOX_MIN), 0);
    }
    double left = f->is_leftwards ? 0 : beside;
    return (struct cv_rect){ it->x + left, it->y + top, fmax(it->w - beside, 0), f->box_h };
}

void cv_field_paint_label(
        const struct cv_item *it, const struct cv_field *f, struct cv_display_list *dl) {
    if (!f->label) {
        return;
    }
    double w = it->w, y = it->y;
    if (!is_above(it, f)) {
        w = fmax(it->w - cv_field_box(it, f).w - f->gap, 0);
        /* beside the first line of a long field */
        y += fmin((f->box_h - f->label_h) / 2, it->theme->field_pad_y + 1);
    }
    w = fmin(w, ceil(f->label_w));
    cv_dl_text(dl, f->is_leftwards ? it->x + it->w - w : it->x, y, w, f->label);
}

void cv_field_ring(const struct cv_scene *s, const struct cv_item *it, struct cv_rect r,
        double radius, struct cv_display_list *dl) {
    if (!s->focus_visible || !cv_item_is(it, s->focus)) {
        return;
    }
    struct cv_rect around = { r.x - 3, r.y - 3, r.w + 6, r.h + 6 };
    double most = fmin(around.w, around.h) / 2;
    cv_dl_box(dl, around, fmin(radius + 3, most), 0, it->theme->focus, 2);
}

void cv_field_paint_box(const struct cv_scene *s, const struct cv_item *it, struct cv_rect r,
        bool is_bad, struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    bool has_focus = cv_item_is(it, s->focus);
    cv_color border = is_bad                     ? t->error
                      : has_focus                ? t->focus
                      : cv_item_is(it, s->hover) ? cv_color_mix(t->field_border, t->text_color, 0.7)
                                                 : t->field_border;
    cv_dl_box(dl, r, t->field_radius, t->field_back, border, 1);
    cv_field_ring(s, it, r, t->field_radius, dl);
}

void cv_field_paint_line(struct cv_display_list *dl, struct cv_text *text, struct cv_rect r) {
    double h = cv_text_height(text, r.w);
    cv_dl_text(dl, r.x, r.y + (r.h - h) / 2, r.w, text);
}

void cv_field_paint_date(const struct cv_item *it, struct cv_rect box, struct cv_text *text,
        const char *icon, struct cv_display_list *dl) {
    double pad = it->theme->field_pad_x + 1, w = fmax(box.w - 2 * pad, 0);
    if (w - ICON_PX - 4 >= cv_text_max_width(text) || w >= CV_FIELD_BOX_W) {
        w = fmax(w - ICON_PX - 4, 0);
        struct cv_rect r = { box.x + pad + w + 4, box.y + (box.h - ICON_PX) / 2, ICON_PX, ICON_PX };
        cv_dl_icon(dl, r, icon, it->theme->muted);
    }
    cv_field_paint_line(dl, text, (struct cv_rect){ box.x + pad, box.y, w, box.h });
}

struct selecting {
    struct cv_display_list *dl;
    double x, y;
    cv_color color;
};

static void on_selected(void *user, double x, double y, double w, double h) {
    const struct selecting *sel = user;
    cv_dl_box(sel->dl, (struct cv_rect){ sel->x + x, sel->y + y, w, h }, 2, sel->color, 0, 0);
}

void cv_field_paint_selection(
        struct cv_display_list *dl, const struct cv_edit *e, double x, double y, cv_color color) {
    struct selecting sel = { dl, x, y, color };
    struct oc_slice selected = cv_edit_selected(e);
    if (selected.len == 0) {
        return;
    }
    size_t from = (size_t)(selected.ptr - e->value.ptr);
    cv_text_selection(e->text, e->width, cv_edit_to_shown(e, from),
            cv_edit_to_shown(e, from + selected.len), on_selected, &sel);
}

struct cv_rect cv_field_popup(const struct cv_scene *s, struct cv_rect box, double w, double h) {
    double x = fmax(fmin(box.x, s->width - w - 4), 4);
    return (struct cv_rect){ x, box.y + box.h + 4, w, h };
}

void cv_field_paint_popup(const struct cv_item *it, struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    double radius = fmin(t->field_radius, 10);
    struct cv_rect shadow = it->popup;
    shadow.y += 4;
    cv_dl_shadow(dl, shadow, radius, 16, t->shadow);
    cv_dl_box(dl, it->popup, radius, t->dialog_back, t->dialog_border, 1);
}
