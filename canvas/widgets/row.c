#include "canvas/widgets/line.h"

static void row_intrinsic(struct cv_scene *s, struct cv_item *it) {
    double gaps = -it->theme->row_gap;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        it->min_w += c->min_w;
        it->max_w += c->max_w;
        gaps += it->theme->row_gap;
    }
    it->min_w += cv_px(gaps);
    it->max_w += cv_px(gaps);
}

/* A weight starts from nothing; everything else from its content, and gives way down to its longest
 * word. When that is not enough, words are broken: CSS would let them hang out. */
static void row_share(struct cv_scene *s, struct cv_item *it, bool breaks_words) {
    struct cv_line *line = it->state;
    struct cv_flex *f = line->flex;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c), f++) {
        double weight = cv_child_weight(c);
        f->basis = weight < 0 ? c->max_w : 0;
        f->grow = weight < 0 ? 0 : weight;
        f->shrink = 1;
        f->min = c->widget->may_vanish ? 0 : breaks_words ? c->break_w : c->min_w;
    }
    cv_flex_share(line->flex, line->count, it->theme->row_gap, it->w);
}

static void row_widths(struct cv_scene *s, struct cv_item *it) {
    struct cv_line *line = it->state;
    cv_line_start(s, it);
    row_share(s, it, false);
    double over = -it->w - it->theme->row_gap;
    for (size_t i = 0; i < line->count; i++) {
        over += line->flex[i].size + it->theme->row_gap;
    }
    if (over > 0.5) {
        row_share(s, it, true);
    }
    const struct cv_flex *f = line->flex;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c), f++) {
        c->w = f->size;
    }
}

static void row_height(struct cv_scene *s, struct cv_item *it) {
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        if (c->nat_h > it->nat_h) {
            it->nat_h = c->nat_h;
        }
    }
}

static void row_place(struct cv_scene *s, struct cv_item *it) {
    struct cv_line *line = it->state;
    cv_flex_place(line->flex, line->count, it->theme->row_gap, it->w, line->distribution);
    size_t i = 0;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        enum cv_alignment how = c->fills_cross ? CV_ALIGNED_STRETCH : line->alignment;
        c->x = it->x + line->flex[i++].at;
        c->h = how == CV_ALIGNED_STRETCH ? it->h : c->nat_h;
        c->y = it->y + cv_flex_align(c->h, it->h, how);
    }
}

const struct cv_widget cv_widget_row = {
    .name = "Row",
    .state_size = sizeof(struct cv_line),
    .is_row = true,
    .resolve = cv_line_resolve,
    .intrinsic = row_intrinsic,
    .widths = row_widths,
    .height = row_height,
    .place = row_place,
};
