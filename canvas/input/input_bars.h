/* Scroll bars under the pointer: a press beside one goes on by a page, one that is held moves with
 * it. The focus stays where it is. */
#ifndef CANVAS_INPUT_INPUT_BARS_H
#define CANVAS_INPUT_INPUT_BARS_H

#include "canvas/input/input.h"

/* hit: what is under the pointer, may be NULL. True: a bar is. */
bool cv_input_bar_press(struct cv_input *in, struct cv_item *hit, double x, double y);
/* False: none is held. */
bool cv_input_bar_move(struct cv_input *in, double x, double y);
bool cv_input_bar_release(struct cv_input *in);

#endif
