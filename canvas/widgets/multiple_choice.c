/* MultipleChoice: some of several options, as a drop-down with boxes to tick or as chips; with one allowed they are radio buttons.
 * choices.c knows what is chosen, choice_list.c and choice_chips.c how it looks. */
#include "canvas/widgets/choices.h"
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

static void resolve(struct oc_scene *s, struct oc_item *it) {
    struct oc_choices *c = it->state;
    oc_choices_load(s, it, c);
    size_t given = oc_value_count(oc_item_prop(it, "options"));
    if (given > OC_CHOICES_MAX && s->diags) {
        oc_diags_add(s->diags, OC_DIAG_WARNING, it->component->line, it->surface->id,
                it->component->id, "too-many-options", "%zu options, the first %zu are shown",
                given, c->total);
    }
    for (size_t i = 0; i < c->count && i < OC_CHOICES_MEASURED; i++) {
        if (!is_ascii(c->at[i].label)) { /* the others are shaped when they are seen */
            oc_item_shows(it, oc_field_line(s, it->theme, c->at[i].label, it->theme->text_color));
        }
    }
    it->text = c->has_chips ? NULL : oc_choices_header(s, c);
    it->overlay = it->local->open && !c->has_chips;
}

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    const struct oc_choices *c = it->state;
    if (c->has_chips) {
        oc_chips_intrinsic(s, it, c);
        return;
    }
    oc_list_intrinsic(s, it, c);
}

static void height(struct oc_scene *s, struct oc_item *it) {
    struct oc_choices *c = it->state;
    if (c->has_chips) {
        oc_chips_arrange(s, it, c);
    }
    it->nat_h = c->has_chips ? c->chips_h : oc_list_header_h(it->theme);
}

static void place(struct oc_scene *s, struct oc_item *it) {
    const struct oc_choices *c = it->state;
    if (!c->has_chips) {
        oc_list_place(s, it, c);
    }
    oc_filter_place(s, it, c);
}

static void paint(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    const struct oc_choices *c = it->state;
    if (c->has_chips) {
        oc_chips_paint(s, it, c, dl);
    } else {
        oc_list_paint(s, it, c, dl);
    }
}

/* For handlers: what is chosen now, with the chips where they were drawn. As long as nothing changed that is what the scene has;
 * reading it again with every move of the pointer would fill the arena. */
static struct oc_choices now(struct oc_input *in, const struct oc_item *it) {
    struct oc_choices c;
    if (!in->changed) {
        return *(const struct oc_choices *)it->state;
    }
    oc_choices_load(in->scene, it, &c);
    if (c.has_chips) {
        oc_chips_arrange(in->scene, it, &c);
    }
    return c;
}

static void set_open(struct oc_input *in, struct oc_item *it, bool open) {
    it->local->open = open;
    it->local->highlight = -1;
    it->local->scroll_y = 0;
    oc_filter_clear(in, it);
    in->changed = true;
}

static bool activate(struct oc_input *in, struct oc_item *it) {
    struct oc_choices c = now(in, it);
    if (c.has_chips) {
        return false;
    }
    set_open(in, it, !it->local->open);
    return true;
}

static void choose(struct oc_input *in, struct oc_item *it, const struct oc_choices *c, size_t i) {
    oc_choices_toggle(in, it, c, i);
    if (c->max == 1 && !c->has_chips && i < c->count) {
        set_open(in, it, false);
    }
}

/* The press marks an option, the release on the same one chooses it. */
static bool pointer(struct oc_input *in, struct oc_item *it, enum oc_pointer what, double x,
        double y, unsigned mods) {
    struct oc_choices c = now(in, it);
    bool has_filter = c.is_filterable && (c.has_chips || it->local->open);
    if (has_filter && oc_filter_pointer(in, it, &c, what, x, y, mods)) {
        return true;
    }
    if (!c.has_chips && it->local->open && oc_list_bar(in, it, &c, what, x, y)) {
        return true;
    }
    bool is_inside = c.has_chips || (it->local->open && oc_rect_holds(it->popup, x, y));
    size_t i = !is_inside    ? c.count
               : c.has_chips ? oc_chips_at(it, &c, x, y)
                             : oc_list_at(it, &c, x, y);
    bool is_held = oc_item_is(it, in->pressed);
    if (what == OC_POINTER_RELEASE && is_held && i < c.count && it->local->highlight == (int)i) {
        choose(in, it, &c, i);
    } else if (!is_held && is_inside && it->local->highlight != (i < c.count ? (int)i : -1)) {
        it->local->highlight = i < c.count ? (int)i : -1;
        in->changed = true;
    }
    return is_inside;
}

static bool scroll(struct oc_input *in, struct oc_item *it, double dx, double dy) {
    (void)dx;
    struct oc_choices c = now(in, it);
    if (c.has_chips || !it->local->open) {
        return false;
    }
    (void)oc_list_scroll(it, &c, dy);
    return true; /* the page below stays */
}

static int moved(const struct oc_choices *c, int from, enum oc_key key) {
    int last = (int)c->count - 1;
    switch (key) {
    case OC_KEY_LEFT:
    case OC_KEY_UP:
        return from > 0 ? from - 1 : from < 0 ? last : 0;
    case OC_KEY_RIGHT:
    case OC_KEY_DOWN:
        return from < last ? from + 1 : last;
    case OC_KEY_HOME:
        return 0;
    case OC_KEY_END:
        return last;
    case OC_KEY_PAGE_UP:
        return from > PAGE ? from - PAGE : 0;
    case OC_KEY_PAGE_DOWN:
        return from + PAGE < last ? from + PAGE : last;
    default:
        return -1;
    }
}

static bool move_key(
        struct oc_input *in, struct oc_item *it, const struct oc_choices *c, enum oc_key key) {
    struct oc_local *l = it->local;
    bool is_sideways = key == OC_KEY_LEFT || key == OC_KEY_RIGHT;
    bool is_known = is_sideways || key == OC_KEY_UP || key == OC_KEY_DOWN || key == OC_KEY_HOME ||
                    key == OC_KEY_END || key == OC_KEY_PAGE_UP || key == OC_KEY_PAGE_DOWN;
    if (!is_known || c->count == 0 || (is_sideways && !c->has_chips)) {
        return false;
    }
    /* the first chip is marked when the focus comes, the first row when the list opens is not */
    int from = l->highlight < 0 && c->has_chips && !c->is_filterable ? 0 : l->highlight;
    l->highlight = moved(c, from, key);
    if (!c->has_chips) {
        oc_list_reveal(it, c);
    }
    in->changed = true;
    return true;
}

static bool key(struct oc_input *in, struct oc_item *it, enum oc_key key, unsigned mods) {
    struct oc_local *l = it->local;
    struct oc_choices c = now(in, it);
    bool has_filter = c.is_filterable && (c.has_chips || l->open);
    if (has_filter && oc_filter_key(in, it, &c, key, mods)) {
        return true;
    }
    if (mods & (OC_MOD_CTRL | OC_MOD_ALT)) {
        return false;
    }
    bool chooses = key == OC_KEY_ENTER || key == OC_KEY_SPACE;
    if (!c.has_chips && !l->open) {
        if (chooses || key == OC_KEY_DOWN) {
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
    if (key == OC_KEY_ESCAPE && (l->open || l->filter)) {
        set_open(in, it, false);
        return true;
    }
    if (key == OC_KEY_SPACE && c.is_filterable && c.filter[0]) {
        return false; /* comes again as text */
    }
    if (chooses && c.count > 0) {
        bool is_first = l->highlight < 0 && (c.has_chips || c.count == 1);
        choose(in, it, &c, is_first ? 0 : (size_t)l->highlight);
        return true;
    }
    return move_key(in, it, &c, key);
}

static bool text(struct oc_input *in, struct oc_item *it, const char *utf8) {
    struct oc_choices c = now(in, it);
    if (strcmp(utf8, " ") == 0 && !(c.is_filterable && c.filter[0])) {
        return key(in, it, OC_KEY_SPACE, 0);
    }
    if (!c.has_chips && !it->local->open) {
        return false;
    }
    if (c.is_filterable) {
        return oc_filter_text(in, it, &c, utf8);
    }
    size_t i = oc_choices_type_ahead(&c, it->local->highlight, utf8);
    if (i == c.count) {
        return false;
    }
    it->local->highlight = (int)i;
    if (!c.has_chips) {
        oc_list_reveal(it, &c);
    }
    return true;
}

static bool preedit(struct oc_input *in, struct oc_item *it, const char *utf8, size_t at) {
    (void)in;
    const struct oc_choices *c = it->state;
    bool has_filter = c->is_filterable && (c->has_chips || it->local->open);
    if (!has_filter || strlen(utf8) > OC_FIELD_MAX_LABEL || (!utf8[0] && !it->local->preedit)) {
        return false;
    }
    oc_filter_preedit(it, utf8, at);
    return true;
}

/* An open list is searched by typing. */
static bool caret(struct oc_scene *s, struct oc_item *it, struct oc_rect *ret) {
    const struct oc_choices *c = it->state;
    *ret = c->is_filterable ? oc_filter_caret(s, it, c)
                            : (struct oc_rect){ it->x, it->y, it->w, it->h };
    return c->has_chips ? c->is_filterable : it->local->open;
}

/* The option that has the keyboard; else what is chosen. */
static void say_state(struct oc_scene *s, const struct oc_item *it, struct oc_buf *out) {
    (void)s;
    const struct oc_choices *c = it->state;
    int at = it->local->highlight;
    if (at < 0 && c->has_chips && c->count > 0 && c->selected == 0) {
        at = 0;
    }
    if (at >= 0 && (size_t)at < c->count && (c->has_chips || it->local->open)) {
        const struct oc_choice *o = &c->at[at];
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

static const struct oc_widget_input input = {
    .activate = activate,
    .pointer = pointer,
    .scroll = scroll,
    .key = key,
    .text = text,
    .preedit = preedit,
    .caret = caret,
    .state = say_state,
    .takes_focus = true,
};

const struct oc_widget oc_widget_multiple_choice = {
    .name = "MultipleChoice",
    .state_size = sizeof(struct oc_choices),
    .resolve = resolve,
    .intrinsic = intrinsic,
    .height = height,
    .place = place,
    .paint = paint,
    .input = &input,
};
