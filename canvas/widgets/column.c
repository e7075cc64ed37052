#include "canvas/widgets/line.h"

static void column_intrinsic(struct cv_scene *s, struct cv_item *it) {
    cv_box_intrinsic(s, it, &(struct cv_box){ 0 });
}

static void column_widths(struct cv_scene *s, struct cv_item *it) {
    const struct cv_line *line = it->state;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        c->w = cv_box_fit(c, it->w, line->alignment);
    }
}

static void column_height(struct cv_scene *s, struct cv_item *it) {
    cv_box_height(s, it, &(struct cv_box){ .gap = it->theme->column_gap });
}

/* Weights count only when something (a Row) made the column higher than its content. Then they
 * share its whole height, but nobody gets less than it needs: unlike in CSS a Card with a weight
 * never hides half of its text. */
static void column_place(struct cv_scene *s, struct cv_item *it) {
    struct cv_line *line = it->state;
    cv_line_start(s, it);
    bool is_higher = it->h > it->nat_h + 0.01, is_lower = it->h < it->nat_h - 0.01;
    size_t i = 0;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        struct cv_flex *f = &line->flex[i++];
        double weight = cv_child_weight(c);
        f->basis = is_higher && weight >= 0 ? 0 : c->nat_h;
        f->min = is_lower && c->widget->may_vanish ? 0 : c->nat_h;
        f->grow = weight < 0 ? 0 : weight;
        f->shrink = 1;
    }
    cv_flex_share(line->flex, line->count, it->theme->column_gap, it->h);
    cv_flex_place(line->flex, line->count, it->theme->column_gap, it->h, line->distribution);
    i = 0;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        const struct cv_flex *f = &line->flex[i++];
        c->x = it->x + cv_flex_align(c->w, it->w, line->alignment);
        c->y = it->y + f->at;
        c->h = f->size;
    }
}

const struct cv_widget cv_widget_column = {
    .name = "Column",
    .state_size = sizeof(struct cv_line),
    .resolve = cv_line_resolve,
    .intrinsic = column_intrinsic,
    .widths = column_widths,
    .height = column_height,
    .place = column_place,
};
