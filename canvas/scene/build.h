/* For those who make items. */
#ifndef CANVAS_SCENE_BUILD_H
#define CANVAS_SCENE_BUILD_H

#include "canvas/scene/scene.h"

/* A diagnostic of the scene that is being built, once for each component, kind and detail: in a
 * template every instance repeats its neighbours'. "message", or "message 'what'". Nothing when no
 * scene is being built. c may be NULL. */
void cv_build_tell(struct cv_scene *s, enum cv_diag_level level, const struct cv_component *c,
        const char *code, struct oc_slice what, const char *message);

#endif
