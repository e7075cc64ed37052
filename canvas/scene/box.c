#include "canvas/scene/box.h"

void cv_box_intrinsic(struct cv_scene *s, struct cv_item *it, const struct cv_box *box) {
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        if (c->min_w > it->min_w) {
            it->min_w = c->min_w;
        }
        if (c->max_w > it->max_w) {
            it->max_w = c->max_w;
        }
    }
    it->min_w += 2 * box->pad_x;
    it->max_w += 2 * box->pad_x;
}

void cv_box_widths(struct cv_scene *s, struct cv_item *it, const struct cv_box *box) {
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        c->w = cv_px(it->w - 2 * box->pad_x);
    }
}

void cv_box_height(struct cv_scene *s, struct cv_item *it, const struct cv_box *box) {
    double h = 2 * box->pad_y;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        h += c->nat_h + (c == cv_first(s, it) ? 0 : box->gap);
    }
    it->nat_h = h;
}

void cv_box_place(struct cv_scene *s, struct cv_item *it, const struct cv_box *box) {
    double y = it->y + box->pad_y, inner = it->h - 2 * box->pad_y;
    struct cv_item *first = cv_first(s, it);
    bool is_single = first && !cv_next(s, it, first);
    for (struct cv_item *c = first; c; c = cv_next(s, it, c)) {
        c->x = it->x + box->pad_x;
        c->y = y;
        c->h = is_single && inner > c->nat_h ? inner : c->nat_h;
        y += c->h + box->gap;
    }
}

double cv_box_fit(const struct cv_item *child, double room, enum cv_alignment how) {
    if (how == CV_ALIGNED_STRETCH || child->fills_cross) {
        return room;
    }
    double w = child->break_w > room ? child->break_w : room;
    return child->max_w < w ? child->max_w : w;
}

struct cv_rect cv_item_box(const struct cv_item *it) {
    return (struct cv_rect){ it->x, it->y, it->w, it->h };
}

struct cv_text_style cv_item_style(
        const struct cv_item *it, enum cv_text_hint hint, cv_color color) {
    const struct cv_font *f = &it->theme->text[hint];
    return (struct cv_text_style){ .family = it->theme->family,
        .size_px = f->size_px,
        .line_px = f->line_px,
        .weight = f->weight,
        .italic = f->italic,
        .color = color };
}
