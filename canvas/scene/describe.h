/* What an item says to somebody who does not see it: "check box, I agree, checked". */
#ifndef CANVAS_SCENE_DESCRIBE_H
#define CANVAS_SCENE_DESCRIBE_H

#include "canvas/scene/scene.h"

enum oc_code cv_item_describe(struct oc_buf *out, struct cv_scene *s, const struct cv_item *it);

#endif
