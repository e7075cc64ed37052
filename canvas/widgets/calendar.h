/* The pop-up of date and time inputs: a month to pick a day from, hour and minute, and "Clear", "Today", "Done". DateTimeInput and
 * TextField of type date use it.
 *
 * In struct oc_local: open; highlight is the day under the keyboard (days since 1970), selected the part that has it, over what is
 * under the pointer. */
#ifndef CANVAS_WIDGETS_CALENDAR_H
#define CANVAS_WIDGETS_CALENDAR_H

#include "canvas/input/input.h"
#include "canvas/scene/scene.h"

struct oc_calendar {
    const char *prop; /* that holds the value */
    bool has_date, has_time;
};

/* What the field shows: the value in local time, or as it is when it is no date; "" when there is none. */
const char *oc_calendar_text(
        struct oc_scene *s, const struct oc_item *it, const struct oc_calendar *c);
void oc_calendar_place(
        struct oc_scene *s, struct oc_item *it, const struct oc_calendar *c, struct oc_rect box);
void oc_calendar_paint(struct oc_scene *s, const struct oc_item *it, const struct oc_calendar *c,
        struct oc_display_list *dl);

void oc_calendar_open(struct oc_input *in, struct oc_item *it, const struct oc_calendar *c);
bool oc_calendar_pointer(struct oc_input *in, struct oc_item *it, const struct oc_calendar *c,
        enum oc_pointer what, double x, double y);
bool oc_calendar_key(struct oc_input *in, struct oc_item *it, const struct oc_calendar *c,
        enum oc_key key, unsigned mods);
/* Digits into hour or minute. */
bool oc_calendar_type(
        struct oc_input *in, struct oc_item *it, const struct oc_calendar *c, const char *utf8);
bool oc_calendar_scroll(
        struct oc_input *in, struct oc_item *it, const struct oc_calendar *c, double dy);

#endif
