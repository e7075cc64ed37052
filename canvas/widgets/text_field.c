/* TextField: a label and a box to type into: one line, several, a number, dots, or a date with a
 * calendar. */
#include "canvas/input/edit.h"
#include "canvas/model/regexp.h"
#include "canvas/scene/history.h"
#include "canvas/scene/scroll.h"
#include "canvas/text/grapheme.h"
#include "canvas/widgets/calendar.h"
#include "canvas/widgets/field.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_ROWS 3 /* of a long text; it grows with what is typed */
#define MAX_ROWS 8
#define PAGE_ROWS 5
#define PLACEHOLDER "Please enter a value"

enum field_kind { SHORT, LONG, NUMBER, DATE, OBSCURED };
static const char *const kinds[] = { "shortText", "longText", "number", "date", "obscured", NULL };
static const struct cv_calendar calendar = { "text", true, false };

struct text_field_state {
    struct cv_field field;
    enum field_kind kind;
    bool is_bad;
    struct oc_slice
            value; /* as this scene found it, cleaned; nothing when the scene has too much text */
    struct cv_edit edit; /* as this scene found it: cleaned and shaped once; text NULL: not yet */
};

static enum field_kind kind_of(const struct cv_item *it) {
    const struct text_field_state *st = it->state;
    return st->kind;
}

/* The value as text that can be edited: numbers that an agent put there are printed. */
static struct oc_slice value_of(struct cv_scene *s, const struct cv_item *it) {
    const struct cv_value *v = cv_input_value(it, "text");
    bool is_multiline = kind_of(it) == LONG;
    if (cv_value_type_of(v) == CV_V_STRING) {
        return cv_edit_clean(s->arena, cv_value_string(v), is_multiline);
    }
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(CV_MAX_STRING);
    bool is_scalar = cv_value_type_of(v) == CV_V_NUMBER || cv_value_type_of(v) == CV_V_BOOL;
    if (is_scalar) {
        (void)cv_value_to_text(&text, v);
    }
    return cv_edit_clean(s->arena, (struct oc_slice){ text.data, text.len }, is_multiline);
}

static bool is_bad(const struct cv_item *it, struct oc_slice value) {
    if (kind_of(it) == NUMBER && value.len > 0) {
        char last = value.ptr[value.len - 1];
        bool is_whole = (last >= '0' && last <= '9') || last == '.';
        if (!is_whole || !cv_edit_is_number(value.ptr, value.len)) {
            return true;
        }
    }
    const struct cv_value *pattern = cv_item_prop(it, "validationRegexp");
    return cv_value_type_of(pattern) == CV_V_STRING &&
           !cv_regexp_matches(cv_value_string(pattern), value);
}

static void text_field_resolve(struct cv_scene *s, struct cv_item *it) {
    struct text_field_state *st = it->state;
    const struct cv_theme *t = it->theme;
    st->kind = (enum field_kind)cv_item_choice(s, it, "textFieldType", kinds, SHORT);
    it->text = cv_item_text(s, it, "label");
    cv_field_label(s, it, &st->field, it->text);
    size_t most = cv_value_string(cv_input_value(it, "text")).len;
    most = (most < CV_MAX_STRING ? most : CV_MAX_STRING) * (st->kind == OBSCURED ? 4 : 1);
    st->value = (struct oc_slice){ "", 0 };
    if (cv_scene_take(s, most)) {
        st->value = value_of(s, it);
    }
    st->is_bad = is_bad(it, st->value);
    st->field.box_h = cv_field_line_px(t) + 2 * t->field_pad_y + 2;
    it->overlay = st->kind == DATE && it->local->open;
}

static void text_field_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct text_field_state *st = it->state;
    cv_field_intrinsic(it, &st->field);
}

/* Inside the padding. */
static struct cv_rect inner_of(const struct cv_item *it) {
    const struct text_field_state *st = it->state;
    struct cv_rect box = cv_field_box(it, &st->field);
    double x = it->theme->field_pad_x + 1, y = it->theme->field_pad_y + 1;
    return (struct cv_rect){ box.x + x, box.y + y, fmax(box.w - 2 * x, 0), fmax(box.h - 2 * y, 0) };
}

static struct cv_text *text_field_shape(struct cv_scene *s, const struct cv_item *it,
        struct oc_slice text, size_t from, size_t to) {
    const struct text_field_state *st = it->state;
    const struct cv_theme *t = it->theme;
    struct cv_text_style style =
            cv_field_style(t, st->is_bad && st->kind != NUMBER ? t->error : t->text_color);
    struct cv_text_span preedit = { .from = from, .to = to, .underline = 1 };
    style.no_wrap = st->kind != LONG;
    style.keep_spaces = true;
    style.spans = &preedit;
    style.span_count = to > from;
    return cv_text_get(s->texts, text, &style);
}

static struct cv_edit edit_with(
        struct cv_scene *s, const struct cv_item *it, struct oc_slice value) {
    struct cv_edit e = { .local = it->local,
        .value = value,
        .is_masked = kind_of(it) == OBSCURED,
        .is_multiline = kind_of(it) == LONG };
    cv_edit_clamp(&e);
    size_t from, to;
    struct oc_slice shown = cv_edit_shown(&e, s->arena, &from, &to);
    e.text = text_field_shape(s, it, shown, from, to);
    e.width = inner_of(it).w;
    if (!e.is_multiline) {
        e.width = fmax(e.width, ceil(cv_text_max_width(e.text)));
    }
    return e;
}

static struct cv_edit edit_of(struct cv_scene *s, const struct cv_item *it) {
    return edit_with(s, it, value_of(s, it));
}

/* For layout and painting. Handlers take edit_of: the value may be newer than the scene. */
static struct cv_edit drawn_edit(struct cv_scene *s, const struct cv_item *it) {
    struct text_field_state *st = it->state;
    if (!st->edit.text) {
        st->edit = edit_with(s, it, st->value);
    }
    struct cv_edit e = st->edit;
    e.width = inner_of(it).w;
    if (!e.is_multiline) {
        e.width = fmax(e.width, ceil(cv_text_max_width(e.text)));
    }
    return e;
}

static void text_field_height(struct cv_scene *s, struct cv_item *it) {
    struct text_field_state *st = it->state;
    const struct cv_theme *t = it->theme;
    if (st->kind == LONG) {
        struct cv_edit e = drawn_edit(s, it);
        double line = cv_field_line_px(t), h = cv_text_height(e.text, e.width);
        h = fmin(fmax(h, MIN_ROWS * line), MAX_ROWS * line);
        st->field.box_h = h + 2 * t->field_pad_y + 2;
    }
    if (st->kind != DATE && st->kind != OBSCURED) {
        cv_item_shows(it, drawn_edit(s, it).text);
    }
    cv_field_height(it, &st->field);
}

static double most_y(const struct cv_item *it, const struct cv_edit *e) {
    return fmax(cv_text_height(e->text, e->width) - inner_of(it).h, 0);
}

static struct cv_scroll_bar bar_of(const struct cv_item *it, const struct cv_edit *e) {
    struct cv_rect r = inner_of(it);
    r.w += it->theme->field_pad_x;
    return (struct cv_scroll_bar){ .view = r,
        .is_upright = true,
        .over = e->is_multiline ? most_y(it, e) : 0,
        .at = it->local->scroll_y,
        .min_px = 16 };
}

/* Scrolls so that the caret is in the box. */
static void text_field_follow(struct cv_scene *s, struct cv_item *it) {
    struct cv_local *l = it->local;
    struct cv_edit e = drawn_edit(s, it);
    struct cv_rect inner = inner_of(it);
    double x, y, h;
    cv_edit_caret(&e, &x, &y, &h);
    if (l->follow) {
        l->scroll_x = fmin(fmax(l->scroll_x, x + 2 - inner.w), x);
        l->scroll_y = fmin(fmax(l->scroll_y, y + h - inner.h), y);
    }
    l->follow = false;
    l->scroll_x = e.is_multiline ? 0 : fmax(fmin(l->scroll_x, e.width + 2 - inner.w), 0);
    l->scroll_y = e.is_multiline ? fmax(fmin(l->scroll_y, most_y(it, &e)), 0) : 0;
}

static void text_field_place(struct cv_scene *s, struct cv_item *it) {
    struct text_field_state *st = it->state;
    if (st->kind == LONG && it->h > it->nat_h) {
        st->field.box_h += it->h - it->nat_h;
    }
    if (st->kind == DATE) {
        cv_calendar_place(s, it, &calendar, cv_field_box(it, &st->field));
    } else if (cv_item_is(it, s->focus)) {
        text_field_follow(s, it);
    }
}

static void paint_text(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    bool has_focus = cv_item_is(it, s->focus);
    struct cv_edit e = drawn_edit(s, it);
    struct cv_rect inner = inner_of(it);
    double x = inner.x - (has_focus ? it->local->scroll_x : 0);
    double y = inner.y - it->local->scroll_y;
    cv_dl_clip(dl, (struct cv_rect){ inner.x - 1, inner.y, inner.w + 2, inner.h }, 0);
    if (has_focus) {
        cv_field_paint_selection(dl, &e, x, y, t->selection);
    }
    if (cv_text_string(e.text).len > 0) {
        cv_dl_text(dl, x, y, e.width, e.text);
    } else {
        cv_dl_text(dl, inner.x, inner.y, inner.w, cv_field_line(s, t, PLACEHOLDER, t->placeholder));
    }
    if (has_focus && s->caret_on) {
        double cx, cy, ch;
        cv_edit_caret(&e, &cx, &cy, &ch);
        cv_dl_box(dl, (struct cv_rect){ round(x + cx), y + cy, 1, ch }, 0, t->text_color, 0, 0);
    }
    cv_dl_unclip(dl);
    struct cv_scroll_bar bar = bar_of(it, &e);
    if (bar.over > 0) {
        cv_scroll_bar_paint(&bar, t->track, dl);
    }
}

static void paint_date(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    const struct text_field_state *st = it->state;
    const char *shown = cv_calendar_text(s, it, &calendar);
    cv_color ink = !shown[0] ? t->placeholder : st->is_bad ? t->error : t->text_color;
    cv_field_paint_date(it, cv_field_box(it, &st->field),
            cv_field_line(s, t, shown[0] ? shown : "Choose a date", ink), "calendarToday", dl);
    cv_calendar_paint(s, it, &calendar, dl);
}

static void text_field_paint(
        struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct text_field_state *st = it->state;
    cv_field_paint_label(it, &st->field, dl);
    cv_field_paint_box(s, it, cv_field_box(it, &st->field), st->is_bad, dl);
    if (st->kind == DATE) {
        paint_date(s, it, dl);
    } else {
        paint_text(s, it, dl);
    }
}

/* Input. */

static void set_preedit(struct cv_local *l, const char *utf8, size_t caret) {
    oc_free(l->preedit);
    l->preedit = utf8[0] ? oc_strdup(utf8) : NULL;
    l->preedit_caret = caret;
    l->follow = true;
}

static bool text_field_store(struct cv_input *in, struct cv_item *it, const struct oc_buf *value) {
    cv_input_write(
            in, it, "text", cv_value_create_string(value->len ? value->data : "", value->len));
    return true;
}

static bool text_field_replace(struct cv_input *in, struct cv_item *it, const char *utf8) {
    struct cv_edit e = edit_of(in->scene, it);
    struct cv_local before = *it->local;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(2 * CV_MAX_STRING);
    if (!cv_edit_insert(&e, utf8, &out)) {
        return false;
    }
    if (kind_of(it) == NUMBER) {
        for (size_t i = 0; i < out.len; i++) {
            if (out.data[i] == ',') {
                out.data[i] = '.';
            }
        }
        if (!cv_edit_is_number(out.data, out.len)) {
            *it->local = before;
            return true; /* taken, and not wanted */
        }
    }
    /* a word is one step, the space after it begins the next */
    bool is_letter = before.caret == before.anchor && utf8[0] != ' ' && utf8[0] != '\n' &&
                     cv_grapheme_next(utf8, strlen(utf8), 0) == strlen(utf8);
    cv_history_note(
            &it->local->history, e.value, is_letter ? before.caret : SIZE_MAX, it->local->caret);
    return text_field_store(in, it, &out);
}

static bool text_field_erase(struct cv_input *in, struct cv_item *it, const struct cv_edit *e,
        enum cv_key key, unsigned mods) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(2 * CV_MAX_STRING);
    if (!cv_edit_delete(e, key, mods, &out)) {
        return key == CV_KEY_BACKSPACE || key == CV_KEY_DELETE;
    }
    cv_history_note(&it->local->history, e->value, SIZE_MAX, 0);
    return text_field_store(in, it, &out);
}

/* The caret goes to the end of what changed. */
static bool text_field_undo(struct cv_input *in, struct cv_item *it, bool redo) {
    struct cv_edit e = edit_of(in->scene, it);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(2 * CV_MAX_STRING);
    if (!cv_history_step(it->local->history, e.value, redo, &out)) {
        return true;
    }
    size_t same = 0;
    while (same < out.len && same < e.value.len &&
            out.data[out.len - 1 - same] == e.value.ptr[e.value.len - 1 - same]) {
        same++;
    }
    it->local->caret = it->local->anchor = out.len - same;
    it->local->follow = true;
    return text_field_store(in, it, &out);
}

static bool text_field_text(struct cv_input *in, struct cv_item *it, const char *utf8) {
    if (kind_of(it) == DATE) {
        return cv_calendar_type(in, it, &calendar, utf8);
    }
    set_preedit(it->local, "", 0);
    return text_field_replace(in, it, utf8);
}

static bool text_field_preedit(
        struct cv_input *in, struct cv_item *it, const char *utf8, size_t caret) {
    (void)in;
    if (kind_of(it) == DATE || kind_of(it) == OBSCURED || strlen(utf8) > CV_FIELD_MAX_LABEL) {
        return false;
    }
    if (!utf8[0] && !it->local->preedit) {
        return false;
    }
    set_preedit(it->local, utf8, caret);
    return true;
}

static bool text_field_copy(struct cv_input *in, struct cv_item *it, bool cut) {
    struct cv_edit e = edit_of(in->scene, it);
    struct oc_slice selected = cv_edit_selected(&e);
    if (selected.len == 0 || e.is_masked) {
        return true;
    }
    if (in->on_copy) {
        OC_AUTO_FREE char *chosen = oc_strndup(selected.ptr, selected.len);
        in->on_copy(in->user, chosen);
    }
    if (!cut) {
        return true;
    }
    return text_field_erase(in, it, &e, CV_KEY_DELETE, 0);
}

static bool text_field_command(
        struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods) {
    switch (key) {
    case CV_KEY_Z:
    case CV_KEY_Y:
        return text_field_undo(in, it, key == CV_KEY_Y || mods & CV_MOD_SHIFT);
    case CV_KEY_C:
    case CV_KEY_X:
        return text_field_copy(in, it, key == CV_KEY_X);
    case CV_KEY_V:
        if (in->on_paste) {
            in->on_paste(in->user);
        }
        return true;
    default:
        return false;
    }
}

static bool step_number(struct cv_input *in, struct cv_item *it, double by) {
    struct oc_slice value = value_of(in->scene, it);
    double n = value.len < 64 ? strtod(value.ptr, NULL) : 0;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(400);
    if (!isfinite(n + by) || cv_number_to_text(&out, n + by) != OC_OK) {
        return true;
    }
    it->local->caret = it->local->anchor = out.len;
    return text_field_store(in, it, &out);
}

static bool text_field_key(
        struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods) {
    enum field_kind kind = kind_of(it);
    if (kind == DATE) {
        return cv_calendar_key(in, it, &calendar, key, mods);
    }
    if ((mods & CV_MOD_CTRL) && text_field_command(in, it, key, mods)) {
        return true;
    }
    if (kind == NUMBER && !mods && (key == CV_KEY_UP || key == CV_KEY_DOWN)) {
        return step_number(in, it, key == CV_KEY_UP ? 1 : -1);
    }
    if (kind == LONG && key == CV_KEY_ENTER) {
        return text_field_replace(in, it, "\n");
    }
    struct cv_edit e = edit_of(in->scene, it);
    if (kind == LONG && (key == CV_KEY_PAGE_UP || key == CV_KEY_PAGE_DOWN)) {
        for (int i = 0; i < PAGE_ROWS; i++) {
            (void)cv_edit_move(&e, key == CV_KEY_PAGE_UP ? CV_KEY_UP : CV_KEY_DOWN, mods);
        }
        in->changed = true;
        return true;
    }
    if (cv_edit_move(&e, key, mods)) {
        in->changed = true;
        return true;
    }
    return text_field_erase(in, it, &e, key, mods);
}

static bool text_field_pointer(struct cv_input *in, struct cv_item *it, enum cv_pointer what,
        double x, double y, unsigned mods) {
    if (kind_of(it) == DATE) {
        return cv_calendar_pointer(in, it, &calendar, what, x, y);
    }
    bool is_dragged = cv_item_is(it, in->pressed);
    if (what != CV_POINTER_PRESS && !is_dragged) {
        return false;
    }
    struct cv_edit e = edit_of(in->scene, it);
    struct cv_rect inner = inner_of(it);
    struct cv_scroll_bar bar = bar_of(it, &e);
    in->changed = true;
    if (what == CV_POINTER_PRESS && cv_scroll_bar_has(&bar, x, y)) {
        it->local->scroll_y = cv_scroll_bar_press(&bar, x, y, &in->bar_grab);
        in->clicks = 0; /* what follows selects nothing */
        return true;
    }
    if (!isnan(in->bar_grab)) {
        if (what == CV_POINTER_MOVE) {
            it->local->scroll_y = cv_scroll_bar_drag(&bar, x, y, in->bar_grab);
        }
        return true;
    }
    double tx = x - inner.x + it->local->scroll_x, ty = y - inner.y + it->local->scroll_y;
    if (what == CV_POINTER_PRESS) {
        cv_edit_press(&e, tx, ty, in->clicks, mods & CV_MOD_SHIFT);
    } else if (what == CV_POINTER_MOVE && in->clicks == 1) {
        cv_edit_drag(&e, tx, ty);
    }
    return true;
}

static bool text_field_activate(struct cv_input *in, struct cv_item *it) {
    if (kind_of(it) != DATE) {
        cv_input_set_focus(in, it);
    } else if (it->local->open) {
        it->local->open = false;
    } else {
        cv_calendar_open(in, it, &calendar);
    }
    return true;
}

/* As people know it: typing replaces a short text, goes on with a long one. */
static void text_field_focused(struct cv_input *in, struct cv_item *it) {
    struct cv_local *l = it->local;
    l->caret = value_of(in->scene, it).len;
    l->anchor = kind_of(it) == LONG ? l->caret : 0;
    l->follow = true;
}

static bool text_field_scroll(struct cv_input *in, struct cv_item *it, double dx, double dy) {
    (void)dx;
    if (kind_of(it) == DATE) {
        return cv_calendar_scroll(in, it, &calendar, dy);
    }
    if (kind_of(it) != LONG) {
        return false;
    }
    struct cv_edit e = edit_of(in->scene, it);
    double to = fmin(fmax(it->local->scroll_y + dy, 0), most_y(it, &e));
    if (!(fabs(to - it->local->scroll_y) > 0)) {
        return false;
    }
    it->local->scroll_y = to;
    return true;
}

static bool text_field_caret(struct cv_scene *s, struct cv_item *it, struct cv_rect *ret) {
    if (kind_of(it) == DATE) {
        *ret = inner_of(it);
        return it->local->open;
    }
    struct cv_edit e = drawn_edit(s, it);
    struct cv_rect inner = inner_of(it);
    double x, y, h;
    cv_edit_caret(&e, &x, &y, &h);
    *ret = (struct cv_rect){ inner.x + x - it->local->scroll_x, inner.y + y - it->local->scroll_y,
        1, h };
    return true;
}

static void say_state(struct cv_scene *s, const struct cv_item *it, struct oc_buf *out) {
    const struct text_field_state *st = it->state;
    struct cv_edit e = drawn_edit(s, it);
    if (st->kind == DATE) {
        (void)oc_buf_puts(out, cv_calendar_text(s, it, &calendar));
    } else if (st->kind == OBSCURED) {
        (void)oc_buf_printf(out, "%zu characters", cv_text_string(e.text).len / 3); /* dots */
    } else {
        (void)oc_buf_append(out, e.value.ptr, e.value.len);
    }
    if (out->len == 0) {
        (void)oc_buf_puts(out, "empty");
    }
    if (st->is_bad) {
        (void)oc_buf_puts(out, ", not valid");
    }
}

static const struct cv_widget_input input = {
    .activate = text_field_activate,
    .pointer = text_field_pointer,
    .scroll = text_field_scroll,
    .key = text_field_key,
    .text = text_field_text,
    .preedit = text_field_preedit,
    .focused = text_field_focused,
    .caret = text_field_caret,
    .state = say_state,
    .takes_focus = true,
    .is_text = true,
};

const struct cv_widget cv_widget_text_field = {
    .name = "TextField",
    .state_size = sizeof(struct text_field_state),
    .resolve = text_field_resolve,
    .intrinsic = text_field_intrinsic,
    .height = text_field_height,
    .place = text_field_place,
    .paint = text_field_paint,
    .input = &input,
};
