#include "canvas/widgets/line.h"

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    double gaps = -it->theme->row_gap;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        it->min_w += c->min_w;
        it->max_w += c->max_w;
        gaps += it->theme->row_gap;
    }
    it->min_w += oc_px(gaps);
    it->max_w += oc_px(gaps);
}

/* A weight starts from nothing; everything else from its content, and gives way down to its longest word. */
static void widths(struct oc_scene *s, struct oc_item *it) {
    struct oc_line *line = it->state;
    oc_line_start(s, it);
    size_t i = 0;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        struct oc_flex *f = &line->flex[i++];
        double weight = oc_child_weight(c);
        f->basis = weight < 0 ? c->max_w : 0;
        f->grow = weight < 0 ? 0 : weight;
        f->shrink = 1;
        f->min = c->widget->may_vanish ? 0 : c->min_w;
    }
    oc_flex_share(line->flex, line->count, it->theme->row_gap, it->w);
    i = 0;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c))
        c->w = line->flex[i++].size;
}

static void height(struct oc_scene *s, struct oc_item *it) {
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c))
        if (c->nat_h > it->nat_h)
            it->nat_h = c->nat_h;
}

static void place(struct oc_scene *s, struct oc_item *it) {
    struct oc_line *line = it->state;
    oc_flex_place(line->flex, line->count, it->theme->row_gap, it->w, line->distribution);
    size_t i = 0;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        enum oc_alignment how = c->fills_cross ? OC_ALIGNED_STRETCH : line->alignment;
        c->x = it->x + line->flex[i++].at;
        c->h = how == OC_ALIGNED_STRETCH ? it->h : c->nat_h;
        c->y = it->y + oc_flex_align(c->h, it->h, how);
    }
}

const struct oc_widget oc_widget_row = {
    .name = "Row",
    .state_size = sizeof(struct oc_line),
    .resolve = oc_line_resolve,
    .intrinsic = intrinsic,
    .widths = widths,
    .height = height,
    .place = place,
};
