/* Paths into the data: "/a/b", "a.b", "a[1].b" name the same kind of place. Written with "." or "/"
 * between, [n] like .n, empty parts dropped; there are no escapes. */
#ifndef CANVAS_MODEL_DATA_PATH_H
#define CANVAS_MODEL_DATA_PATH_H

#include "canvas/model/model.h"

struct cv_place {
    struct oc_slice segments[CV_MAX_PATH];
    unsigned count;
};

/* Appends the segments of a path. False when there are too many. */
bool cv_path_split(struct cv_place *place, struct oc_slice path);
const struct cv_value *cv_path_walk(const struct cv_value *v, const struct cv_place *place);

enum cv_path_use {
    CV_PATH_VALUE,  /* in a template "/x" is the item's x, or the root's when the item has none */
    CV_PATH_BINDING /* of a template: "/x" is the root's, or the item's when the root has none */
};
/* The value a path names as seen from a context, and the place where it is or, when there is none
 * (NULL), would be written. *ret->count is 0 and NULL is returned for a path that is too long and
 * names nothing; see ret_ok. */
const struct cv_value *cv_path_locate(const struct cv_surface *s, const struct cv_context *c,
        struct oc_slice path, enum cv_path_use use, struct cv_place *ret, bool *ret_ok);

#endif
