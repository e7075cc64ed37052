/* How a person scrolls: the handlers of every container that does. */
#ifndef CANVAS_INPUT_INPUT_SCROLL_H
#define CANVAS_INPUT_INPUT_SCROLL_H

#include "canvas/input/input.h"

/* False at the end of the way, so that what is around it scrolls instead. */
bool cv_scroll_by(struct cv_input *in, struct cv_item *it, double dx, double dy);
/* Arrows, PageUp, PageDown, Home and End for a container that has the focus. */
bool cv_scroll_key(struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods);

#endif
