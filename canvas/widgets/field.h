/* What inputs have in common: one-line texts, a label beside or above a box, the ring of what has the focus. */
#ifndef CANVAS_WIDGETS_FIELD_H
#define CANVAS_WIDGETS_FIELD_H

#include "canvas/input/edit.h"
#include "canvas/input/input.h"
#include "canvas/scene/scene.h"

#define OC_FIELD_BOX_W 201      /* an input that nobody stretches; as a browser's */
#define OC_FIELD_BOX_MIN 26     /* its padding */
#define OC_FIELD_BOX_LEAST 100  /* a label that leaves less goes above */
#define OC_FIELD_MAX_LABEL 2000 /* bytes of a label or option that are shaped */

struct oc_field {
    struct oc_text *label; /* NULL: none */
    double label_w, label_h, gap;
    bool above;
    bool is_leftwards; /* the label is read from right to left, and stands at the right */
    double box_h;      /* without label; set by the widget before oc_field_height */
    double box_w;      /* what it would like; 0: OC_FIELD_BOX_W */
};

struct oc_text_style oc_field_style(const struct oc_theme *t, oc_color color);
/* One line in the body font, cut with … where it does not fit. */
struct oc_text *oc_field_line(
        struct oc_scene *s, const struct oc_theme *t, const char *text, oc_color color);
double oc_field_line_px(const struct oc_theme *t);

void oc_field_label(struct oc_scene *s, struct oc_item *it, struct oc_field *f, const char *label);
void oc_field_intrinsic(struct oc_item *it, const struct oc_field *f);
void oc_field_height(struct oc_item *it, const struct oc_field *f);
struct oc_rect oc_field_box(const struct oc_item *it, const struct oc_field *f);
void oc_field_paint_label(
        const struct oc_item *it, const struct oc_field *f, struct oc_display_list *dl);
/* The box itself with border and, when it has the focus, the ring. */
void oc_field_paint_box(const struct oc_scene *s, const struct oc_item *it, struct oc_rect r,
        bool is_bad, struct oc_display_list *dl);
void oc_field_ring(const struct oc_scene *s, const struct oc_item *it, struct oc_rect r,
        double radius, struct oc_display_list *dl);
/* A line of text in the middle of a box's height. */
void oc_field_paint_line(struct oc_display_list *dl, struct oc_text *text, struct oc_rect r);
/* A date in its box, with an icon at the end where there is room for both. */
void oc_field_paint_date(const struct oc_item *it, struct oc_rect box, struct oc_text *text,
        const char *icon, struct oc_display_list *dl);

/* The selection's boxes; they come before the text, in the same clip. */
void oc_field_paint_selection(
        struct oc_display_list *dl, const struct oc_edit *e, double x, double y, oc_color color);

/* Where a pop-up of this size goes: below the box; scene.c moves it above when the view port ends there. */
struct oc_rect oc_field_popup(const struct oc_scene *s, struct oc_rect box, double w, double h);
void oc_field_paint_popup(const struct oc_item *it, struct oc_display_list *dl);

#endif
