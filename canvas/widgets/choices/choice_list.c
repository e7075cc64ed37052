/* MultipleChoice as a drop-down: a header, and a list with boxes to tick that pops up below it. */
#include "canvas/scene/scroll.h"
#include "canvas/widgets/choices/choices.h"
#include "canvas/widgets/field.h"

#include <math.h>
#include <string.h>

#define HEADER_H 55 /* of the default look */
#define LIST_MAX_H 300
#define MIN_W 160
#define MAX_W 420
#define PAD 8
#define ROW_H 36
#define MARK_PX 16
#define GAP 10
#define ARROW_PX 24

double cv_list_header_h(const struct cv_theme *t) {
    return t->label_above ? cv_field_line_px(t) + 2 * t->field_pad_y + 2 : HEADER_H;
}

/* In the default look it is a little larger than other texts. */
static struct cv_text *header_text(
        struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c, bool may_cut) {
    const struct cv_theme *t = it->theme;
    struct cv_text_style style = cv_field_style(t, c->selected ? t->text_color : t->muted);
    if (!t->label_above) {
        style.size_px = t->text[CV_HINT_H4].size_px;
        style.line_px = t->text[CV_HINT_H4].line_px;
    }
    style.no_wrap = style.ellipsis = may_cut;
    const char *text = cv_choices_header(s, c);
    return cv_text_get(s->texts, (struct oc_slice){ text, strlen(text) }, &style);
}

static double pad_of(const struct cv_theme *t) {
    return t->label_above ? t->field_pad_x : 16;
}

void cv_list_intrinsic(struct cv_scene *s, struct cv_item *it, const struct cv_choices *c) {
    struct cv_text *text = header_text(s, it, c, false);
    double more = 2 * pad_of(it->theme) + ARROW_PX + 2;
    it->min_w = fmin(cv_text_min_width(text), MIN_W) + more;
    it->max_w = fmax(cv_text_max_width(text) + more, it->min_w);
}

/* Above the rows, relative to the pop-up. */
static double top_h(const struct cv_item *it, const struct cv_choices *c) {
    return c->is_filterable ? cv_filter_box(it, c).h + 2 * PAD : PAD;
}

static double rows_h(const struct cv_choices *c) {
    return ROW_H * (double)(c->count ? c->count : 1);
}

/* Long labels make the list wider than the header, within reason. */
static double needed_w(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c) {
    double w = 0;
    for (size_t i = 0; i < c->count && i < CV_CHOICES_MEASURED; i++) {
        w = fmax(w, cv_text_max_width(
                            cv_field_line(s, it->theme, c->at[i].label, it->theme->text_color)));
    }
    return fmin(ceil(w) + MARK_PX + GAP + 2 * (PAD + 6), MAX_W);
}

void cv_list_place(struct cv_scene *s, struct cv_item *it, const struct cv_choices *c) {
    if (!it->local->open) {
        return;
    }
    struct cv_rect box = { it->x, it->y, it->w, cv_list_header_h(it->theme) };
    double w = fmin(fmax(it->w, fmax(MIN_W, needed_w(s, it, c))), fmax(s->width - 8, 1));
    it->popup = cv_field_popup(s, box, w, 0);
    it->popup.h = fmin(top_h(it, c) + rows_h(c) + PAD, LIST_MAX_H);
    (void)cv_list_scroll(it, c, 0);
}

/* Where rows show. */
static struct cv_rect choice_list_window(const struct cv_item *it, const struct cv_choices *c) {
    double top = top_h(it, c);
    return (struct cv_rect){ it->popup.x, it->popup.y + top, it->popup.w,
        fmax(it->popup.h - top - PAD, 0) };
}

bool cv_list_scroll(struct cv_item *it, const struct cv_choices *c, double dy) {
    double most = fmax(rows_h(c) - choice_list_window(it, c).h, 0), was = it->local->scroll_y;
    it->local->scroll_y = fmin(fmax(was + dy, 0), most);
    return fabs(was - it->local->scroll_y) > 0;
}

static struct cv_scroll_bar bar_of(const struct cv_item *it, const struct cv_choices *c) {
    struct cv_rect r = choice_list_window(it, c);
    return (struct cv_scroll_bar){ .view = r,
        .is_upright = true,
        .over = rows_h(c) - r.h,
        .at = it->local->scroll_y,
        .min_px = 16 };
}

bool cv_list_bar(struct cv_input *in, struct cv_item *it, const struct cv_choices *c,
        enum cv_pointer what, double x, double y) {
    struct cv_scroll_bar b = bar_of(it, c);
    double to;
    if (what == CV_POINTER_PRESS && cv_scroll_bar_has(&b, x, y)) {
        to = cv_scroll_bar_press(&b, x, y, &in->bar_grab);
        it->local->highlight = -1; /* the release chooses nothing */
    } else if (what == CV_POINTER_MOVE && cv_item_is(it, in->pressed) && !isnan(in->bar_grab)) {
        to = cv_scroll_bar_drag(&b, x, y, in->bar_grab);
    } else {
        return false;
    }
    (void)cv_list_scroll(it, c, to - b.at);
    in->changed = true;
    return true;
}

void cv_list_reveal(struct cv_item *it, const struct cv_choices *c) {
    struct cv_local *l = it->local;
    double y = ROW_H * (double)l->highlight, h = choice_list_window(it, c).h;
    if (l->highlight < 0) {
        return;
    }
    l->scroll_y = fmin(fmax(l->scroll_y, y + ROW_H - h), y);
}

size_t cv_list_at(const struct cv_item *it, const struct cv_choices *c, double x, double y) {
    struct cv_rect r = choice_list_window(it, c);
    if (!cv_rect_holds(r, x, y)) {
        return c->count;
    }
    double i = floor((y - r.y + it->local->scroll_y) / ROW_H);
    return i >= 0 && i < (double)c->count ? (size_t)i : c->count;
}

static void paint_mark(const struct cv_item *it, const struct cv_choices *c,
        const struct cv_choice *o, struct cv_rect r, struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    double radius = c->max == 1 ? MARK_PX / 2.0 : 3;
    cv_color edge = o->is_disabled ? t->placeholder : cv_color_mix(t->field_border, t->muted, 0.5);
    if (!o->is_selected) {
        cv_dl_box(dl, r, radius, o->is_disabled ? 0 : t->field_back, edge, 1);
    } else if (c->max == 1) {
        cv_dl_box(dl, r, radius, t->field_back, t->primary, 2);
        struct cv_rect dot = { r.x + 4, r.y + 4, r.w - 8, r.h - 8 };
        cv_dl_box(dl, dot, dot.w / 2, t->primary, 0, 0);
    } else {
        cv_dl_box(dl, r, radius, t->primary, t->primary, 1);
        cv_dl_icon(
                dl, (struct cv_rect){ r.x + 1, r.y + 1, r.w - 2, r.h - 2 }, "check", t->on_primary);
    }
}

static void paint_row(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c,
        size_t i, struct cv_rect row, struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    const struct cv_choice *o = &c->at[i];
    bool is_lit = it->local->highlight == (int)i;
    double light = o->is_disabled ? 0.04 : 0.1;
    struct cv_rect inset = { row.x + 4, row.y + 1, fmax(row.w - 8, 0), row.h - 2 };
    if (is_lit || o->is_selected) {
        cv_dl_box(dl, inset, 6, is_lit ? CV_ALPHA(t->text_color, light) : t->primary_soft, 0, 0);
    }
    struct cv_rect mark = { row.x + PAD + 6, row.y + (row.h - MARK_PX) / 2, MARK_PX, MARK_PX };
    paint_mark(it, c, o, mark, dl);
    double x = mark.x + MARK_PX + GAP;
    struct cv_rect label = { x, row.y, fmax(row.x + row.w - PAD - 6 - x, 0), row.h };
    cv_field_paint_line(dl,
            cv_field_line(s, t, o->label, o->is_disabled ? t->placeholder : t->text_color), label);
}

static void paint_popup(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c,
        struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    struct cv_rect r = choice_list_window(it, c);
    cv_field_paint_popup(it, dl);
    if (c->is_filterable) {
        cv_filter_paint(s, it, c, dl);
    }
    cv_dl_clip(dl, r, 0);
    double y = r.y - it->local->scroll_y;
    for (size_t i = 0; i < c->count; i++, y += ROW_H) {
        if (y + ROW_H > r.y && y < r.y + r.h) {
            paint_row(s, it, c, i, (struct cv_rect){ r.x, y, r.w, ROW_H }, dl);
        }
    }
    if (c->count == 0) {
        struct cv_rect row = { r.x + PAD + 6, r.y, fmax(r.w - 2 * PAD - 12, 0), ROW_H };
        cv_field_paint_line(dl, cv_field_line(s, t, "No options found", t->placeholder), row);
    }
    cv_dl_unclip(dl);
    struct cv_scroll_bar bar = bar_of(it, c);
    if (bar.over > 0.5) {
        cv_scroll_bar_paint(&bar, t->track, dl);
    }
}

void cv_list_paint(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c,
        struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    struct cv_rect box = { it->x, it->y, it->w, cv_list_header_h(t) };
    double pad = pad_of(t), icon = ARROW_PX - 4;
    cv_field_paint_box(s, it, box, false, dl);
    struct cv_rect text = { box.x + pad, box.y, fmax(box.w - 2 * pad - icon, 0), box.h };
    cv_field_paint_line(dl, header_text(s, it, c, true), text);
    struct cv_rect arrow = { box.x + box.w - pad - icon + 2, box.y + (box.h - icon) / 2, icon,
        icon };
    cv_dl_icon(dl, arrow, it->local->open ? "expandLess" : "expandMore", t->muted);
    if (it->local->open && it->popup.w > 0) {
        paint_popup(s, it, c, dl);
    }
}
