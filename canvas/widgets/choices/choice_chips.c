/* MultipleChoice as chips that stand side by side and wrap. */
#include "canvas/widgets/choices/choices.h"
#include "canvas/widgets/field.h"

#include <math.h>

#define PAD_X 16
#define PAD_Y 6
#define GAP 8
#define CHECK_PX 18
#define CHECK_GAP 8
#define MIN_W 120
#define FILTER_H 55 /* the filter box with the space around it */
#define AROUND 4    /* above and below the chips */

static double chip_w(struct cv_scene *s, const struct cv_item *it, const struct cv_choice *o) {
    struct cv_text *label = cv_field_line(s, it->theme, o->label, it->theme->text_color);
    return 2 * (PAD_X + 1) + ceil(cv_text_max_width(label)) +
           (o->is_selected ? CHECK_PX + CHECK_GAP : 0);
}

static double chip_h(const struct cv_item *it) {
    return cv_field_line_px(it->theme) + 2 * PAD_Y;
}

void cv_chips_intrinsic(struct cv_scene *s, struct cv_item *it, const struct cv_choices *c) {
    it->min_w = it->max_w = 0;
    for (size_t i = 0; i < c->count; i++) {
        double w = chip_w(s, it, &c->at[i]);
        it->min_w = fmax(it->min_w, fmin(w, MIN_W));
        it->max_w += w + (i ? GAP : 0);
    }
    if (c->is_filterable || c->count == 0) {
        it->min_w = fmax(it->min_w, MIN_W);
        it->max_w = fmax(it->max_w, CV_FIELD_BOX_W);
    }
}

void cv_chips_arrange(struct cv_scene *s, const struct cv_item *it, struct cv_choices *c) {
    double x = 0, y = AROUND, h = chip_h(it);
    if (c->is_filterable) {
        y += FILTER_H;
    }
    for (size_t i = 0; i < c->count; i++) {
        double w = fmin(chip_w(s, it, &c->at[i]), it->w);
        if (x > 0 && x + w > it->w + 0.01) {
            x = 0;
            y += h + GAP;
        }
        c->at[i].rect = (struct cv_rect){ x, y, w, h };
        x += w + GAP;
    }
    c->chips_h = y + h + AROUND;
}

static struct cv_rect rect_of(const struct cv_item *it, const struct cv_choice *o) {
    return (struct cv_rect){ it->x + o->rect.x, it->y + o->rect.y, o->rect.w, o->rect.h };
}

size_t cv_chips_at(const struct cv_item *it, const struct cv_choices *c, double x, double y) {
    for (size_t i = 0; i < c->count; i++) {
        if (cv_rect_holds(rect_of(it, &c->at[i]), x, y)) {
            return i;
        }
    }
    return c->count;
}

static void paint_chip(struct cv_scene *s, const struct cv_item *it, const struct cv_choice *o,
        bool is_lit, bool has_keys, struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    struct cv_rect r = rect_of(it, o);
    double radius = fmin(t->chip_radius, r.h / 2), x = r.x + PAD_X + 1;
    cv_color back = o->is_selected ? t->primary : o->is_disabled ? 0 : t->chip_back;
    cv_color ink = o->is_selected ? t->on_primary : o->is_disabled ? t->placeholder : t->text_color;
    cv_color edge = o->is_selected ? t->primary : is_lit ? t->focus : t->outline;
    cv_dl_box(dl, r, radius, back, edge, 1);
    if (has_keys) {
        cv_field_ring(s, it, r, radius, dl);
    }
    if (o->is_selected) {
        struct cv_rect check = { x - 2, r.y + (r.h - CHECK_PX) / 2, CHECK_PX, CHECK_PX };
        cv_dl_icon(dl, check, "check", ink);
        x += CHECK_PX + CHECK_GAP - 2;
    }
    struct cv_rect label = { x, r.y, fmax(r.x + r.w - PAD_X - x + 1, 0), r.h };
    cv_field_paint_line(dl, cv_field_line(s, t, o->label, ink), label);
}

void cv_chips_paint(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c,
        struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    if (c->is_filterable) {
        cv_filter_paint(s, it, c, dl);
    }
    for (size_t i = 0; i < c->count; i++) {
        bool is_marked = it->local->highlight == (int)i;
        bool has_keys = is_marked || (it->local->highlight < 0 && i == 0 && !c->is_filterable);
        bool is_lit = is_marked && cv_item_is(it, s->hover) && !c->at[i].is_disabled;
        paint_chip(s, it, &c->at[i], is_lit, has_keys, dl);
    }
    if (c->count == 0) {
        double top = AROUND + (c->is_filterable ? FILTER_H : 0);
        struct cv_rect r = { it->x + GAP, it->y + top, fmax(it->w - 2 * GAP, 0), chip_h(it) };
        cv_field_paint_line(dl, cv_field_line(s, t, "No options found", t->placeholder), r);
    }
}
