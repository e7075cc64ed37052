/* What Row and Column have in common. */
#ifndef CANVAS_WIDGETS_LINE_H
#define CANVAS_WIDGETS_LINE_H

#include "canvas/scene/box.h"

struct oc_line {
    enum oc_distribution distribution;
    enum oc_alignment alignment;
    struct oc_flex *flex; /* one a child, made by widths (Row) or place (Column) */
    size_t count;
};

void oc_line_resolve(struct oc_scene *s, struct oc_item *it);
/* Makes flex, zeroed but for max. */
void oc_line_start(struct oc_scene *s, struct oc_item *it);
double oc_child_weight(const struct oc_item *child); /* < 0: none */

#endif
