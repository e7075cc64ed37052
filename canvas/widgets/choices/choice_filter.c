/* The filter box of a MultipleChoice. What is typed lives in cv_local.filter; cv_local.scroll_x is
 * its own, scroll_y the list's. */
#include "canvas/input/edit.h"
#include "canvas/scene/history.h"
#include "canvas/widgets/choices/choices.h"
#include "canvas/widgets/field.h"
#include "lib/base/mem.h"

#include <math.h>
#include <string.h>

#define MAX_BYTES 200
#define PAD 8
#define PLACEHOLDER "Filter options…"

struct cv_rect cv_filter_box(const struct cv_item *it, const struct cv_choices *c) {
    const struct cv_theme *t = it->theme;
    double h = cv_field_line_px(t) + 2 * t->field_pad_y + 2;
    if (c->has_chips) {
        return (struct cv_rect){ it->x, it->y + PAD, it->w, h };
    }
    return (struct cv_rect){ it->popup.x + PAD, it->popup.y + PAD, fmax(it->popup.w - 2 * PAD, 0),
        h };
}

/* One line in the middle of the box. */
static struct cv_rect inner_of(const struct cv_item *it, const struct cv_choices *c) {
    const struct cv_theme *t = it->theme;
    struct cv_rect r = cv_filter_box(it, c);
    double h = cv_field_line_px(t);
    return (struct cv_rect){ r.x + t->field_pad_x, r.y + (r.h - h) / 2,
        fmax(r.w - 2 * t->field_pad_x, 0), h };
}

static struct cv_edit edit_of(
        struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c) {
    const char *filter = it->local->filter ? it->local->filter : "";
    struct cv_edit e = { .local = it->local, .value = { filter, strlen(filter) } };
    cv_edit_clamp(&e);
    size_t from, to;
    struct oc_slice shown = cv_edit_shown(&e, s->arena, &from, &to);
    struct cv_text_style style = cv_field_style(it->theme, it->theme->text_color);
    struct cv_text_span preedit = { .from = from, .to = to, .underline = 1 };
    style.no_wrap = style.keep_spaces = true;
    style.spans = &preedit;
    style.span_count = to > from;
    e.text = cv_text_get(s->texts, shown, &style);
    e.width = fmax(inner_of(it, c).w, ceil(cv_text_max_width(e.text)));
    return e;
}

void cv_filter_place(struct cv_scene *s, struct cv_item *it, const struct cv_choices *c) {
    struct cv_local *l = it->local;
    if (!c->is_filterable) {
        return;
    }
    struct cv_edit e = edit_of(s, it, c);
    double room = inner_of(it, c).w, x, y, h;
    cv_edit_caret(&e, &x, &y, &h);
    if (l->follow) {
        l->scroll_x = fmin(fmax(l->scroll_x, x + 2 - room), x);
    }
    l->follow = false;
    l->scroll_x = fmax(fmin(l->scroll_x, e.width + 2 - room), 0);
}

void cv_filter_paint(struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c,
        struct cv_display_list *dl) {
    const struct cv_theme *t = it->theme;
    struct cv_rect r = cv_filter_box(it, c), inner = inner_of(it, c);
    bool has_focus = cv_item_is(it, s->focus);
    struct cv_edit e = edit_of(s, it, c);
    double x = inner.x - it->local->scroll_x;
    cv_dl_box(dl, r, t->field_radius, t->field_back, has_focus ? t->focus : t->field_border, 1);
    cv_dl_clip(dl, (struct cv_rect){ inner.x - 1, inner.y, inner.w + 2, inner.h }, 0);
    if (has_focus) {
        cv_field_paint_selection(dl, &e, x, inner.y, t->selection);
    }
    if (cv_text_string(e.text).len > 0) {
        cv_dl_text(dl, x, inner.y, e.width, e.text);
    } else {
        cv_dl_text(dl, inner.x, inner.y, inner.w, cv_field_line(s, t, PLACEHOLDER, t->placeholder));
    }
    if (has_focus && s->caret_on) {
        struct cv_rect caret = cv_filter_caret(s, it, c);
        cv_dl_box(dl, caret, 0, t->text_color, 0, 0);
    }
    cv_dl_unclip(dl);
}

struct cv_rect cv_filter_caret(
        struct cv_scene *s, const struct cv_item *it, const struct cv_choices *c) {
    struct cv_edit e = edit_of(s, it, c);
    struct cv_rect inner = inner_of(it, c);
    double x, y, h;
    cv_edit_caret(&e, &x, &y, &h);
    return (struct cv_rect){ round(inner.x + x - it->local->scroll_x), inner.y + y, 1, h };
}

/* Other options stand there now. */
static bool choice_filter_store(
        struct cv_input *in, struct cv_item *it, const struct oc_buf *text) {
    struct cv_local *l = it->local;
    char *copy = text->len ? oc_strndup(text->data, text->len) : NULL;
    oc_free(l->filter);
    l->filter = copy;
    l->highlight = -1;
    l->scroll_y = 0;
    in->changed = true;
    return true;
}

void cv_filter_clear(struct cv_input *in, struct cv_item *it) {
    struct cv_local *l = it->local;
    const struct oc_buf none = { 0 };
    cv_filter_preedit(it, "", 0);
    cv_history_destroy(oc_take(&l->history));
    l->caret = l->anchor = 0;
    l->scroll_x = 0;
    if (l->filter) {
        (void)choice_filter_store(in, it, &none);
    }
}

void cv_filter_preedit(struct cv_item *it, const char *utf8, size_t caret) {
    struct cv_local *l = it->local;
    oc_free(l->preedit);
    l->preedit = utf8[0] ? oc_strdup(utf8) : NULL;
    l->preedit_caret = caret;
    l->follow = true;
}

bool cv_filter_text(
        struct cv_input *in, struct cv_item *it, const struct cv_choices *c, const char *utf8) {
    cv_filter_preedit(it, "", 0);
    struct cv_edit e = edit_of(in->scene, it, c);
    struct cv_local before = *it->local;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(2 * CV_MAX_STRING);
    if (!cv_edit_insert(&e, utf8, &out)) {
        return false;
    }
    if (out.len > MAX_BYTES) {
        *it->local = before;
        return false;
    }
    cv_history_note(&it->local->history, e.value, SIZE_MAX, 0);
    return choice_filter_store(in, it, &out);
}

static bool choice_filter_erase(struct cv_input *in, struct cv_item *it, const struct cv_edit *e,
        enum cv_key key, unsigned mods) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_BYTES + 1);
    if (!cv_edit_delete(e, key, mods, &out)) {
        return key == CV_KEY_BACKSPACE || key == CV_KEY_DELETE;
    }
    cv_history_note(&it->local->history, e->value, SIZE_MAX, 0);
    return choice_filter_store(in, it, &out);
}

static bool choice_filter_copy(
        struct cv_input *in, struct cv_item *it, const struct cv_edit *e, bool cut) {
    struct oc_slice selected = cv_edit_selected(e);
    if (selected.len == 0) {
        return true;
    }
    if (in->on_copy) {
        OC_AUTO_FREE char *chosen = oc_strndup(selected.ptr, selected.len);
        in->on_copy(in->user, chosen);
    }
    return !cut || choice_filter_erase(in, it, e, CV_KEY_DELETE, 0);
}

static bool choice_filter_undo(
        struct cv_input *in, struct cv_item *it, const struct cv_edit *e, bool redo) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_BYTES + 1);
    if (!cv_history_step(it->local->history, e->value, redo, &out)) {
        return true;
    }
    it->local->caret = it->local->anchor = out.len;
    it->local->follow = true;
    return choice_filter_store(in, it, &out);
}

static bool choice_filter_command(struct cv_input *in, struct cv_item *it, const struct cv_edit *e,
        enum cv_key key, unsigned mods) {
    switch (key) {
    case CV_KEY_C:
    case CV_KEY_X:
        return choice_filter_copy(in, it, e, key == CV_KEY_X);
    case CV_KEY_V:
        if (in->on_paste) {
            in->on_paste(in->user);
        }
        return true;
    case CV_KEY_Z:
    case CV_KEY_Y:
        return choice_filter_undo(in, it, e, key == CV_KEY_Y || mods & CV_MOD_SHIFT);
    default:
        return false;
    }
}

/* Up and down are the list's; the other arrows, too, as long as nothing is typed. */
bool cv_filter_key(struct cv_input *in, struct cv_item *it, const struct cv_choices *c,
        enum cv_key key, unsigned mods) {
    bool is_sideways =
            key == CV_KEY_LEFT || key == CV_KEY_RIGHT || key == CV_KEY_HOME || key == CV_KEY_END;
    bool is_erasing = key == CV_KEY_BACKSPACE || key == CV_KEY_DELETE;
    struct cv_edit e = edit_of(in->scene, it, c);
    if ((mods & CV_MOD_CTRL) && choice_filter_command(in, it, &e, key, mods)) {
        return true;
    }
    if (is_erasing) {
        return e.value.len > 0 && choice_filter_erase(in, it, &e, key, mods);
    }
    bool moves = is_sideways || (key == CV_KEY_A && mods & CV_MOD_CTRL);
    if (!moves || e.value.len == 0 || !cv_edit_move(&e, key, mods)) {
        return false;
    }
    in->changed = true;
    return true;
}

bool cv_filter_pointer(struct cv_input *in, struct cv_item *it, const struct cv_choices *c,
        enum cv_pointer what, double x, double y, unsigned mods) {
    struct cv_rect inner = inner_of(it, c);
    bool is_held = cv_item_is(it, in->pressed);
    bool began = cv_rect_holds(cv_filter_box(it, c), in->press_x, in->press_y);
    if (what == CV_POINTER_PRESS ? !cv_rect_holds(cv_filter_box(it, c), x, y)
                                 : !is_held || !began) {
        return false;
    }
    struct cv_edit e = edit_of(in->scene, it, c);
    double tx = x - inner.x + it->local->scroll_x, ty = y - inner.y;
    if (what == CV_POINTER_PRESS) {
        cv_edit_press(&e, tx, ty, in->clicks, mods & CV_MOD_SHIFT);
        it->local->highlight = -1; /* the release chooses nothing */
    } else if (what == CV_POINTER_MOVE && in->clicks == 1) {
        cv_edit_drag(&e, tx, ty);
    }
    in->changed = true;
    return true;
}
