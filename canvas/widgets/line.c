#include "canvas/widgets/line.h"

void cv_line_resolve(struct cv_scene *s, struct cv_item *it) {
    struct cv_line *line = it->state;
    line->distribution = (enum cv_distribution)cv_item_choice(
            s, it, "distribution", cv_distribution_names, CV_DISTRIBUTE_START);
    line->alignment = (enum cv_alignment)cv_item_choice(
            s, it, "alignment", cv_alignment_names, CV_ALIGNED_STRETCH);
    cv_build_children(s, it, cv_item_prop(it, "children"));
}

void cv_line_start(struct cv_scene *s, struct cv_item *it) {
    struct cv_line *line = it->state;
    line->count = 0;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        line->count++;
    }
    line->flex = cv_arena_alloc(s->arena, line->count * sizeof(line->flex[0]));
    for (size_t i = 0; i < line->count; i++) {
        line->flex[i].max = -1;
    }
}

double cv_child_weight(const struct cv_item *child) {
    return child->has_weight && !child->widget->ignores_weight ? child->weight : -1;
}
