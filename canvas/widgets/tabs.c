#include "canvas/input/input.h"
#include "canvas/scene/box.h"
#include "canvas/widgets/field.h"
#include "lib/base/mem.h"

#include <math.h>
#include <string.h>

#define TAB_PAD_PX 8
#define MARK_PX 2 /* line under the selected one */
#define MAX_TABS 256
#define LEAST_PX 120 /* a title that is wider is cut where there is no room */

struct tab {
    struct cv_text *text;
    struct cv_rect at; /* relative to the item */
};

struct tabs {
    struct tab *tabs;
    int count, selected;
    double bar_h;
};

static const struct cv_value *tab_items(const struct cv_item *it) {
    return cv_item_prop(it, "tabItems");
}

static const char *title_of(struct cv_scene *s, const struct cv_item *it, int i) {
    const struct cv_value *tab = cv_value_at(tab_items(it), (size_t)i);
    const struct cv_value *title =
            cv_bound_resolve(it->surface, it->context, cv_value_get(tab, "title"));
    const char *text = cv_scene_text(s, title, CV_FIELD_MAX_LABEL);
    return text[0] ? text : cv_arena_printf(s->arena, "Tab %d", i + 1);
}

/* Only the selected child is built; what was selected stays so as long as there are that many. */
static void tabs_resolve(struct cv_scene *s, struct cv_item *it) {
    struct tabs *t = it->state;
    size_t count = cv_value_count(tab_items(it));
    t->count = count < MAX_TABS ? (int)count : MAX_TABS;
    if (count > MAX_TABS && s->diags) {
        cv_diags_add(s->diags, CV_DIAG_WARNING, it->component->line, it->surface->id, it->id,
                "too-many-tabs", "only %d of %zu tabs are shown", MAX_TABS, count);
    }
    t->count = (int)cv_scene_parts(s, (size_t)t->count);
    if (it->local->selected < 0 || it->local->selected >= t->count) {
        it->local->selected = 0;
    }
    t->selected = it->local->selected;
    t->tabs = cv_arena_alloc(s->arena, (size_t)t->count * sizeof(t->tabs[0]));
    for (int i = 0; i < t->count; i++) {
        bool is_selected = i == t->selected;
        struct cv_text_style style = cv_item_style(
                it, CV_HINT_BODY, is_selected ? it->theme->text_color : it->theme->muted);
        style.no_wrap = true;
        style.weight = is_selected ? 600 : 400;
        const char *title = title_of(s, it, i);
        t->tabs[i].text = cv_text_get(s->texts, (struct oc_slice){ title, strlen(title) }, &style);
        cv_item_shows(it, t->tabs[i].text);
        if (is_selected) {
            it->text = title;
        }
    }
    if (t->count > 0) {
        const struct cv_value *tab = cv_value_at(tab_items(it), (size_t)t->selected);
        cv_build_child(s, it, cv_value_string(cv_value_get(tab, "child")));
    }
}

static double tab_width(const struct tab *tab) {
    return cv_text_max_width(tab->text) + 2 * TAB_PAD_PX;
}

static void tabs_intrinsic(struct cv_scene *s, struct cv_item *it) {
    const struct tabs *t = it->state;
    double all = 0;
    cv_box_intrinsic(s, it, &(struct cv_box){ 0 });
    for (int i = 0; i < t->count; i++) {
        double w = tab_width(&t->tabs[i]);
        it->min_w = fmax(it->min_w, fmin(w, LEAST_PX));
        all += w;
    }
    it->max_w = fmax(it->max_w, all);
}

/* One that is wider than all there is ends with … */
static void tabs_cut(struct cv_scene *s, struct tab *tab) {
    struct cv_text_style style = *cv_text_style_of(tab->text);
    style.ellipsis = true;
    tab->text = cv_text_get(s->texts, cv_text_string(tab->text), &style);
}

/* Titles that do not fit go to further lines. */
static void tabs_widths(struct cv_scene *s, struct cv_item *it) {
    struct tabs *t = it->state;
    double x = 0, y = 0;
    for (int i = 0; i < t->count; i++) {
        double w = tab_width(&t->tabs[i]);
        if (w > it->w + 0.01) {
            tabs_cut(s, &t->tabs[i]);
            w = fmax(it->w, 2 * TAB_PAD_PX);
        }
        if (x > 0 && x + w > it->w + 0.01) {
            x = 0;
            y += it->theme->tab_height;
        }
        t->tabs[i].at = (struct cv_rect){ x, y, w, it->theme->tab_height };
        x += w;
    }
    t->bar_h = t->count > 0 ? y + it->theme->tab_height : 0;
    cv_box_widths(s, it, &(struct cv_box){ 0 });
}

static double gap_below(const struct cv_item *it) {
    const struct tabs *t = it->state;
    return t->count > 0 ? it->theme->tab_gap : 0;
}

static void tabs_height(struct cv_scene *s, struct cv_item *it) {
    const struct tabs *t = it->state;
    cv_box_height(s, it, &(struct cv_box){ 0 });
    it->nat_h += t->bar_h + gap_below(it);
}

static void tabs_place(struct cv_scene *s, struct cv_item *it) {
    const struct tabs *t = it->state;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        c->x = it->x;
        c->y = it->y + t->bar_h + gap_below(it);
        c->h = fmax(it->h - t->bar_h - gap_below(it), c->nat_h);
    }
}

static struct cv_rect tab_rect(const struct cv_item *it, int i) {
    const struct tabs *t = it->state;
    struct cv_rect r = t->tabs[i].at;
    r.x += it->x;
    r.y += it->y;
    return r;
}

static void paint_tab(
        const struct cv_scene *s, const struct cv_item *it, int i, struct cv_display_list *dl) {
    const struct tabs *t = it->state;
    const struct cv_theme *theme = it->theme;
    struct cv_rect r = tab_rect(it, i);
    bool is_selected = i == t->selected;
    if (!is_selected && cv_item_is(it, s->hover) && it->local->highlight == i) {
        cv_dl_box(dl, r, 4, CV_ALPHA(theme->text_color, 0.06), 0, 0);
    }
    double text_w = r.w - 2 * TAB_PAD_PX, text_h = cv_text_height(t->tabs[i].text, text_w);
    cv_dl_text(dl, r.x + TAB_PAD_PX, r.y + (r.h - MARK_PX - text_h) / 2, text_w, t->tabs[i].text);
    if (is_selected) {
        cv_dl_box(dl, (struct cv_rect){ r.x, r.y + r.h - MARK_PX, r.w, MARK_PX }, 0, theme->primary,
                0, 0);
    }
    if (is_selected && s->focus_visible && cv_item_is(it, s->focus)) {
        cv_dl_box(dl, r, 4, 0, theme->focus, 2);
    }
}

static void tabs_paint(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct tabs *t = it->state;
    double line_y = it->y + t->bar_h - 1;
    if (t->count > 0) {
        cv_dl_box(dl, (struct cv_rect){ it->x, line_y, it->w, 1 }, 0,
                CV_ALPHA(it->theme->text_color, 0.12), 0, 0);
    }
    for (int i = 0; i < t->count; i++) {
        paint_tab(s, it, i, dl);
    }
}

static bool select_tab(struct cv_input *in, struct cv_item *it, int i) {
    const struct tabs *t = it->state;
    if (i < 0 || i >= t->count) {
        return false;
    }
    if (it->local->selected != i) {
        in->changed = true;
    }
    it->local->selected = i;
    return true;
}

/* Without a place, as Enter and `--activate` do it: the next one. */
static bool tabs_activate(struct cv_input *in, struct cv_item *it) {
    const struct tabs *t = it->state;
    return t->count > 0 && select_tab(in, it, (t->selected + 1) % t->count);
}

/* A tab is named by its child, which has an id; in a template with the suffix of the Tabs. */
static bool tabs_reveal(struct cv_input *in, struct cv_item *it, const char *id) {
    const struct tabs *t = it->state;
    const char *suffix = it->id + strlen(it->component->id);
    for (int i = 0; i < t->count; i++) {
        const struct cv_value *tab = cv_value_at(tab_items(it), (size_t)i);
        struct oc_slice child = cv_value_string(cv_value_get(tab, "child"));
        if (child.len > 0 && strncmp(id, child.ptr, child.len) == 0 &&
                strcmp(id + child.len, suffix) == 0) {
            return select_tab(in, it, i);
        }
    }
    return false;
}

static bool tabs_pointer(struct cv_input *in, struct cv_item *it, enum cv_pointer what, double x,
        double y, unsigned mods) {
    (void)mods;
    const struct tabs *t = it->state;
    int over = -1;
    for (int i = 0; i < t->count && what != CV_POINTER_LEAVE; i++) {
        if (cv_rect_holds(tab_rect(it, i), x, y)) {
            over = i;
        }
    }
    if (what == CV_POINTER_PRESS) {
        (void)select_tab(in, it, over);
    }
    if (it->local->highlight != over) {
        in->changed = true;
    }
    it->local->highlight = over;
    /* never `activate`: a click beside the titles must not go to the next one */
    return what == CV_POINTER_PRESS || what == CV_POINTER_RELEASE;
}

static bool tabs_key(struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods) {
    const struct tabs *t = it->state;
    /* keys that its content did not want are not for the titles */
    if (mods || !cv_item_is(it, in->focus)) {
        return false;
    }
    switch (key) {
    case CV_KEY_LEFT:
        return select_tab(in, it, t->selected - 1);
    case CV_KEY_RIGHT:
        return select_tab(in, it, t->selected + 1);
    case CV_KEY_HOME:
        return select_tab(in, it, 0);
    case CV_KEY_END:
        return select_tab(in, it, t->count - 1);
    default:
        return false;
    }
}

static const struct cv_widget_input input = {
    .activate = tabs_activate,
    .reveal = tabs_reveal,
    .pointer = tabs_pointer,
    .key = tabs_key,
    .takes_focus = true,
};

const struct cv_widget cv_widget_tabs = {
    .name = "Tabs",
    .state_size = sizeof(struct tabs),
    .resolve = tabs_resolve,
    .intrinsic = tabs_intrinsic,
    .widths = tabs_widths,
    .height = tabs_height,
    .place = tabs_place,
    .paint = tabs_paint,
    .input = &input,
};
