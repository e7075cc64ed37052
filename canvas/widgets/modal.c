/* Its entry child stands in the page; a click on it opens a dialog with the content child above
 * everything. The dialog closes by its button, Esc, or a click beside it. */
#include "canvas/input/input.h"
#include "canvas/input/input_scroll.h"
#include "canvas/scene/box.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <math.h>
#include <string.h>

#define CLOSE_PX 20
#define CLOSE_GAP_PX 4
#define BORDER_PX 1
#define EDGE_PX 3 /* to the edge of the view, besides the page's padding */

enum { OVER_NOTHING = -1, OVER_CLOSE = 1 }; /* cv_local.highlight */

struct modal {
    struct cv_rect dialog; /* in the view; the wanted size before place */
    struct cv_rect close;
};

static struct oc_slice child_id(const struct cv_item *it, const char *prop) {
    return cv_value_string(cv_item_prop(it, prop));
}

/* An empty text as entry is how agents say "show the dialog now": nobody could click on it. Closed
 * by a person it stays so until the agent defines the Modal again, which says "now" once more. */
static bool has_blank_entry(const struct cv_item *it) {
    struct oc_slice id = child_id(it, "entryPointChild");
    OC_AUTO_FREE char *name = oc_strndup(id.ptr ? id.ptr : "", id.len);
    const struct cv_component *entry = cv_surface_component(it->surface, name);
    if (!entry || strcmp(entry->type, "Text") != 0) {
        return false;
    }
    const struct cv_value *text = cv_value_get(entry->props, "text");
    const struct cv_value *literal = cv_value_get(text, "literalString");
    OC_AUTO_FREE char *shown =
            oc_strndup(cv_value_string(literal).ptr ? cv_value_string(literal).ptr : "",
                    cv_value_string(literal).len);
    return cv_value_type_of(literal) == CV_V_STRING && !cv_value_get(text, "path") &&
           oc_str_blank(shown);
}

static void modal_resolve(struct cv_scene *s, struct cv_item *it) {
    if (it->local->closed != it->component->defined && has_blank_entry(it)) {
        it->local->open = true;
    }
    cv_build_child(s, it, child_id(it, "entryPointChild"));
    if (it->local->open) {
        cv_build_child(s, it, child_id(it, "contentChild"));
    }
}

/* Which of the two is it? Either may be missing. */
static bool is_content(
        const struct cv_scene *s, const struct cv_item *it, const struct cv_item *c) {
    if (!oc_slice_eq(child_id(it, "contentChild"), c->component->id)) {
        return false;
    }
    bool is_both = oc_slice_eq(child_id(it, "entryPointChild"), c->component->id);
    return !is_both || c != cv_first(s, it);
}

static void modal_intrinsic(struct cv_scene *s, struct cv_item *it) {
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        c->overlay = is_content(s, it, c);
        if (c->overlay) {
            continue;
        }
        it->min_w = c->min_w;
        it->max_w = c->max_w;
    }
}

static double modal_frame(const struct cv_item *it) {
    return it->theme->dialog_pad + BORDER_PX;
}

static void modal_widths(struct cv_scene *s, struct cv_item *it) {
    struct modal *m = it->state;
    double room = fmin(s->width - 2 * (s->theme->page_pad + EDGE_PX), it->theme->dialog_max_w);
    double inner = CLOSE_PX;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        if (c->overlay) {
            inner = fmax(inner, fmin(c->max_w, room - 2 * modal_frame(it)));
        }
    }
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        c->w = c->overlay ? inner : it->w;
    }
    m->dialog.w = inner + 2 * modal_frame(it);
}

static void modal_height(struct cv_scene *s, struct cv_item *it) {
    struct modal *m = it->state;
    m->dialog.h = 2 * modal_frame(it) + CLOSE_PX + CLOSE_GAP_PX;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        if (c->overlay) {
            m->dialog.h += c->nat_h;
        } else {
            it->nat_h = c->nat_h;
        }
    }
    it->is_dialog = it->local->open;
    if (it->is_dialog) {
        it->popup = m->dialog;
    }
}

/* In the middle of the view; higher than that it scrolls. */
static void place_dialog(struct cv_scene *s, struct cv_item *it, struct cv_item *content) {
    struct modal *m = it->state;
    double view_h = s->view_height > 0 ? s->view_height : s->height;
    double margin = s->theme->page_pad;
    m->dialog.h = fmin(m->dialog.h, fmax(view_h - 2 * margin, 2 * modal_frame(it) + CLOSE_PX));
    m->dialog.x = (s->width - m->dialog.w) / 2;
    m->dialog.y = fmax((view_h - m->dialog.h) / 2, 0);
    const struct cv_rect *d = &m->dialog;
    m->close = (struct cv_rect){ d->x + d->w - modal_frame(it) - CLOSE_PX, d->y + modal_frame(it),
        CLOSE_PX, CLOSE_PX };
    double top = m->close.y + CLOSE_PX + CLOSE_GAP_PX;
    it->popup = (struct cv_rect){ 0, 0, s->width, view_h };
    it->view = (struct cv_rect){ d->x + BORDER_PX, top, d->w - 2 * BORDER_PX,
        d->y + d->h - BORDER_PX - top };
    it->view_pad = it->theme->dialog_pad;
    if (content) {
        content->x = d->x + modal_frame(it);
        content->y = top;
        content->h = content->nat_h;
    }
}

static void modal_place(struct cv_scene *s, struct cv_item *it) {
    struct cv_item *content = NULL;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        c->x = it->x;
        c->y = it->y;
        c->h = it->h;
        if (c->overlay) {
            content = c;
        }
    }
    if (it->is_dialog) {
        place_dialog(s, it, content);
    }
}

static void paint_over(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    if (s->focus_visible && !it->is_dialog && cv_item_is(it, s->focus)) {
        cv_dl_box(dl, cv_item_box(it), 4, 0, it->theme->focus, 2);
    }
}

static void paint_popup(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct modal *m = it->state;
    const struct cv_theme *t = it->theme;
    struct cv_rect shadow = m->dialog;
    shadow.y += 8;
    cv_dl_box(dl, it->popup, 0, t->scrim, 0, 0);
    cv_dl_shadow(dl, shadow, t->dialog_radius, 24, t->shadow);
    cv_dl_box(dl, m->dialog, t->dialog_radius, t->dialog_back, t->dialog_border, BORDER_PX);
    bool is_hovered = cv_item_is(it, s->hover) && it->local->highlight == OVER_CLOSE;
    if (is_hovered) {
        cv_dl_box(dl, m->close, CLOSE_PX / 2.0, CV_ALPHA(t->text_color, 0.12), 0, 0);
    }
    cv_dl_icon(dl, (struct cv_rect){ m->close.x + 2, m->close.y + 2, CLOSE_PX - 4, CLOSE_PX - 4 },
            "close", t->text_color);
}

/* What in the page opened it, or itself. */
static const struct cv_item *modal_opener(const struct cv_item *it) {
    for (const struct cv_item *c = it + 1; c <= it + it->below; c++) {
        if (c->layer == it->layer && c->widget->input && c->widget->input->takes_focus) {
            return c;
        }
    }
    return it;
}

static void set_open(struct cv_input *in, struct cv_item *it, bool open) {
    if (it->local->open == open) {
        return;
    }
    if (!open) { /* what had the focus goes away */
        cv_input_set_focus(in, modal_opener(it));
    }
    it->local->open = open;
    it->local->closed = open ? 0 : it->component->defined;
    it->local->scroll_x = it->local->scroll_y = 0;
    it->local->highlight = OVER_NOTHING;
    in->changed = true;
}

/* Also called when something in the dialog was activated: that leaves it open. */
static bool modal_activate(struct cv_input *in, struct cv_item *it) {
    set_open(in, it, true);
    return true;
}

static bool modal_pointer(struct cv_input *in, struct cv_item *it, enum cv_pointer what, double x,
        double y, unsigned mods) {
    (void)mods;
    if (!it->is_dialog) {
        return false;
    }
    const struct modal *m = it->state;
    bool is_over_close = what != CV_POINTER_LEAVE && cv_rect_holds(m->close, x, y);
    int over = is_over_close ? OVER_CLOSE : OVER_NOTHING;
    if (it->local->highlight != over) {
        in->changed = true;
    }
    it->local->highlight = over;
    if (what == CV_POINTER_RELEASE && (is_over_close || !cv_rect_holds(m->dialog, x, y))) {
        set_open(in, it, false);
    }
    return true;
}

static bool modal_scroll(struct cv_input *in, struct cv_item *it, double dx, double dy) {
    if (!it->is_dialog) {
        return false;
    }
    (void)cv_scroll_by(in, it, dx, dy);
    return true; /* the page below must not move */
}

static bool modal_key(struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods) {
    if (!it->is_dialog) {
        return false;
    }
    if (key == CV_KEY_ESCAPE) {
        set_open(in, it, false);
        return true;
    }
    return cv_scroll_key(in, it, key, mods);
}

static const struct cv_widget_input input = {
    .activate = modal_activate,
    .pointer = modal_pointer,
    .scroll = modal_scroll,
    .key = modal_key,
    .takes_focus = true,
    .hears_children = true,
};

const struct cv_widget cv_widget_modal = {
    .name = "Modal",
    .state_size = sizeof(struct modal),
    .ignores_weight = true,
    .scrolls = true,
    .resolve = modal_resolve,
    .intrinsic = modal_intrinsic,
    .widths = modal_widths,
    .height = modal_height,
    .place = modal_place,
    .paint_over = paint_over,
    .paint_popup = paint_popup,
    .input = &input,
};
