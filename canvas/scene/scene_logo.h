/* The picture above a surface: beginRendering's styles.logoUrl. Not in the schema, but the
 * reference shows it. */
#ifndef CANVAS_SCENE_SCENE_LOGO_H
#define CANVAS_SCENE_SCENE_LOGO_H

#include "canvas/scene/scene.h"

double cv_logo_height(const struct cv_scene *s,
        const struct cv_item *root); /* with the gap below it; 0: none, or not there yet */
void cv_logo_paint(
        const struct cv_scene *s, const struct cv_item *root, struct cv_display_list *dl);

#endif
