/* Who can have the keyboard, and in which order. */
#ifndef CANVAS_INPUT_INPUT_FOCUS_H
#define CANVAS_INPUT_INPUT_FOCUS_H

#include "canvas/input/input.h"

struct oc_item *oc_item_parent(const struct oc_scene *s, const struct oc_item *it); /* NULL: root */
char *oc_item_key(const struct oc_item *it);                                        /* a copy */
struct oc_item *oc_item_of_key(struct oc_scene *s, const char *key); /* NULL is nothing */
bool oc_item_takes_focus(const struct oc_scene *s, const struct oc_item *it);
/* The open dialog on top, which keeps the focus; NULL: none. */
struct oc_item *oc_input_dialog(const struct oc_scene *s);
/* What has the focus; nothing while it stands behind a dialog. */
struct oc_item *oc_input_focused(struct oc_scene *s, const char *focus);
/* After or before it in reading order, around the end; the first or last when nothing has the focus. */
struct oc_item *oc_input_next_focus(struct oc_scene *s, const char *focus, bool back);
/* Scrolls its parents and the page until it is seen. */
void oc_input_reveal(struct oc_input *in, struct oc_item *it);

#endif
