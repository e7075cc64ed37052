/* What people did to instances, as build.c needs it. */
#ifndef CANVAS_SCENE_LOCALS_H
#define CANVAS_SCENE_LOCALS_H

#include "canvas/scene/scene.h"

/* Before and after a scene is built. The end forgets, at once, what was done to instances whose component is gone: it may be a
 * password. A field in a tab that is not shown keeps what was typed. */
void oc_locals_begin(struct oc_locals *l);
void oc_locals_end(struct oc_locals *l, const struct oc_model *m);
/* For the next item of this id; further ones of the same id in the same scene get their own. *ret_key lives as long as the local. */
struct oc_local *oc_locals_claim(struct oc_locals *l, const struct oc_surface *surface,
        const struct oc_component *component, const char *id, const char **ret_key);

#endif
