/* The picture above a surface: beginRendering's styles.logoUrl. Not in the schema, but the reference shows it. */
#ifndef CANVAS_SCENE_SCENE_LOGO_H
#define CANVAS_SCENE_SCENE_LOGO_H

#include "canvas/scene/scene.h"

double oc_logo_height(const struct oc_scene *s,
        const struct oc_item *root); /* with the gap below it; 0: none, or not there yet */
void oc_logo_paint(
        const struct oc_scene *s, const struct oc_item *root, struct oc_display_list *dl);

#endif
