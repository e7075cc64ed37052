/* Moving what does not fit. Positions live in struct cv_local (containers) and cv_scene.scroll_y
 * (the page); they take effect by the next layout, as far as it has room: one canvas may be laid
 * out for several view ports. */
#ifndef CANVAS_SCENE_SCROLL_H
#define CANVAS_SCENE_SCROLL_H

#include "canvas/scene/scene.h"

#define CV_SCROLL_PAGE 0.9 /* of a view is a page: something of the last one stays */

/* False: it is at the end of the way. */
bool cv_scroll_move(struct cv_item *it, double dx, double dy);

/* A bar as it is drawn beside what does not fit, and as a pointer takes hold of it. */
struct cv_scroll_bar {
    struct cv_rect view;
    bool is_upright;
    double over, at; /* how far it can be scrolled, and is */
    double min_px;   /* of its length */
};
void cv_scroll_bar_paint(const struct cv_scroll_bar *b, cv_color color, struct cv_display_list *dl);
/* On the bar or its way; wider than it looks. False when there is nothing to scroll. */
bool cv_scroll_bar_has(const struct cv_scroll_bar *b, double x, double y);
/* Where a press there scrolls to: a page on beside the bar; on it nowhere yet, and *ret_grab is for
 * cv_scroll_bar_drag (else NAN). */
double cv_scroll_bar_press(const struct cv_scroll_bar *b, double x, double y, double *ret_grab);
double cv_scroll_bar_drag(const struct cv_scroll_bar *b, double x, double y, double grab);
/* Of a container (NULL: the page). False: it has none in this direction. */
bool cv_scroll_bar_of(const struct cv_scene *s, const struct cv_item *it, bool is_upright,
        struct cv_scroll_bar *ret);

/* For scene.c: after place. */
void cv_scroll_arrange(struct cv_scene *s);
void cv_scroll_paint_bars(
        const struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl);
void cv_scroll_paint_page_bar(const struct cv_scene *s, struct cv_display_list *dl);

#endif
