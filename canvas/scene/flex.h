/* One line of flex items, the part of CSS flexbox that A2UI needs: grow by weight, shrink by size, distribute what remains.
 * Pure numbers; rows use it for widths, columns for heights. */
#ifndef CANVAS_SCENE_FLEX_H
#define CANVAS_SCENE_FLEX_H

#include <stddef.h>

enum oc_distribution {
    OC_DISTRIBUTE_START,
    OC_DISTRIBUTE_CENTER,
    OC_DISTRIBUTE_END,
    OC_DISTRIBUTE_BETWEEN,
    OC_DISTRIBUTE_AROUND,
    OC_DISTRIBUTE_EVENLY
};
enum oc_alignment { OC_ALIGNED_START, OC_ALIGNED_CENTER, OC_ALIGNED_END, OC_ALIGNED_STRETCH };
/* As A2UI spells them, for oc_item_choice; NULL-ended. */
extern const char *const oc_distribution_names[], *const oc_alignment_names[];

struct oc_flex {
    double basis;    /* where growing and shrinking start */
    double min, max; /* max < 0: none */
    double grow, shrink;
    double size, at; /* the answer; `at` counts from the start of the line */
};

#define OC_MAX_PX 1e7

/* A length that may be drawn: NaN and negative are 0, nothing is larger than OC_MAX_PX. */
double oc_px(double px);

/* Sets size: how `room` is shared. Takes time linear in count. */
void oc_flex_share(struct oc_flex *items, size_t count, double gap, double room);
/* Sets at, from the sizes. What does not fit overflows as in CSS: at the end, but for center (both sides) and end (the start). */
void oc_flex_place(
        struct oc_flex *items, size_t count, double gap, double room, enum oc_distribution how);
/* Offset of something on the cross axis. */
double oc_flex_align(double size, double room, enum oc_alignment how);

#endif
