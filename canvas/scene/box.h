/* Helpers of widgets that are a box around their children: padding on all sides, children one below the other. */
#ifndef CANVAS_SCENE_BOX_H
#define CANVAS_SCENE_BOX_H

#include "canvas/scene/flex.h"
#include "canvas/scene/scene.h"

struct oc_box {
    double pad_x, pad_y, gap;
};

void oc_box_intrinsic(struct oc_scene *s, struct oc_item *it, const struct oc_box *box);
void oc_box_widths(struct oc_scene *s, struct oc_item *it, const struct oc_box *box);
void oc_box_height(struct oc_scene *s, struct oc_item *it, const struct oc_box *box);
/* A single child is stretched to the inner height; children never get less than their natural height. */
void oc_box_place(struct oc_scene *s, struct oc_item *it, const struct oc_box *box);

/* Width of a child that is aligned across a column of this width. */
double oc_box_fit(const struct oc_item *child, double room, enum oc_alignment how);
struct oc_rect oc_item_box(const struct oc_item *it);
/* A theme's font as a text style; family is that of the item's surface. */
struct oc_text_style oc_item_style(
        const struct oc_item *it, enum oc_text_hint hint, oc_color color);

#endif
