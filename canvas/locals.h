/* What people did to instances, as build.c needs it. */
#ifndef CANVAS_LOCALS_H
#define CANVAS_LOCALS_H

#include "canvas/scene.h"

/* Before and after a scene is built. */
void oc_locals_begin(struct oc_locals *l);
void oc_locals_end(struct oc_locals *l, const struct oc_model *m, uint64_t serial);
/* For the next item of this id: the first one gets the local of oc_locals_get, further ones in the same scene their own. *ret_key
 * lives as long as the local. */
struct oc_local *oc_locals_claim(struct oc_locals *l, const struct oc_surface *surface,
        const struct oc_component *component, const char *id, uint64_t serial,
        const char **ret_key);

#endif
