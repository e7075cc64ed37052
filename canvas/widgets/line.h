/* What Row and Column have in common. */
#ifndef CANVAS_WIDGETS_LINE_H
#define CANVAS_WIDGETS_LINE_H

#include "canvas/scene/box.h"

struct cv_line {
    enum cv_distribution distribution;
    enum cv_alignment alignment;
    struct cv_flex *flex; /* one a child, made by widths (Row) or place (Column) */
    size_t count;
};

void cv_line_resolve(struct cv_scene *s, struct cv_item *it);
/* Makes flex, zeroed but for max. */
void cv_line_start(struct cv_scene *s, struct cv_item *it);
double cv_child_weight(const struct cv_item *child); /* < 0: none */

#endif
