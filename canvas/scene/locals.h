/* What people did to instances, as build.c needs it. */
#ifndef CANVAS_SCENE_LOCALS_H
#define CANVAS_SCENE_LOCALS_H

#include "canvas/scene/scene.h"

/* Before and after a scene is built. The end forgets, at once, what was done to instances whose
 * component is gone: it may be a password. A field in a tab that is not shown keeps what was
 * typed. */
void cv_locals_begin(struct cv_locals *l);
void cv_locals_end(struct cv_locals *l, const struct cv_model *m);
/* For the next item of this id; further ones of the same id in the same scene get their own.
 * *ret_key lives as long as the local. */
struct cv_local *cv_locals_claim(struct cv_locals *l, const struct cv_surface *surface,
        const struct cv_component *component, const char *id, const char **ret_key);

#endif
