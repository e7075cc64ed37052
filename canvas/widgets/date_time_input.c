/* DateTimeInput: shows a date, a time, or both in local time; a calendar pops up to change it. */
#include "canvas/widgets/calendar.h"
#include "canvas/widgets/field.h"

#include <math.h>

#define DATE_TIME_W 232 /* of a browser's inputs */
#define DATE_W 146
#define TIME_W 125
#define LESS_H 3 /* how much lower than a text field a browser draws dates */

struct date_state {
    struct oc_field field;
    struct oc_calendar calendar;
    struct oc_text *text;
};

/* Absent is true; both false means both. */
static struct oc_calendar kind_of(const struct oc_item *it) {
    const struct oc_value *date = oc_item_prop(it, "enableDate");
    const struct oc_value *time = oc_item_prop(it, "enableTime");
    bool no_date = oc_value_type(date) == OC_V_BOOL && !oc_value_bool(date);
    bool no_time = oc_value_type(time) == OC_V_BOOL && !oc_value_bool(time);
    if (no_date && no_time) {
        no_date = no_time = false;
    }
    return (struct oc_calendar){ "value", !no_date, !no_time };
}

static void resolve(struct oc_scene *s, struct oc_item *it) {
    struct date_state *st = it->state;
    const struct oc_theme *t = it->theme;
    st->calendar = kind_of(it);
    const struct oc_calendar *c = &st->calendar;
    it->text = oc_item_text(s, it, "label"); /* agents send one although the catalogue has none */
    if (!it->text[0]) {
        it->text = c->has_date && c->has_time ? "Date & Time" : c->has_date ? "Date" : "Time";
    }
    oc_field_label(s, it, &st->field, it->text);
    st->field.box_h = oc_field_line_px(t) + 2 * t->field_pad_y + 2;
    st->field.box_w = !c->has_date ? TIME_W : c->has_time ? DATE_TIME_W : DATE_W;
    if (c->has_date && !t->label_above) {
        st->field.box_h -= LESS_H;
    }
    const char *shown = oc_calendar_text(s, it, c),
               *hint = c->has_date ? "Choose a date" : "Choose a time";
    st->text =
            oc_field_line(s, t, shown[0] ? shown : hint, shown[0] ? t->text_color : t->placeholder);
    it->overlay = it->local->open;
}

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    const struct date_state *st = it->state;
    oc_field_intrinsic(it, &st->field);
}

static void height(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    const struct date_state *st = it->state;
    oc_field_height(it, &st->field);
}

static void place(struct oc_scene *s, struct oc_item *it) {
    struct date_state *st = it->state;
    double more = it->h - it->nat_h; /* beside a field that is a little higher it is as high */
    if (more > 0 && more <= LESS_H) {
        st->field.box_h += more;
    }
    oc_calendar_place(s, it, &st->calendar, oc_field_box(it, &st->field));
}

static void paint(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    const struct date_state *st = it->state;
    struct oc_rect box = oc_field_box(it, &st->field);
    oc_field_paint_label(it, &st->field, dl);
    oc_field_paint_box(s, it, box, false, dl);
    oc_field_paint_date(
            it, box, st->text, st->calendar.has_date ? "calendarToday" : "schedule", dl);
    oc_calendar_paint(s, it, &st->calendar, dl);
}

static bool activate(struct oc_input *in, struct oc_item *it) {
    struct oc_calendar c = kind_of(it);
    if (it->local->open) {
        it->local->open = false;
    } else {
        oc_calendar_open(in, it, &c);
    }
    return true;
}

static bool pointer(struct oc_input *in, struct oc_item *it, enum oc_pointer what, double x,
        double y, unsigned mods) {
    (void)mods;
    struct oc_calendar c = kind_of(it);
    return oc_calendar_pointer(in, it, &c, what, x, y);
}

static bool key(struct oc_input *in, struct oc_item *it, enum oc_key key, unsigned mods) {
    struct oc_calendar c = kind_of(it);
    return oc_calendar_key(in, it, &c, key, mods);
}

static bool text(struct oc_input *in, struct oc_item *it, const char *utf8) {
    struct oc_calendar c = kind_of(it);
    return oc_calendar_type(in, it, &c, utf8);
}

static bool scroll(struct oc_input *in, struct oc_item *it, double dx, double dy) {
    (void)dx;
    struct oc_calendar c = kind_of(it);
    return oc_calendar_scroll(in, it, &c, dy);
}

/* While it is open, digits set hour and minute. */
static bool caret(struct oc_scene *s, struct oc_item *it, struct oc_rect *ret) {
    (void)s;
    const struct date_state *st = it->state;
    *ret = oc_field_box(it, &st->field);
    return it->local->open;
}

static void say_state(struct oc_scene *s, const struct oc_item *it, struct oc_buf *out) {
    const struct date_state *st = it->state;
    const char *shown = oc_calendar_text(s, it, &st->calendar);
    (void)oc_buf_puts(out, shown[0] ? shown : "not chosen");
}

static const struct oc_widget_input input = {
    .activate = activate,
    .pointer = pointer,
    .scroll = scroll,
    .key = key,
    .text = text,
    .caret = caret,
    .state = say_state,
    .takes_focus = true,
};

const struct oc_widget oc_widget_date_time_input = {
    .name = "DateTimeInput",
    .state_size = sizeof(struct date_state),
    .may_vanish = true,
    .resolve = resolve,
    .intrinsic = intrinsic,
    .height = height,
    .place = place,
    .paint = paint,
    .input = &input,
};
