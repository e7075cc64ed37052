/* What inputs have in common: one-line texts, a label beside or above a box, the ring of what has
 * the focus. */
#ifndef CANVAS_WIDGETS_FIELD_H
#define CANVAS_WIDGETS_FIELD_H

#include "canvas/input/edit.h"
#include "canvas/input/input.h"
#include "canvas/scene/scene.h"

#define CV_FIELD_BOX_W 201      /* an input that nobody stretches; as a browser's */
#define CV_FIELD_BOX_MIN 26     /* its padding */
#define CV_FIELD_BOX_LEAST 100  /* a label that leaves less goes above */
#define CV_FIELD_MAX_LABEL 2000 /* bytes of a label or option that are shaped */

struct cv_field {
    struct cv_text *label; /* NULL: none */
    double label_w, label_h, gap;
    bool above;
    bool is_leftwards; /* the label is read from right to left, and stands at the right */
    double box_h;      /* without label; set by the widget before cv_field_height */
    double box_w;      /* what it would like; 0: CV_FIELD_BOX_W */
};

struct cv_text_style cv_field_style(const struct cv_theme *t, cv_color color);
/* One line in the body font, cut with … where it does not fit. */
struct cv_text *cv_field_line(
        struct cv_scene *s, const struct cv_theme *t, const char *text, cv_color color);
double cv_field_line_px(const struct cv_theme *t);

void cv_field_label(struct cv_scene *s, struct cv_item *it, struct cv_field *f, const char *label);
void cv_field_intrinsic(struct cv_item *it, const struct cv_field *f);
void cv_field_height(struct cv_item *it, const struct cv_field *f);
struct cv_rect cv_field_box(const struct cv_item *it, const struct cv_field *f);
void cv_field_paint_label(
        const struct cv_item *it, const struct cv_field *f, struct cv_display_list *dl);
/* The box itself with border and, when it has the focus, the ring. */
void cv_field_paint_box(const struct cv_scene *s, const struct cv_item *it, struct cv_rect r,
        bool is_bad, struct cv_display_list *dl);
void cv_field_ring(const struct cv_scene *s, const struct cv_item *it, struct cv_rect r,
        double radius, struct cv_display_list *dl);
/* A line of text in the middle of a box's height. */
void cv_field_paint_line(struct cv_display_list *dl, struct cv_text *text, struct cv_rect r);
/* A date in its box, with an icon at the end where there is room for both. */
void cv_field_paint_date(const struct cv_item *it, struct cv_rect box, struct cv_text *text,
        const char *icon, struct cv_display_list *dl);

/* The selection's boxes; they come before the text, in the same clip. */
void cv_field_paint_selection(
        struct cv_display_list *dl, const struct cv_edit *e, double x, double y, cv_color color);

/* Where a pop-up of this size goes: below the box; scene.c moves it above when the view port ends
 * there. */
struct cv_rect cv_field_popup(const struct cv_scene *s, struct cv_rect box, double w, double h);
void cv_field_paint_popup(const struct cv_item *it, struct cv_display_list *dl);

#endif
