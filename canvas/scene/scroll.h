/* Moving what does not fit. Positions live in struct oc_local (containers) and oc_scene.scroll_y (the page); they take effect,
 * and are clamped, by the next layout. */
#ifndef CANVAS_SCENE_SCROLL_H
#define CANVAS_SCENE_SCROLL_H

#include "canvas/scene/scene.h"

/* The handler of every container that scrolls. False at the end of the way, so that what is around it scrolls instead. */
bool oc_scroll_by(struct oc_input *in, struct oc_item *it, double dx, double dy);
/* Arrows, PageUp, PageDown, Home and End for a container that has the focus. */
bool oc_scroll_key(struct oc_input *in, struct oc_item *it, enum oc_key key, unsigned mods);

/* A bar as it is drawn beside what does not fit, and as a pointer takes hold of it. */
struct oc_scroll_bar {
    struct oc_rect view;
    bool is_upright;
    double over, at; /* how far it can be scrolled, and is */
    double min_px;   /* of its length */
};
void oc_scroll_bar_paint(const struct oc_scroll_bar *b, oc_color color, struct oc_display_list *dl);
/* On the bar or its way; wider than it looks. False when there is nothing to scroll. */
bool oc_scroll_bar_has(const struct oc_scroll_bar *b, double x, double y);
/* Where a press there scrolls to: a page on beside the bar; on it nowhere yet, and *ret_grab is for oc_scroll_bar_drag (else NAN). */
double oc_scroll_bar_press(const struct oc_scroll_bar *b, double x, double y, double *ret_grab);
double oc_scroll_bar_drag(const struct oc_scroll_bar *b, double x, double y, double grab);
/* Of a container (NULL: the page). False: it has none in this direction. */
bool oc_scroll_bar_of(const struct oc_scene *s, const struct oc_item *it, bool is_upright,
        struct oc_scroll_bar *ret);

/* For scene.c: after place. */
void oc_scroll_arrange(struct oc_scene *s);
void oc_scroll_paint_bars(
        const struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl);
void oc_scroll_paint_page_bar(const struct oc_scene *s, struct oc_display_list *dl);

#endif
