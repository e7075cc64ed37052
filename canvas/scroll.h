/* Moving what does not fit. Positions live in struct oc_local (containers) and oc_scene.scroll_y (the page); they take effect,
 * and are clamped, by the next layout. */
#ifndef CANVAS_SCROLL_H
#define CANVAS_SCROLL_H

#include "canvas/scene.h"

/* The handler of every container that scrolls. False at the end of the way, so that what is around it scrolls instead. */
bool oc_scroll_by(struct oc_input *in, struct oc_item *it, double dx, double dy);
/* Arrows, PageUp, PageDown, Home and End for a container that has the focus. */
bool oc_scroll_key(struct oc_input *in, struct oc_item *it, enum oc_key key, unsigned mods);

/* For scene.c: after place. */
void oc_scroll_arrange(struct oc_scene *s);
void oc_scroll_paint_bars(
        const struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl);
void oc_scroll_paint_page_bar(const struct oc_scene *s, struct oc_display_list *dl);

#endif
