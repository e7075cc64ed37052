#include "canvas/widgets/calendar.h"

#include "canvas/input/when_locale.h"
#include "canvas/scene/build.h"
#include "canvas/widgets/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAD 10
#define CELL_W 36
#define CELL_H 30
#define HEAD_H 32
#define NAMES_H 22
#define TIME_H 44
#define FOOT_H 36
#define WEEKS 6
#define SPIN_W 64
#define SPIN_H 32
#define ARROW_W 20

enum { PART_DAYS, PART_HOUR, PART_MINUTE };

/* What can be under the pointer; days count from OVER_DAY. */
enum {
    OVER_NOTHING,
    OVER_PREV,
    OVER_NEXT,
    OVER_HOUR,
    OVER_HOUR_UP,
    OVER_HOUR_DOWN,
    OVER_MINUTE,
    OVER_MINUTE_UP,
    OVER_MINUTE_DOWN,
    OVER_CLEAR,
    OVER_NOW,
    OVER_DONE,
    OVER_DAY = 100
};

static bool value_of(const struct cv_item *it, const struct cv_calendar *c, struct cv_when *ret) {
    return cv_when_parse(cv_value_string(cv_input_value(it, c->prop)), ret);
}

const char *cv_calendar_text(
        struct cv_scene *s, const struct cv_item *it, const struct cv_calendar *c) {
    struct cv_when w;
    char text[CV_WHEN_SHOWN];
    if (!value_of(it, c, &w) || (c->has_date && !w.has_date) || (!c->has_date && !w.has_time)) {
        const struct cv_value *raw = cv_input_value(it, c->prop);
        if (cv_value_string(raw).len) {
            cv_build_tell(s, CV_DIAG_WARNING, it->component, "bad-date", cv_value_string(raw),
                    c->has_date ? "not a date as of ISO 8601:" : "not a time as of ISO 8601:");
        }
        return cv_value_type_of(raw) == CV_V_STRING ? cv_scene_text(s, raw, CV_FIELD_MAX_LABEL)
                                                    : "";
    }
    cv_when_show(&w, c->has_date, c->has_time, text);
    return cv_arena_strndup(s->arena, text, strlen(text));
}

/* The value, or where choosing one starts: now, at the full hour. */
static struct cv_when calendar_current(
        const struct cv_scene *s, const struct cv_item *it, const struct cv_calendar *c) {
    struct cv_when now = cv_when_local(s->now_ms), w;
    now.minute = 0;
    if (!value_of(it, c, &w)) {
        return now;
    }
    if (!w.has_date) {
        w.year = now.year;
        w.month = now.month;
        w.day = now.day;
    }
    w.has_date = w.has_time = true;
    return w;
}

static int day_of(const struct cv_when *w) {
    return cv_day_number(w->year, w->month, w->day);
}

static void calendar_store(struct cv_input *in, struct cv_item *it, const struct cv_calendar *c,
        const struct cv_when *w) {
    char text[24];
    cv_when_format(w, c->has_date, c->has_time, text);
    cv_input_write(in, it, c->prop, cv_value_create_string(text, strlen(text)));
}

void cv_calendar_open(struct cv_input *in, struct cv_item *it, const struct cv_calendar *c) {
    struct cv_when w = calendar_current(in->scene, it, c);
    it->local->open = true;
    it->local->highlight = day_of(&w);
    it->local->selected = c->has_date ? PART_DAYS : PART_HOUR;
    it->local->over = OVER_NOTHING;
    in->changed = true;
}

/* Where things are in the pop-up. */

static double days_h(const struct cv_calendar *c) {
    return c->has_date ? HEAD_H + NAMES_H + WEEKS * CELL_H : 0;
}

void cv_calendar_place(
        struct cv_scene *s, struct cv_item *it, const struct cv_calendar *c, struct cv_rect box) {
    if (!it->local->open) {
        return;
    }
    double h = 2 * PAD + days_h(c) + (c->has_time ? TIME_H : 0) + FOOT_H;
    it->popup = cv_field_popup(s, box, 2 * PAD + 7 * CELL_W, h);
}

static struct cv_rect calendar_part(
        const struct cv_item *it, double x, double y, double w, double h) {
    return (struct cv_rect){ it->popup.x + PAD + x, it->popup.y + PAD + y, w, h };
}

static struct cv_rect calendar_arrow(const struct cv_item *it, bool next) {
    return calendar_part(it, next ? 7 * CELL_W - HEAD_H : 0, 0, HEAD_H, HEAD_H);
}

static struct cv_rect calendar_cell(const struct cv_item *it, int i) {
    int column = i % 7, row = i / 7;
    double x = column * CELL_W, y = HEAD_H + NAMES_H + row * CELL_H;
    return calendar_part(it, x, y, CELL_W, CELL_H);
}

static struct cv_rect calendar_spin(
        const struct cv_item *it, const struct cv_calendar *c, bool minute) {
    double left = 7 * CELL_W / 2.0 - SPIN_W - 8;
    return calendar_part(it, minute ? left + SPIN_W + 16 : left,
            days_h(c) + (TIME_H - SPIN_H) / 2.0, SPIN_W, SPIN_H);
}

static struct cv_rect spin_arrow(struct cv_rect r, bool down) {
    return (struct cv_rect){ r.x + r.w - ARROW_W, r.y + (down ? r.h / 2 : 0), ARROW_W, r.h / 2 };
}

static struct cv_rect calendar_foot(
        const struct cv_item *it, const struct cv_calendar *c, int which) {
    double w = 7 * CELL_W / 3.0, y = days_h(c) + (c->has_time ? TIME_H : 0) + 6;
    return calendar_part(it, which * w + 2, y, w - 4, FOOT_H - 6);
}

/* Days since the week began. */
static int day_of_week(int day) {
    return (cv_day_weekday(day) - cv_week_start() + 7) % 7;
}

/* The day in the first cell: it begins a week, on or before the first of the month that has the
 * keyboard. */
static int first_day(const struct cv_item *it) {
    struct cv_when w;
    cv_day_date(it->local->highlight, &w);
    int first = cv_day_number(w.year, w.month, 1);
    return first - day_of_week(first);
}

static int what_is_at(const struct cv_item *it, const struct cv_calendar *c, double x, double y) {
    if (c->has_date) {
        for (int i = 0; i < 7 * WEEKS; i++) {
            if (cv_rect_holds(calendar_cell(it, i), x, y)) {
                return OVER_DAY + i;
            }
        }
        if (cv_rect_holds(calendar_arrow(it, false), x, y)) {
            return OVER_PREV;
        }
        if (cv_rect_holds(calendar_arrow(it, true), x, y)) {
            return OVER_NEXT;
        }
    }
    for (int i = 0; c->has_time && i < 2; i++) {
        struct cv_rect r = calendar_spin(it, c, i);
        int from = i ? OVER_MINUTE : OVER_HOUR;
        if (cv_rect_holds(spin_arrow(r, false), x, y)) {
            return from + 1;
        }
        if (cv_rect_holds(spin_arrow(r, true), x, y)) {
            return from + 2;
        }
        if (cv_rect_holds(r, x, y)) {
            return from;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (cv_rect_holds(calendar_foot(it, c, i), x, y)) {
            return OVER_CLEAR + i;
        }
    }
    return OVER_NOTHING;
}

static void paint_centred(struct cv_scene *s, const struct cv_item *it, struct cv_rect r,
        const char *text, cv_color color, int weight, struct cv_display_list *dl) {
    struct cv_text_style style = cv_field_style(it->theme, color);
    style.align = CV_ALIGN_CENTER;
    style.no_wrap = true;
    style.weight = weight;
    cv_field_paint_line(
            dl, cv_text_get(s->texts, (struct oc_slice){ text, strlen(text) }, &style), r);
}

static cv_color calendar_lit(const struct cv_item *it, int what) {
    return it->local->over == what ? CV_ALPHA(it->theme->text_color, 0.1) : 0;
}

static void paint_days(struct cv_scene *s, const struct cv_item *it, const struct cv_calendar *c,
        struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    struct cv_when shown, value, now = cv_when_local(s->now_ms);
    bool has_value = value_of(it, c, &value) && value.has_date;
    cv_day_date(it->local->highlight, &shown);
    char text[CV_WHEN_SHOWN];
    snprintf(text, sizeof(text), "%s %d", cv_month_name(shown.month), shown.year);
    paint_centred(s, it, calendar_part(it, HEAD_H, 0, 7 * CELL_W - 2 * HEAD_H, HEAD_H), text,
            t->text_color, 600, dl);
    for (int i = 0; i < 2; i++) {
        struct cv_rect r = calendar_arrow(it, i);
        cv_dl_box(dl, r, 6, calendar_lit(it, i ? OVER_NEXT : OVER_PREV), 0, 0);
        cv_dl_icon(dl, (struct cv_rect){ r.x + 6, r.y + 6, r.w - 12, r.h - 12 },
                i ? "chevronRight" : "chevronLeft", t->text_color);
    }
    for (int i = 0; i < 7; i++) {
        paint_centred(s, it, calendar_part(it, i * CELL_W, HEAD_H, CELL_W, NAMES_H),
                cv_weekday_name(cv_week_start() + i), t->muted, 400, dl);
    }
    int first = first_day(it);
    for (int i = 0; i < 7 * WEEKS; i++) {
        struct cv_when w;
        cv_day_date(first + i, &w);
        bool is_value = has_value && first + i == day_of(&value);
        bool is_cursor = it->local->selected == PART_DAYS && first + i == it->local->highlight;
        bool is_today = first + i == day_of(&now);
        struct cv_rect r = calendar_cell(it, i);
        r = (struct cv_rect){ r.x + 2, r.y + 1, r.w - 4, r.h - 2 };
        cv_color edge = is_cursor ? t->focus : is_today ? t->outline : 0;
        cv_color back = is_value ? t->primary : calendar_lit(it, OVER_DAY + i);
        if (edge || back) {
            cv_dl_box(dl, r, 6, back, edge, edge ? (is_cursor ? 2 : 1) : 0);
        }
        snprintf(text, sizeof(text), "%d", w.day);
        cv_color ink = is_value                 ? t->on_primary
                       : w.month == shown.month ? t->text_color
                                                : t->placeholder;
        paint_centred(s, it, r, text, ink, is_today ? 700 : 400, dl);
    }
}

static void paint_time(struct cv_scene *s, const struct cv_item *it, const struct cv_calendar *c,
        struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    struct cv_when w = calendar_current(s, it, c);
    struct cv_rect hour = calendar_spin(it, c, false);
    paint_centred(s, it, (struct cv_rect){ hour.x + hour.w, hour.y, 16, hour.h }, ":",
            t->text_color, 600, dl);
    for (int i = 0; i < 2; i++) {
        struct cv_rect r = calendar_spin(it, c, i);
        bool has_keys = it->local->selected == (i ? PART_MINUTE : PART_HOUR);
        char text[16];
        snprintf(text, sizeof(text), "%02d", i ? w.minute : w.hour);
        cv_dl_box(dl, r, 6, t->field_back, has_keys ? t->focus : t->field_border, has_keys ? 2 : 1);
        paint_centred(s, it, (struct cv_rect){ r.x, r.y, r.w - ARROW_W, r.h }, text, t->text_color,
                400, dl);
        for (int down = 0; down < 2; down++) {
            struct cv_rect a = spin_arrow(r, down);
            cv_color back = calendar_lit(it, (i ? OVER_MINUTE : OVER_HOUR) + 1 + down);
            if (back) {
                cv_dl_box(dl, a, 4, back, 0, 0);
            }
            cv_dl_icon(dl, (struct cv_rect){ a.x + 3, a.y + 1, 14, 14 },
                    down ? "expandMore" : "expandLess", t->text_color);
        }
    }
}

void cv_calendar_paint(struct cv_scene *s, const struct cv_item *it, const struct cv_calendar *c,
        struct cv_display_list *dl) {
    if (!it->local->open || !(it->popup.w > 0)) {
        return;
    }
    const struct cv_theme *t = it->theme;
    cv_field_paint_popup(it, dl);
    if (c->has_date) {
        paint_days(s, it, c, dl);
    }
    if (c->has_time) {
        paint_time(s, it, c, dl);
    }
    const struct cv_when_words *words = cv_when_words_here();
    const char *const names[] = { words->clear, c->has_date ? words->today : words->now,
        words->done };
    for (int i = 0; i < 3; i++) {
        struct cv_rect r = calendar_foot(it, c, i);
        cv_dl_box(dl, r, 6, calendar_lit(it, OVER_CLEAR + i), 0, 0);
        paint_centred(s, it, r, names[i], t->dark ? t->link : t->primary, 600, dl);
    }
}

/* A month back or on; the day stays, or is the last of a shorter month. */
static void turn_month(struct cv_local *l, int by) {
    struct cv_when w;
    cv_day_date(l->highlight, &w);
    int months = w.year * 12 + w.month - 1 + by;
    int year = months / 12, month = months % 12 + 1;
    if (year < 1 || year > 9999) {
        return;
    }
    int last = cv_days_of_month(year, month);
    l->highlight = cv_day_number(year, month, w.day < last ? w.day : last);
}

static void move_day(struct cv_local *l, int by) {
    struct cv_when w;
    cv_day_date(l->highlight + by, &w);
    l->highlight = day_of(&w);
}

static void choose_day(
        struct cv_input *in, struct cv_item *it, const struct cv_calendar *c, int day) {
    struct cv_when w = calendar_current(in->scene, it, c);
    cv_day_date(day, &w);
    w.has_time = true;
    it->local->highlight = day_of(&w);
    calendar_store(in, it, c, &w);
    if (!c->has_time) {
        it->local->open = false;
    }
}

static void calendar_turn(
        struct cv_input *in, struct cv_item *it, const struct cv_calendar *c, bool minute, int by) {
    struct cv_when w = calendar_current(in->scene, it, c);
    if (minute) {
        w.minute = ((w.minute + by) % 60 + 60) % 60;
    } else {
        w.hour = ((w.hour + by) % 24 + 24) % 24;
    }
    calendar_store(in, it, c, &w);
}

static void calendar_press(
        struct cv_input *in, struct cv_item *it, const struct cv_calendar *c, int what) {
    struct cv_local *l = it->local;
    if (what >= OVER_DAY) {
        l->selected = PART_DAYS;
        choose_day(in, it, c, first_day(it) + what - OVER_DAY);
        return;
    }
    if (what >= OVER_HOUR && what <= OVER_MINUTE_DOWN) {
        l->selected = what >= OVER_MINUTE ? PART_MINUTE : PART_HOUR;
    }
    switch (what) {
    case OVER_PREV:
    case OVER_NEXT:
        turn_month(l, what == OVER_PREV ? -1 : 1);
        break;
    case OVER_HOUR_UP:
    case OVER_HOUR_DOWN:
        calendar_turn(in, it, c, false, what == OVER_HOUR_UP ? 1 : -1);
        break;
    case OVER_MINUTE_UP:
    case OVER_MINUTE_DOWN:
        calendar_turn(in, it, c, true, what == OVER_MINUTE_UP ? 1 : -1);
        break;
    case OVER_CLEAR:
        cv_input_write(in, it, c->prop, cv_value_create(CV_V_STRING));
        l->open = false;
        break;
    case OVER_NOW: {
        struct cv_when now = cv_when_local(in->scene->now_ms);
        l->highlight = day_of(&now);
        calendar_store(in, it, c, &now);
        l->open = c->has_time && c->has_date;
        break;
    }
    case OVER_DONE:
        l->open = false;
        break;
    default:
        break;
    }
}

bool cv_calendar_pointer(struct cv_input *in, struct cv_item *it, const struct cv_calendar *c,
        enum cv_pointer what, double x, double y) {
    struct cv_local *l = it->local;
    if (!l->open) {
        return false;
    }
    int over = cv_rect_holds(it->popup, x, y) ? what_is_at(it, c, x, y) : OVER_NOTHING;
    if (over != l->over) {
        in->changed = true;
    }
    l->over = over;
    if (!cv_rect_holds(it->popup, x, y)) {
        return false;
    }
    if (what == CV_POINTER_PRESS) {
        calendar_press(in, it, c, over);
        in->changed = true;
    }
    return true;
}

bool cv_calendar_scroll(
        struct cv_input *in, struct cv_item *it, const struct cv_calendar *c, double dy) {
    struct cv_local *l = it->local;
    if (!l->open) {
        return false;
    }
    int by = dy > 0 ? 1 : -1;
    if (l->over >= OVER_HOUR && l->over <= OVER_MINUTE_DOWN) {
        calendar_turn(in, it, c, l->over >= OVER_MINUTE, -by);
    } else if (c->has_date) {
        turn_month(l, by);
    }
    in->changed = true;
    return true;
}

static bool day_key(struct cv_input *in, struct cv_item *it, const struct cv_calendar *c,
        enum cv_key key, unsigned mods) {
    struct cv_local *l = it->local;
    int weekday = day_of_week(l->highlight);
    switch (key) {
    case CV_KEY_LEFT:
    case CV_KEY_RIGHT:
        move_day(l, key == CV_KEY_LEFT ? -1 : 1);
        return true;
    case CV_KEY_UP:
    case CV_KEY_DOWN:
        move_day(l, key == CV_KEY_UP ? -7 : 7);
        return true;
    case CV_KEY_PAGE_UP:
    case CV_KEY_PAGE_DOWN:
        turn_month(l, (key == CV_KEY_PAGE_UP ? -1 : 1) * (mods & CV_MOD_SHIFT ? 12 : 1));
        return true;
    case CV_KEY_HOME:
    case CV_KEY_END:
        move_day(l, key == CV_KEY_HOME ? -weekday : 6 - weekday);
        return true;
    case CV_KEY_ENTER:
    case CV_KEY_SPACE:
        choose_day(in, it, c, l->highlight);
        if (c->has_time) {
            l->selected = PART_HOUR;
        }
        return true;
    default:
        return false;
    }
}

static bool time_key(
        struct cv_input *in, struct cv_item *it, const struct cv_calendar *c, enum cv_key key) {
    struct cv_local *l = it->local;
    bool minute = l->selected == PART_MINUTE;
    switch (key) {
    case CV_KEY_UP:
    case CV_KEY_DOWN:
        calendar_turn(in, it, c, minute, key == CV_KEY_UP ? 1 : -1);
        return true;
    case CV_KEY_PAGE_UP:
    case CV_KEY_PAGE_DOWN:
        calendar_turn(in, it, c, minute, (key == CV_KEY_PAGE_UP ? 1 : -1) * (minute ? 15 : 6));
        return true;
    case CV_KEY_LEFT:
    case CV_KEY_RIGHT:
        l->selected = key == CV_KEY_LEFT ? PART_HOUR : PART_MINUTE;
        return true;
    case CV_KEY_ENTER: {
        struct cv_when w = calendar_current(in->scene, it, c); /* what is shown is what is meant */
        calendar_store(in, it, c, &w);
        l->open = false;
        return true;
    }
    default:
        return false;
    }
}

/* Tab walks days, hour, minute; out of the pop-up it closes it. */
static bool tab_key(struct cv_local *l, const struct cv_calendar *c, bool back) {
    int first = c->has_date ? PART_DAYS : PART_HOUR, last = c->has_time ? PART_MINUTE : PART_DAYS;
    int to = l->selected + (back ? -1 : 1);
    if (to >= first && to <= last) {
        l->selected = to;
        return true;
    }
    l->open = false;
    return false;
}

bool cv_calendar_key(struct cv_input *in, struct cv_item *it, const struct cv_calendar *c,
        enum cv_key key, unsigned mods) {
    struct cv_local *l = it->local;
    if (mods & (CV_MOD_CTRL | CV_MOD_ALT)) {
        return false;
    }
    if (!l->open) {
        bool opens = key == CV_KEY_ENTER || key == CV_KEY_SPACE || key == CV_KEY_DOWN;
        bool clears = key == CV_KEY_BACKSPACE || key == CV_KEY_DELETE;
        if (opens) {
            cv_calendar_open(in, it, c);
        }
        if (clears) {
            cv_input_write(in, it, c->prop, cv_value_create(CV_V_STRING));
        }
        return opens || clears;
    }
    in->changed = true;
    if (key == CV_KEY_ESCAPE) {
        l->open = false;
        return true;
    }
    if (key == CV_KEY_TAB) {
        return tab_key(l, c, mods & CV_MOD_SHIFT);
    }
    return l->selected == PART_DAYS ? day_key(in, it, c, key, mods) : time_key(in, it, c, key);
}

bool cv_calendar_type(
        struct cv_input *in, struct cv_item *it, const struct cv_calendar *c, const char *utf8) {
    struct cv_local *l = it->local;
    if (strcmp(utf8, " ") == 0) {
        return cv_calendar_key(in, it, c, CV_KEY_SPACE, 0);
    }
    if (!l->open || l->selected == PART_DAYS || utf8[0] < '0' || utf8[0] > '9') {
        return false;
    }
    struct cv_when w = calendar_current(in->scene, it, c);
    int *at = l->selected == PART_HOUR ? &w.hour : &w.minute;
    for (; *utf8 >= '0' && *utf8 <= '9'; utf8++) { /* an input method commits several at once */
        int digit = *utf8 - '0', typed = *at % 10 * 10 + digit; /* the second follows the first */
        *at = typed <= (l->selected == PART_HOUR ? 23 : 59) ? typed : digit;
    }
    calendar_store(in, it, c, &w);
    return true;
}
