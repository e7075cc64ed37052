/* One line of flex items, the part of CSS flexbox that A2UI needs: grow by weight, shrink by size,
 * distribute what remains. Pure numbers; rows use it for widths, columns for heights. */
#ifndef CANVAS_SCENE_FLEX_H
#define CANVAS_SCENE_FLEX_H

#include <stddef.h>

enum cv_distribution {
    CV_DISTRIBUTE_START,
    CV_DISTRIBUTE_CENTER,
    CV_DISTRIBUTE_END,
    CV_DISTRIBUTE_BETWEEN,
    CV_DISTRIBUTE_AROUND,
    CV_DISTRIBUTE_EVENLY
};
enum cv_alignment { CV_ALIGNED_START, CV_ALIGNED_CENTER, CV_ALIGNED_END, CV_ALIGNED_STRETCH };
/* As A2UI spells them, for cv_item_choice; NULL-ended. */
extern const char *const cv_distribution_names[], *const cv_alignment_names[];

struct cv_flex {
    double basis;    /* where growing and shrinking start */
    double min, max; /* max < 0: none */
    double grow, shrink;
    double size, at; /* the answer; `at` counts from the start of the line */
};

#define CV_MAX_PX 1e7

/* A length that may be drawn: NaN and negative are 0, nothing is larger than CV_MAX_PX. */
double cv_px(double px);

/* Sets size: how `room` is shared. Takes time linear in count. */
void cv_flex_share(struct cv_flex *items, size_t count, double gap, double room);
/* Sets at, from the sizes. What does not fit overflows as in CSS: at the end, but for center (both
 * sides) and end (the start). */
void cv_flex_place(
        struct cv_flex *items, size_t count, double gap, double room, enum cv_distribution how);
/* Offset of something on the cross axis. */
double cv_flex_align(double size, double room, enum cv_alignment how);

#endif
