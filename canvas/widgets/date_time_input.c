/* DateTimeInput: shows a date, a time, or both in local time; a calendar pops up to change it. */
#include "canvas/input/when_locale.h"
#include "canvas/widgets/calendar.h"
#include "canvas/widgets/field.h"

#include <math.h>

#define DATE_TIME_W 232 /* of a browser's inputs */
#define DATE_W 146
#define TIME_W 125
#define LESS_H 3 /* how much lower than a text field a browser draws dates */

struct date_state {
    struct cv_field field;
    struct cv_calendar calendar;
    struct cv_text *text;
};

/* Absent is true; both false means both. */
static struct cv_calendar kind_of(const struct cv_item *it) {
    const struct cv_value *date = cv_item_prop(it, "enableDate");
    const struct cv_value *time = cv_item_prop(it, "enableTime");
    bool no_date = cv_value_type_of(date) == CV_V_BOOL && !cv_value_bool(date);
    bool no_time = cv_value_type_of(time) == CV_V_BOOL && !cv_value_bool(time);
    if (no_date && no_time) {
        no_date = no_time = false;
    }
    return (struct cv_calendar){ "value", !no_date, !no_time };
}

static void date_time_input_resolve(struct cv_scene *s, struct cv_item *it) {
    struct date_state *st = it->state;
    const struct cv_theme *t = it->theme;
    st->calendar = kind_of(it);
    const struct cv_calendar *c = &st->calendar;
    const struct cv_when_words *words = cv_when_words_here();
    it->text = cv_item_text(s, it, "label"); /* agents send one although the catalogue has none */
    if (!it->text[0]) {
        it->text = c->has_date && c->has_time ? words->date_and_time
                   : c->has_date              ? words->date
                                              : words->time;
    }
    cv_field_label(s, it, &st->field, it->text);
    st->field.box_h = cv_field_line_px(t) + 2 * t->field_pad_y + 2;
    st->field.box_w = !c->has_date ? TIME_W : c->has_time ? DATE_TIME_W : DATE_W;
    if (c->has_date && !t->label_above) {
        st->field.box_h -= LESS_H;
    }
    const char *shown = cv_calendar_text(s, it, c),
               *hint = c->has_date ? words->choose_date : words->choose_time;
    st->text =
            cv_field_line(s, t, shown[0] ? shown : hint, shown[0] ? t->text_color : t->placeholder);
    it->overlay = it->local->open;
}

static void date_time_input_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct date_state *st = it->state;
    cv_field_intrinsic(it, &st->field);
}

static void date_time_input_height(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct date_state *st = it->state;
    cv_field_height(it, &st->field);
}

static void date_time_input_place(struct cv_scene *s, struct cv_item *it) {
    struct date_state *st = it->state;
    double more = it->h - it->nat_h; /* beside a field that is a little higher it is as high */
    if (more > 0 && more <= LESS_H) {
        st->field.box_h += more;
    }
    cv_calendar_place(s, it, &st->calendar, cv_field_box(it, &st->field));
}

static void date_time_input_paint(
        struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct date_state *st = it->state;
    struct cv_rect box = cv_field_box(it, &st->field);
    cv_field_paint_label(it, &st->field, dl);
    cv_field_paint_box(s, it, box, false, dl);
    cv_field_paint_date(
            it, box, st->text, st->calendar.has_date ? "calendarToday" : "schedule", dl);
    cv_calendar_paint(s, it, &st->calendar, dl);
}

static bool date_time_input_activate(struct cv_input *in, struct cv_item *it) {
    struct cv_calendar c = kind_of(it);
    if (it->local->open) {
        it->local->open = false;
    } else {
        cv_calendar_open(in, it, &c);
    }
    return true;
}

static bool date_time_input_pointer(struct cv_input *in, struct cv_item *it, enum cv_pointer what,
        double x, double y, unsigned mods) {
    (void)mods;
    struct cv_calendar c = kind_of(it);
    return cv_calendar_pointer(in, it, &c, what, x, y);
}

static bool date_time_input_key(
        struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods) {
    struct cv_calendar c = kind_of(it);
    return cv_calendar_key(in, it, &c, key, mods);
}

static bool date_time_input_text(struct cv_input *in, struct cv_item *it, const char *utf8) {
    struct cv_calendar c = kind_of(it);
    return cv_calendar_type(in, it, &c, utf8);
}

static bool date_time_input_scroll(struct cv_input *in, struct cv_item *it, double dx, double dy) {
    (void)dx;
    struct cv_calendar c = kind_of(it);
    return cv_calendar_scroll(in, it, &c, dy);
}

/* While it is open, digits set hour and minute. */
static bool date_time_input_caret(struct cv_scene *s, struct cv_item *it, struct cv_rect *ret) {
    (void)s;
    const struct date_state *st = it->state;
    *ret = cv_field_box(it, &st->field);
    return it->local->open;
}

static void say_state(struct cv_scene *s, const struct cv_item *it, struct oc_buf *out) {
    const struct date_state *st = it->state;
    const char *shown = cv_calendar_text(s, it, &st->calendar);
    (void)oc_buf_puts(out, shown[0] ? shown : "not chosen");
}

static const struct cv_widget_input input = {
    .activate = date_time_input_activate,
    .pointer = date_time_input_pointer,
    .scroll = date_time_input_scroll,
    .key = date_time_input_key,
    .text = date_time_input_text,
    .caret = date_time_input_caret,
    .state = say_state,
    .takes_focus = true,
};

const struct cv_widget cv_widget_date_time_input = {
    .name = "DateTimeInput",
    .state_size = sizeof(struct date_state),
    .may_vanish = true,
    .resolve = date_time_input_resolve,
    .intrinsic = date_time_input_intrinsic,
    .height = date_time_input_height,
    .place = date_time_input_place,
    .paint = date_time_input_paint,
    .input = &input,
};
