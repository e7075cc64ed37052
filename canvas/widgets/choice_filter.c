/* The filter box of a MultipleChoice. What is typed lives in oc_local.filter; oc_local.scroll_x is its own, scroll_y the list's. */
#include "canvas/input/edit.h"
#include "canvas/scene/history.h"
#include "canvas/widgets/choices.h"
#include "canvas/widgets/field.h"
#include "lib/base/mem.h"

#include <math.h>
#include <string.h>

#define MAX_BYTES 200
#define PAD 8
#define PLACEHOLDER "Filter options…"

struct oc_rect oc_filter_box(const struct oc_item *it, const struct oc_choices *c) {
    const struct oc_theme *t = it->theme;
    double h = oc_field_line_px(t) + 2 * t->field_pad_y + 2;
    if (c->has_chips) {
        return (struct oc_rect){ it->x, it->y + PAD, it->w, h };
    }
    return (struct oc_rect){ it->popup.x + PAD, it->popup.y + PAD, fmax(it->popup.w - 2 * PAD, 0),
        h };
}

/* One line in the middle of the box. */
static struct oc_rect inner_of(const struct oc_item *it, const struct oc_choices *c) {
    const struct oc_theme *t = it->theme;
    struct oc_rect r = oc_filter_box(it, c);
    double h = oc_field_line_px(t);
    return (struct oc_rect){ r.x + t->field_pad_x, r.y + (r.h - h) / 2,
        fmax(r.w - 2 * t->field_pad_x, 0), h };
}

static struct oc_edit edit_of(
        struct oc_scene *s, const struct oc_item *it, const struct oc_choices *c) {
    const char *filter = it->local->filter ? it->local->filter : "";
    struct oc_edit e = { .local = it->local, .value = { filter, strlen(filter) } };
    oc_edit_clamp(&e);
    size_t from, to;
    struct oc_slice shown = oc_edit_shown(&e, s->arena, &from, &to);
    struct oc_text_style style = oc_field_style(it->theme, it->theme->text_color);
    struct oc_text_span preedit = { .from = from, .to = to, .underline = 1 };
    style.no_wrap = style.keep_spaces = true;
    style.spans = &preedit;
    style.span_count = to > from;
    e.text = oc_text_get(s->texts, shown, &style);
    e.width = fmax(inner_of(it, c).w, ceil(oc_text_max_width(e.text)));
    return e;
}

void oc_filter_place(struct oc_scene *s, struct oc_item *it, const struct oc_choices *c) {
    struct oc_local *l = it->local;
    if (!c->is_filterable) {
        return;
    }
    struct oc_edit e = edit_of(s, it, c);
    double room = inner_of(it, c).w, x, y, h;
    oc_edit_caret(&e, &x, &y, &h);
    if (l->follow) {
        l->scroll_x = fmin(fmax(l->scroll_x, x + 2 - room), x);
    }
    l->follow = false;
    l->scroll_x = fmax(fmin(l->scroll_x, e.width + 2 - room), 0);
}

void oc_filter_paint(struct oc_scene *s, const struct oc_item *it, const struct oc_choices *c,
        struct oc_display_list *dl) {
    const struct oc_theme *t = it->theme;
    struct oc_rect r = oc_filter_box(it, c), inner = inner_of(it, c);
    bool has_focus = oc_item_is(it, s->focus);
    struct oc_edit e = edit_of(s, it, c);
    double x = inner.x - it->local->scroll_x;
    oc_dl_box(dl, r, t->field_radius, t->field_back, has_focus ? t->focus : t->field_border, 1);
    oc_dl_clip(dl, (struct oc_rect){ inner.x - 1, inner.y, inner.w + 2, inner.h }, 0);
    if (has_focus) {
        oc_field_paint_selection(dl, &e, x, inner.y, t->selection);
    }
    if (oc_text_string(e.text).len > 0) {
        oc_dl_text(dl, x, inner.y, e.width, e.text);
    } else {
        oc_dl_text(dl, inner.x, inner.y, inner.w, oc_field_line(s, t, PLACEHOLDER, t->placeholder));
    }
    if (has_focus && s->caret_on) {
        struct oc_rect caret = oc_filter_caret(s, it, c);
        oc_dl_box(dl, caret, 0, t->text_color, 0, 0);
    }
    oc_dl_unclip(dl);
}

struct oc_rect oc_filter_caret(
        struct oc_scene *s, const struct oc_item *it, const struct oc_choices *c) {
    struct oc_edit e = edit_of(s, it, c);
    struct oc_rect inner = inner_of(it, c);
    double x, y, h;
    oc_edit_caret(&e, &x, &y, &h);
    return (struct oc_rect){ round(inner.x + x - it->local->scroll_x), inner.y + y, 1, h };
}

/* Other options stand there now. */
static bool store(struct oc_input *in, struct oc_item *it, const struct oc_buf *text) {
    struct oc_local *l = it->local;
    char *copy = text->len ? oc_strndup(text->data, text->len) : NULL;
    oc_free(l->filter);
    l->filter = copy;
    l->highlight = -1;
    l->scroll_y = 0;
    in->changed = true;
    return true;
}

void oc_filter_clear(struct oc_input *in, struct oc_item *it) {
    struct oc_local *l = it->local;
    const struct oc_buf none = { 0 };
    oc_filter_preedit(it, "", 0);
    oc_history_destroy(oc_take(&l->history));
    l->caret = l->anchor = 0;
    l->scroll_x = 0;
    if (l->filter) {
        (void)store(in, it, &none);
    }
}

void oc_filter_preedit(struct oc_item *it, const char *utf8, size_t caret) {
    struct oc_local *l = it->local;
    oc_free(l->preedit);
    l->preedit = utf8[0] ? oc_strdup(utf8) : NULL;
    l->preedit_caret = caret;
    l->follow = true;
}

bool oc_filter_text(
        struct oc_input *in, struct oc_item *it, const struct oc_choices *c, const char *utf8) {
    oc_filter_preedit(it, "", 0);
    struct oc_edit e = edit_of(in->scene, it, c);
    struct oc_local before = *it->local;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(2 * OC_CANVAS_MAX_STRING);
    if (!oc_edit_insert(&e, utf8, &out)) {
        return false;
    }
    if (out.len > MAX_BYTES) {
        *it->local = before;
        return false;
    }
    oc_history_note(&it->local->history, e.value, SIZE_MAX, 0);
    return store(in, it, &out);
}

static bool erase(struct oc_input *in, struct oc_item *it, const struct oc_edit *e, enum oc_key key,
        unsigned mods) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_BYTES + 1);
    if (!oc_edit_delete(e, key, mods, &out)) {
        return key == OC_KEY_BACKSPACE || key == OC_KEY_DELETE;
    }
    oc_history_note(&it->local->history, e->value, SIZE_MAX, 0);
    return store(in, it, &out);
}

static bool copy(struct oc_input *in, struct oc_item *it, const struct oc_edit *e, bool cut) {
    struct oc_slice selected = oc_edit_selected(e);
    if (selected.len == 0) {
        return true;
    }
    if (in->on_copy) {
        OC_AUTO_FREE char *chosen = oc_strndup(selected.ptr, selected.len);
        in->on_copy(in->user, chosen);
    }
    return !cut || erase(in, it, e, OC_KEY_DELETE, 0);
}

static bool undo(struct oc_input *in, struct oc_item *it, const struct oc_edit *e, bool redo) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_BYTES + 1);
    if (!oc_history_step(it->local->history, e->value, redo, &out)) {
        return true;
    }
    it->local->caret = it->local->anchor = out.len;
    it->local->follow = true;
    return store(in, it, &out);
}

static bool command(struct oc_input *in, struct oc_item *it, const struct oc_edit *e,
        enum oc_key key, unsigned mods) {
    switch (key) {
    case OC_KEY_C:
    case OC_KEY_X:
        return copy(in, it, e, key == OC_KEY_X);
    case OC_KEY_V:
        if (in->on_paste) {
            in->on_paste(in->user);
        }
        return true;
    case OC_KEY_Z:
    case OC_KEY_Y:
        return undo(in, it, e, key == OC_KEY_Y || mods & OC_MOD_SHIFT);
    default:
        return false;
    }
}

/* Up and down are the list's; the other arrows, too, as long as nothing is typed. */
bool oc_filter_key(struct oc_input *in, struct oc_item *it, const struct oc_choices *c,
        enum oc_key key, unsigned mods) {
    bool is_sideways =
            key == OC_KEY_LEFT || key == OC_KEY_RIGHT || key == OC_KEY_HOME || key == OC_KEY_END;
    bool is_erasing = key == OC_KEY_BACKSPACE || key == OC_KEY_DELETE;
    struct oc_edit e = edit_of(in->scene, it, c);
    if ((mods & OC_MOD_CTRL) && command(in, it, &e, key, mods)) {
        return true;
    }
    if (is_erasing) {
        return e.value.len > 0 && erase(in, it, &e, key, mods);
    }
    bool moves = is_sideways || (key == OC_KEY_A && mods & OC_MOD_CTRL);
    if (!moves || e.value.len == 0 || !oc_edit_move(&e, key, mods)) {
        return false;
    }
    in->changed = true;
    return true;
}

bool oc_filter_pointer(struct oc_input *in, struct oc_item *it, const struct oc_choices *c,
        enum oc_pointer what, double x, double y, unsigned mods) {
    struct oc_rect inner = inner_of(it, c);
    bool is_held = oc_item_is(it, in->pressed);
    bool began = oc_rect_holds(oc_filter_box(it, c), in->press_x, in->press_y);
    if (what == OC_POINTER_PRESS ? !oc_rect_holds(oc_filter_box(it, c), x, y)
                                 : !is_held || !began) {
        return false;
    }
    struct oc_edit e = edit_of(in->scene, it, c);
    double tx = x - inner.x + it->local->scroll_x, ty = y - inner.y;
    if (what == OC_POINTER_PRESS) {
        oc_edit_press(&e, tx, ty, in->clicks, mods & OC_MOD_SHIFT);
        it->local->highlight = -1; /* the release chooses nothing */
    } else if (what == OC_POINTER_MOVE && in->clicks == 1) {
        oc_edit_drag(&e, tx, ty);
    }
    in->changed = true;
    return true;
}
