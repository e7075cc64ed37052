/* The pop-up of date and time inputs: a month to pick a day from, hour and minute, and "Clear",
 * "Today", "Done". DateTimeInput and TextField of type date use it.
 *
 * In struct cv_local: open; highlight is the day under the keyboard (days since 1970), selected the
 * part that has it, over what is under the pointer. */
#ifndef CANVAS_WIDGETS_CALENDAR_H
#define CANVAS_WIDGETS_CALENDAR_H

#include "canvas/input/input.h"
#include "canvas/scene/scene.h"

struct cv_calendar {
    const char *prop; /* that holds the value */
    bool has_date, has_time;
};

/* What the field shows: the value in local time, or as it is when it is no date; "" when there is
 * none. */
const char *cv_calendar_text(
        struct cv_scene *s, const struct cv_item *it, const struct cv_calendar *c);
void cv_calendar_place(
        struct cv_scene *s, struct cv_item *it, const struct cv_calendar *c, struct cv_rect box);
void cv_calendar_paint(struct cv_scene *s, const struct cv_item *it, const struct cv_calendar *c,
        struct cv_display_list *dl);

void cv_calendar_open(struct cv_input *in, struct cv_item *it, const struct cv_calendar *c);
bool cv_calendar_pointer(struct cv_input *in, struct cv_item *it, const struct cv_calendar *c,
        enum cv_pointer what, double x, double y);
bool cv_calendar_key(struct cv_input *in, struct cv_item *it, const struct cv_calendar *c,
        enum cv_key key, unsigned mods);
/* Digits into hour or minute. */
bool cv_calendar_type(
        struct cv_input *in, struct cv_item *it, const struct cv_calendar *c, const char *utf8);
bool cv_calendar_scroll(
        struct cv_input *in, struct cv_item *it, const struct cv_calendar *c, double dy);

#endif
