/* What a text field held before, for Ctrl-Z and Ctrl-Y. Letters that are typed one after the other
 * are one step. */
#ifndef CANVAS_SCENE_HISTORY_H
#define CANVAS_SCENE_HISTORY_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct cv_history;

void cv_history_destroy(struct cv_history *h);
/* The text is about to change. typed_at: where a single letter goes, SIZE_MAX for every other
 * change. Makes *h when needed. */
void cv_history_note(struct cv_history **h, struct oc_slice before, size_t typed_at, size_t caret);
/* The text before, or after again; false when there is none. now becomes the other direction's. */
bool cv_history_step(struct cv_history *h, struct oc_slice now, bool forward, struct oc_buf *out);

#endif
