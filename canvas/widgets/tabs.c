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
    struct oc_text *text;
    struct oc_rect at; /* relative to the item */
};

struct tabs {
    struct tab *tabs;
    int count, selected;
    double bar_h;
};

static const struct oc_value *tab_items(const struct oc_item *it) {
    return oc_item_prop(it, "tabItems");
}

static const char *title_of(struct oc_scene *s, const struct oc_item *it, int i) {
    const struct oc_value *tab = oc_value_at(tab_items(it), (size_t)i);
    const struct oc_value *title =
            oc_bound_resolve(it->surface, it->context, oc_value_get(tab, "title"));
    const char *text = oc_scene_text(s, title, OC_FIELD_MAX_LABEL);
    return text[0] ? text : oc_arena_printf(s->arena, "Tab %d", i + 1);
}

/* Only the selected child is built; what was selected stays so as long as there are that many. */
static void resolve(struct oc_scene *s, struct oc_item *it) {
    struct tabs *t = it->state;
    size_t count = oc_value_count(tab_items(it));
    t->count = count < MAX_TABS ? (int)count : MAX_TABS;
    if (count > MAX_TABS && s->diags) {
        oc_diags_add(s->diags, OC_DIAG_WARNING, it->component->line, it->surface->id, it->id,
                "too-many-tabs", "only %d of %zu tabs are shown", MAX_TABS, count);
    }
    t->count = (int)oc_scene_parts(s, (size_t)t->count);
    if (it->local->selected < 0 || it->local->selected >= t->count) {
        it->local->selected = 0;
    }
    t->selected = it->local->selected;
    t->tabs = oc_arena_alloc(s->arena, (size_t)t->count * sizeof(t->tabs[0]));
    for (int i = 0; i < t->count; i++) {
        bool is_selected = i == t->selected;
        struct oc_text_style style = oc_item_style(
                it, OC_HINT_BODY, is_selected ? it->theme->text_color : it->theme->muted);
        style.no_wrap = true;
        style.weight = is_selected ? 600 : 400;
        const char *title = title_of(s, it, i);
        t->tabs[i].text = oc_text_get(s->texts, (struct oc_slice){ title, strlen(title) }, &style);
        oc_item_shows(it, t->tabs[i].text);
        if (is_selected) {
            it->text = title;
        }
    }
    if (t->count > 0) {
        const struct oc_value *tab = oc_value_at(tab_items(it), (size_t)t->selected);
        oc_build_child(s, it, oc_value_string(oc_value_get(tab, "child")));
    }
}

static double tab_width(const struct tab *tab) {
    return oc_text_max_width(tab->text) + 2 * TAB_PAD_PX;
}

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    const struct tabs *t = it->state;
    double all = 0;
    oc_box_intrinsic(s, it, &(struct oc_box){ 0 });
    for (int i = 0; i < t->count; i++) {
        double w = tab_width(&t->tabs[i]);
        it->min_w = fmax(it->min_w, fmin(w, LEAST_PX));
        all += w;
    }
    it->max_w = fmax(it->max_w, all);
}

/* One that is wider than all there is ends with … */
static void cut(struct oc_scene *s, struct tab *tab) {
    struct oc_text_style style = *oc_text_style_of(tab->text);
    style.ellipsis = true;
    tab->text = oc_text_get(s->texts, oc_text_string(tab->text), &style);
}

/* Titles that do not fit go to further lines. */
static void widths(struct oc_scene *s, struct oc_item *it) {
    struct tabs *t = it->state;
    double x = 0, y = 0;
    for (int i = 0; i < t->count; i++) {
        double w = tab_width(&t->tabs[i]);
        if (w > it->w + 0.01) {
            cut(s, &t->tabs[i]);
            w = fmax(it->w, 2 * TAB_PAD_PX);
        }
        if (x > 0 && x + w > it->w + 0.01) {
            x = 0;
            y += it->theme->tab_height;
        }
        t->tabs[i].at = (struct oc_rect){ x, y, w, it->theme->tab_height };
        x += w;
    }
    t->bar_h = t->count > 0 ? y + it->theme->tab_height : 0;
    oc_box_widths(s, it, &(struct oc_box){ 0 });
}

static double gap_below(const struct oc_item *it) {
    const struct tabs *t = it->state;
    return t->count > 0 ? it->theme->tab_gap : 0;
}

static void height(struct oc_scene *s, struct oc_item *it) {
    const struct tabs *t = it->state;
    oc_box_height(s, it, &(struct oc_box){ 0 });
    it->nat_h += t->bar_h + gap_below(it);
}

static void place(struct oc_scene *s, struct oc_item *it) {
    const struct tabs *t = it->state;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        c->x = it->x;
        c->y = it->y + t->bar_h + gap_below(it);
        c->h = fmax(it->h - t->bar_h - gap_below(it), c->nat_h);
    }
}

static struct oc_rect tab_rect(const struct oc_item *it, int i) {
    const struct tabs *t = it->state;
    struct oc_rect r = t->tabs[i].at;
    r.x += it->x;
    r.y += it->y;
    return r;
}

static void paint_tab(
        const struct oc_scene *s, const struct oc_item *it, int i, struct oc_display_list *dl) {
    const struct tabs *t = it->state;
    const struct oc_theme *theme = it->theme;
    struct oc_rect r = tab_rect(it, i);
    bool is_selected = i == t->selected;
    if (!is_selected && oc_item_is(it, s->hover) && it->local->highlight == i) {
        oc_dl_box(dl, r, 4, OC_ALPHA(theme->text_color, 0.06), 0, 0);
    }
    double text_w = r.w - 2 * TAB_PAD_PX, text_h = oc_text_height(t->tabs[i].text, text_w);
    oc_dl_text(dl, r.x + TAB_PAD_PX, r.y + (r.h - MARK_PX - text_h) / 2, text_w, t->tabs[i].text);
    if (is_selected) {
        oc_dl_box(dl, (struct oc_rect){ r.x, r.y + r.h - MARK_PX, r.w, MARK_PX }, 0, theme->primary,
                0, 0);
    }
    if (is_selected && s->focus_visible && oc_item_is(it, s->focus)) {
        oc_dl_box(dl, r, 4, 0, theme->focus, 2);
    }
}

static void paint(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    const struct tabs *t = it->state;
    double line_y = it->y + t->bar_h - 1;
    if (t->count > 0) {
        oc_dl_box(dl, (struct oc_rect){ it->x, line_y, it->w, 1 }, 0,
                OC_ALPHA(it->theme->text_color, 0.12), 0, 0);
    }
    for (int i = 0; i < t->count; i++) {
        paint_tab(s, it, i, dl);
    }
}

static bool select_tab(struct oc_input *in, struct oc_item *it, int i) {
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
static bool activate(struct oc_input *in, struct oc_item *it) {
    const struct tabs *t = it->state;
    return t->count > 0 && select_tab(in, it, (t->selected + 1) % t->count);
}

/* A tab is named by its child, which has an id; in a template with the suffix of the Tabs. */
static bool reveal(struct oc_input *in, struct oc_item *it, const char *id) {
    const struct tabs *t = it->state;
    const char *suffix = it->id + strlen(it->component->id);
    for (int i = 0; i < t->count; i++) {
        const struct oc_value *tab = oc_value_at(tab_items(it), (size_t)i);
        struct oc_slice child = oc_value_string(oc_value_get(tab, "child"));
        if (child.len > 0 && strncmp(id, child.ptr, child.len) == 0 &&
                strcmp(id + child.len, suffix) == 0) {
            return select_tab(in, it, i);
        }
    }
    return false;
}

static bool pointer(struct oc_input *in, struct oc_item *it, enum oc_pointer what, double x,
        double y, unsigned mods) {
    (void)mods;
    const struct tabs *t = it->state;
    int over = -1;
    for (int i = 0; i < t->count && what != OC_POINTER_LEAVE; i++) {
        if (oc_rect_holds(tab_rect(it, i), x, y)) {
            over = i;
        }
    }
    if (what == OC_POINTER_PRESS) {
        (void)select_tab(in, it, over);
    }
    if (it->local->highlight != over) {
        in->changed = true;
    }
    it->local->highlight = over;
    /* never `activate`: a click beside the titles must not go to the next one */
    return what == OC_POINTER_PRESS || what == OC_POINTER_RELEASE;
}

static bool key(struct oc_input *in, struct oc_item *it, enum oc_key key, unsigned mods) {
    const struct tabs *t = it->state;
    /* keys that its content did not want are not for the titles */
    if (mods || !oc_item_is(it, in->focus)) {
        return false;
    }
    switch (key) {
    case OC_KEY_LEFT:
        return select_tab(in, it, t->selected - 1);
    case OC_KEY_RIGHT:
        return select_tab(in, it, t->selected + 1);
    case OC_KEY_HOME:
        return select_tab(in, it, 0);
    case OC_KEY_END:
        return select_tab(in, it, t->count - 1);
    default:
        return false;
    }
}

static const struct oc_widget_input input = {
    .activate = activate,
    .reveal = reveal,
    .pointer = pointer,
    .key = key,
    .takes_focus = true,
};

const struct oc_widget oc_widget_tabs = {
    .name = "Tabs",
    .state_size = sizeof(struct tabs),
    .resolve = resolve,
    .intrinsic = intrinsic,
    .widths = widths,
    .height = height,
    .place = place,
    .paint = paint,
    .input = &input,
};
