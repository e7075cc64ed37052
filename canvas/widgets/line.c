#include "canvas/widgets/line.h"

void oc_line_resolve(struct oc_scene *s, struct oc_item *it) {
    struct oc_line *line = it->state;
    line->distribution = (enum oc_distribution)oc_item_choice(
            s, it, "distribution", oc_distribution_names, OC_DISTRIBUTE_START);
    line->alignment = (enum oc_alignment)oc_item_choice(
            s, it, "alignment", oc_alignment_names, OC_ALIGNED_STRETCH);
    oc_build_children(s, it, oc_item_prop(it, "children"));
}

void oc_line_start(struct oc_scene *s, struct oc_item *it) {
    struct oc_line *line = it->state;
    line->count = 0;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        line->count++;
    }
    line->flex = oc_arena_alloc(s->arena, line->count * sizeof(line->flex[0]));
    for (size_t i = 0; i < line->count; i++) {
        line->flex[i].max = -1;
    }
}

double oc_child_weight(const struct oc_item *child) {
    return child->has_weight && !child->widget->ignores_weight ? child->weight : -1;
}
