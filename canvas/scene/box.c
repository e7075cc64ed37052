#include "canvas/scene/box.h"

void oc_box_intrinsic(struct oc_scene *s, struct oc_item *it, const struct oc_box *box) {
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
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

void oc_box_widths(struct oc_scene *s, struct oc_item *it, const struct oc_box *box) {
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        c->w = oc_px(it->w - 2 * box->pad_x);
    }
}

void oc_box_height(struct oc_scene *s, struct oc_item *it, const struct oc_box *box) {
    double h = 2 * box->pad_y;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        h += c->nat_h + (c == oc_first(s, it) ? 0 : box->gap);
    }
    it->nat_h = h;
}

void oc_box_place(struct oc_scene *s, struct oc_item *it, const struct oc_box *box) {
    double y = it->y + box->pad_y, inner = it->h - 2 * box->pad_y;
    struct oc_item *first = oc_first(s, it);
    bool is_single = first && !oc_next(s, it, first);
    for (struct oc_item *c = first; c; c = oc_next(s, it, c)) {
        c->x = it->x + box->pad_x;
        c->y = y;
        c->h = is_single && inner > c->nat_h ? inner : c->nat_h;
        y += c->h + box->gap;
    }
}

double oc_box_fit(const struct oc_item *child, double room, enum oc_alignment how) {
    if (how == OC_ALIGNED_STRETCH || child->fills_cross) {
        return room;
    }
    double w = child->break_w > room ? child->break_w : room;
    return child->max_w < w ? child->max_w : w;
}

struct oc_rect oc_item_box(const struct oc_item *it) {
    return (struct oc_rect){ it->x, it->y, it->w, it->h };
}

struct oc_text_style oc_item_style(
        const struct oc_item *it, enum oc_text_hint hint, oc_color color) {
    const struct oc_font *f = &it->theme->text[hint];
    return (struct oc_text_style){ .family = it->theme->family,
        .size_px = f->size_px,
        .line_px = f->line_px,
        .weight = f->weight,
        .italic = f->italic,
        .color = color };
}
