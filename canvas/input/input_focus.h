/* Who can have the keyboard, and in which order. */
#ifndef CANVAS_INPUT_INPUT_FOCUS_H
#define CANVAS_INPUT_INPUT_FOCUS_H

#include "canvas/input/input.h"

struct cv_item *cv_item_parent(const struct cv_scene *s, const struct cv_item *it); /* NULL: root */
char *cv_item_key(const struct cv_item *it);                                        /* a copy */
struct cv_item *cv_item_of_key(struct cv_scene *s, const char *key); /* NULL is nothing */
bool cv_item_takes_focus(const struct cv_scene *s, const struct cv_item *it);
/* The open dialog on top, which keeps the focus; NULL: none. */
struct cv_item *cv_input_dialog(const struct cv_scene *s);
/* What has the focus; nothing while it stands behind a dialog. */
struct cv_item *cv_input_focused(struct cv_scene *s, const char *focus);
/* After or before it in reading order, around the end; the first or last when nothing has the
 * focus. */
struct cv_item *cv_input_next_focus(struct cv_scene *s, const char *focus, bool back);
/* Scrolls its parents and the page until it is seen. */
void cv_input_reveal(struct cv_input *in, struct cv_item *it);

#endif
