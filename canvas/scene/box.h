/* Helpers of widgets that are a box around their children: padding on all sides, children one below
 * the other. */
#ifndef CANVAS_SCENE_BOX_H
#define CANVAS_SCENE_BOX_H

#include "canvas/scene/flex.h"
#include "canvas/scene/scene.h"

struct cv_box {
    double pad_x, pad_y, gap;
};

void cv_box_intrinsic(struct cv_scene *s, struct cv_item *it, const struct cv_box *box);
void cv_box_widths(struct cv_scene *s, struct cv_item *it, const struct cv_box *box);
void cv_box_height(struct cv_scene *s, struct cv_item *it, const struct cv_box *box);
/* A single child is stretched to the inner height; children never get less than their natural
 * height. */
void cv_box_place(struct cv_scene *s, struct cv_item *it, const struct cv_box *box);

/* Width of a child that is aligned across a column of this width. */
double cv_box_fit(const struct cv_item *child, double room, enum cv_alignment how);
struct cv_rect cv_item_box(const struct cv_item *it);
/* A theme's font as a text style; family is that of the item's surface. */
struct cv_text_style cv_item_style(
        const struct cv_item *it, enum cv_text_hint hint, cv_color color);

#endif
