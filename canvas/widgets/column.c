#include "canvas/widgets/line.h"

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    oc_box_intrinsic(s, it, &(struct oc_box){ 0 });
}

static void widths(struct oc_scene *s, struct oc_item *it) {
    const struct oc_line *line = it->state;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        c->w = oc_box_fit(c, it->w, line->alignment);
    }
}

static void height(struct oc_scene *s, struct oc_item *it) {
    oc_box_height(s, it, &(struct oc_box){ .gap = it->theme->column_gap });
}

/* Weights count only when something (a Row) made the column higher than its content. Then they share its whole height, but
 * nobody gets less than it needs: unlike in CSS a Card with a weight never hides half of its text. */
static void place(struct oc_scene *s, struct oc_item *it) {
    struct oc_line *line = it->state;
    oc_line_start(s, it);
    bool is_higher = it->h > it->nat_h + 0.01, is_lower = it->h < it->nat_h - 0.01;
    size_t i = 0;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        struct oc_flex *f = &line->flex[i++];
        double weight = oc_child_weight(c);
        f->basis = is_higher && weight >= 0 ? 0 : c->nat_h;
        f->min = is_lower && c->widget->may_vanish ? 0 : c->nat_h;
        f->grow = weight < 0 ? 0 : weight;
        f->shrink = 1;
    }
    oc_flex_share(line->flex, line->count, it->theme->column_gap, it->h);
    oc_flex_place(line->flex, line->count, it->theme->column_gap, it->h, line->distribution);
    i = 0;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        const struct oc_flex *f = &line->flex[i++];
        c->x = it->x + oc_flex_align(c->w, it->w, line->alignment);
        c->y = it->y + f->at;
        c->h = f->size;
    }
}

const struct oc_widget oc_widget_column = {
    .name = "Column",
    .state_size = sizeof(struct oc_line),
    .resolve = oc_line_resolve,
    .intrinsic = intrinsic,
    .widths = widths,
    .height = height,
    .place = place,
};
