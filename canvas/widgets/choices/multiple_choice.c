/* MultipleChoice: some of several options, as a drop-down with boxes to tick or as chips; with one
 * allowed they are radio buttons. choices.c knows what is chosen, choice_list.c and choice_chips.c
 * how it looks. */
#include "canvas/widgets/choices/choices.h"
#include "canvas/widgets/field.h"

#include <math.h>
#include <string.h>

#define PAGE 7 /* rows that PageUp and PageDown go */

static bool is_ascii(const char *text) {
    while (*text && (unsigned char)*text < 0x80) {
        text++;
    }
    return *text == '\0';
}

static void multiple_choice_resolve(struct cv_scene *s, struct cv_item *it) {
    struct cv_choices *c = it->state;
    cv_choices_load(s, it, c);
    size_t given = cv_value_count(cv_item_prop(it, "options"));
    if (given > CV_CHOICES_MAX && s->diags) {
        cv_diags_add(s->diags, CV_DIAG_WARNING, it->component->line, it->surface->id,
                it->component->id, "too-many-options", "%zu options, the first %zu are shown",
                given, c->total);
    }
    for (size_t i = 0; i < c->count && i < CV_CHOICES_MEASURED; i++) {
        if (!is_ascii(c->at[i].label)) { /* the others are shaped when they are seen */
            cv_item_shows(it, cv_field_line(s, it->theme, c->at[i].label, it->theme->text_color));
        }
    }
    it->text = c->has_chips ? NULL : cv_choices_header(s, c);
    it->overlay = it->local->open && !c->has_chips;
}

static void multiple_choice_intrinsic(struct cv_scene *s, struct cv_item *it) {
    const struct cv_choices *c = it->state;
    if (c->has_chips) {
        cv_chips_intrinsic(s, it, c);
        return;
    }
    cv_list_intrinsic(s, it, c);
}

static void multiple_choice_height(struct cv_scene *s, struct cv_item *it) {
    struct cv_choices *c = it->state;
    if (c->has_chips) {
        cv_chips_arrange(s, it, c);
    }
    it->nat_h = c->has_chips ? c->chips_h : cv_list_header_h(it->theme);
}

static void multiple_choice_place(struct cv_scene *s, struct cv_item *it) {
    const struct cv_choices *c = it->state;
    if (!c->has_chips) {
        cv_list_place(s, it, c);
    }
    cv_filter_place(s, it, c);
}

static void multiple_choice_paint(
        struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct cv_choices *c = it->state;
    if (c->has_chips) {
        cv_chips_paint(s, it, c, dl);
    } else {
        cv_list_paint(s, it, c, dl);
    }
}

/* For handlers: what is chosen now, with the chips where they were drawn. As long as nothing
 * changed that is what the scene has; reading it again with every move of the pointer would fill
 * the arena. */
static struct cv_choices multiple_choice_now(struct cv_input *in, const struct cv_item *it) {
    struct cv_choices c;
    if (!in->changed) {
        return *(const struct cv_choices *)it->state;
    }
    cv_choices_load(in->scene, it, &c);
    if (c.has_chips) {
        cv_chips_arrange(in->scene, it, &c);
    }
    return c;
}

static void set_open(struct cv_input *in, struct cv_item *it, bool open) {
    it->local->open = open;
    it->local->highlight = -1;
    it->local->scroll_y = 0;
    cv_filter_clear(in, it);
    in->changed = true;
}

static bool multiple_choice_activate(struct cv_input *in, struct cv_item *it) {
    struct cv_choices c = multiple_choice_now(in, it);
    if (c.has_chips) {
        return false;
    }
    set_open(in, it, !it->local->open);
    return true;
}

static void multiple_choice_choose(
        struct cv_input *in, struct cv_item *it, const struct cv_choices *c, size_t i) {
    cv_choices_toggle(in, it, c, i);
    if (c->max == 1 && !c->has_chips && i < c->count) {
        set_open(in, it, false);
    }
}

/* The press marks an option, the release on the same one chooses it. */
static bool multiple_choice_pointer(struct cv_input *in, struct cv_item *it, enum cv_pointer what,
        double x, double y, unsigned mods) {
    struct cv_choices c = multiple_choice_now(in, it);
    bool has_filter = c.is_filterable && (c.has_chips || it->local->open);
    if (has_filter && cv_filter_pointer(in, it, &c, what, x, y, mods)) {
        return true;
    }
    if (!c.has_chips && it->local->open && cv_list_bar(in, it, &c, what, x, y)) {
        return true;
    }
    bool is_inside = c.has_chips || (it->local->open && cv_rect_holds(it->popup, x, y));
    size_t i = !is_inside    ? c.count
               : c.has_chips ? cv_chips_at(it, &c, x, y)
                             : cv_list_at(it, &c, x, y);
    bool is_held = cv_item_is(it, in->pressed);
    if (what == CV_POINTER_RELEASE && is_held && i < c.count && it->local->highlight == (int)i) {
        multiple_choice_choose(in, it, &c, i);
    } else if (!is_held && is_inside && it->local->highlight != (i < c.count ? (int)i : -1)) {
        it->local->highlight = i < c.count ? (int)i : -1;
        in->changed = true;
    }
    return is_inside;
}

static bool multiple_choice_scroll(struct cv_input *in, struct cv_item *it, double dx, double dy) {
    (void)dx;
    struct cv_choices c = multiple_choice_now(in, it);
    if (c.has_chips || !it->local->open) {
        return false;
    }
    (void)cv_list_scroll(it, &c, dy);
    return true; /* the page below stays */
}

static int multiple_choice_moved(const struct cv_choices *c, int from, enum cv_key key) {
    int last = (int)c->count - 1;
    switch (key) {
    case CV_KEY_LEFT:
    case CV_KEY_UP:
        return from > 0 ? from - 1 : from < 0 ? last : 0;
    case CV_KEY_RIGHT:
    case CV_KEY_DOWN:
        return from < last ? from + 1 : last;
    case CV_KEY_HOME:
        return 0;
    case CV_KEY_END:
        return last;
    case CV_KEY_PAGE_UP:
        return from > PAGE ? from - PAGE : 0;
    case CV_KEY_PAGE_DOWN:
        return from + PAGE < last ? from + PAGE : last;
    default:
        return -1;
    }
}

static bool move_key(
        struct cv_input *in, struct cv_item *it, const struct cv_choices *c, enum cv_key key) {
    struct cv_local *l = it->local;
    bool is_sideways = key == CV_KEY_LEFT || key == CV_KEY_RIGHT;
    bool is_known = is_sideways || key == CV_KEY_UP || key == CV_KEY_DOWN || key == CV_KEY_HOME ||
                    key == CV_KEY_END || key == CV_KEY_PAGE_UP || key == CV_KEY_PAGE_DOWN;
    if (!is_known || c->count == 0 || (is_sideways && !c->has_chips)) {
        return false;
    }
    /* the first chip is marked when the focus comes, the first row when the list opens is not */
    int from = l->highlight < 0 && c->has_chips && !c->is_filterable ? 0 : l->highlight;
    l->highlight = multiple_choice_moved(c, from, key);
    if (!c->has_chips) {
        cv_list_reveal(it, c);
    }
    in->changed = true;
    return true;
}

static bool multiple_choice_key(
        struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods) {
    struct cv_local *l = it->local;
    struct cv_choices c = multiple_choice_now(in, it);
    bool has_filter = c.is_filterable && (c.has_chips || l->open);
    if (has_filter && cv_filter_key(in, it, &c, key, mods)) {
        return true;
    }
    if (mods & (CV_MOD_CTRL | CV_MOD_ALT)) {
        return false;
    }
    bool chooses = key == CV_KEY_ENTER || key == CV_KEY_SPACE;
    if (!c.has_chips && !l->open) {
        if (chooses || key == CV_KEY_DOWN) {
            set_open(in, it, true);
            l->highlight = c.count ? 0 : -1;
            for (size_t i = 0; i < c.count; i++) {
                if (c.at[i].is_selected) {
                    l->highlight = (int)i;
                    break;
                }
            }
            return true;
        }
        return false;
    }
    if (key == CV_KEY_ESCAPE && (l->open || l->filter)) {
        set_open(in, it, false);
        return true;
    }
    if (key == CV_KEY_SPACE && c.is_filterable && c.filter[0]) {
        return false; /* comes again as text */
    }
    if (chooses && c.count > 0) {
        bool is_first = l->highlight < 0 && (c.has_chips || c.count == 1);
        multiple_choice_choose(in, it, &c, is_first ? 0 : (size_t)l->highlight);
        return true;
    }
    return move_key(in, it, &c, key);
}

static bool multiple_choice_text(struct cv_input *in, struct cv_item *it, const char *utf8) {
    struct cv_choices c = multiple_choice_now(in, it);
    if (strcmp(utf8, " ") == 0 && !(c.is_filterable && c.filter[0])) {
        return multiple_choice_key(in, it, CV_KEY_SPACE, 0);
    }
    if (!c.has_chips && !it->local->open) {
        return false;
    }
    if (c.is_filterable) {
        return cv_filter_text(in, it, &c, utf8);
    }
    size_t i = cv_choices_type_ahead(&c, it->local->highlight, utf8);
    if (i == c.count) {
        return false;
    }
    it->local->highlight = (int)i;
    if (!c.has_chips) {
        cv_list_reveal(it, &c);
    }
    return true;
}

static bool multiple_choice_preedit(
        struct cv_input *in, struct cv_item *it, const char *utf8, size_t at) {
    (void)in;
    const struct cv_choices *c = it->state;
    bool has_filter = c->is_filterable && (c->has_chips || it->local->open);
    if (!has_filter || strlen(utf8) > CV_FIELD_MAX_LABEL || (!utf8[0] && !it->local->preedit)) {
        return false;
    }
    cv_filter_preedit(it, utf8, at);
    return true;
}

/* An open list is searched by typing. */
static bool multiple_choice_caret(struct cv_scene *s, struct cv_item *it, struct cv_rect *ret) {
    const struct cv_choices *c = it->state;
    *ret = c->is_filterable ? cv_filter_caret(s, it, c)
                            : (struct cv_rect){ it->x, it->y, it->w, it->h };
    return c->has_chips ? c->is_filterable : it->local->open;
}

/* The option that has the keyboard; else what is chosen. */
static void say_state(struct cv_scene *s, const struct cv_item *it, struct oc_buf *out) {
    (void)s;
    const struct cv_choices *c = it->state;
    int at = it->local->highlight;
    if (at < 0 && c->has_chips && c->count > 0 && c->selected == 0) {
        at = 0;
    }
    if (at >= 0 && (size_t)at < c->count && (c->has_chips || it->local->open)) {
        const struct cv_choice *o = &c->at[at];
        (void)oc_buf_printf(out, "%s, %s%s", o->label, o->is_selected ? "selected" : "not selected",
                o->is_disabled ? ", not available" : "");
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (c->at[i].is_selected) {
            (void)oc_buf_printf(out, "%s%s", out->len ? ", " : "", c->at[i].label);
        }
    }
}

static const struct cv_widget_input input = {
    .activate = multiple_choice_activate,
    .pointer = multiple_choice_pointer,
    .scroll = multiple_choice_scroll,
    .key = multiple_choice_key,
    .text = multiple_choice_text,
    .preedit = multiple_choice_preedit,
    .caret = multiple_choice_caret,
    .state = say_state,
    .takes_focus = true,
};

const struct cv_widget cv_widget_multiple_choice = {
    .name = "MultipleChoice",
    .state_size = sizeof(struct cv_choices),
    .resolve = multiple_choice_resolve,
    .intrinsic = multiple_choice_intrinsic,
    .height = multiple_choice_height,
    .place = multiple_choice_place,
    .paint = multiple_choice_paint,
    .input = &input,
};
