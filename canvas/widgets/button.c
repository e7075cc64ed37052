/* Button: a pill that hugs its child and stands at the start of its cell. Primary ones are filled,
 * others are tonal with an outline. */
#include "canvas/input/input.h"
#include "canvas/widgets/field.h"

#include <math.h>

#define MAX_RADIUS 24 /* rounder ones would cut into the words of a label with many lines */

struct button_state {
    bool is_primary;
    double w; /* of the pill; its cell may be wider */
};

/* What stands on it has the pill's ink: its theme is a copy in which that is changed, one for all
 * buttons of a kind. */
static const struct cv_theme *button_inked(
        struct cv_scene *s, const struct cv_theme *from, bool primary) {
    if (s->inked[primary].serial == s->serial && s->inked[primary].from == from) {
        return s->inked[primary].made;
    }
    struct cv_theme *made = cv_arena_alloc(s->arena, sizeof(*made));
    *made = *from;
    cv_color ink = primary ? from->button_text : from->dark ? from->text_color : from->primary;
    for (int i = 0; i < CV_HINT_COUNT; i++) {
        made->text[i].color = ink;
        made->text[i].space_below = 0;
    }
    made->text_color = made->link = made->muted = ink;
    s->inked[primary].serial = s->serial;
    s->inked[primary].from = from;
    s->inked[primary].made = made;
    return made;
}

static void button_resolve(struct cv_scene *s, struct cv_item *it) {
    struct button_state *st = it->state;
    st->is_primary = cv_value_bool(cv_item_prop(it, "primary"));
    it->theme_below = button_inked(s, it->theme, st->is_primary);
    const struct cv_value *child = cv_item_prop(it, "child");
    if (cv_value_type_of(child) == CV_V_STRING) {
        cv_build_child(s, it, cv_value_string(child));
    }
}

static void button_intrinsic(struct cv_scene *s, struct cv_item *it) {
    const struct cv_item *child = cv_first(s, it);
    double pad = 2 * it->theme->button_pad_x;
    it->min_w = pad + (child ? child->min_w : 0);
    it->max_w = pad + (child ? child->max_w : 0);
}

static void button_widths(struct cv_scene *s, struct cv_item *it) {
    struct button_state *st = it->state;
    struct cv_item *child = cv_first(s, it);
    double pad = 2 * it->theme->button_pad_x;
    st->w = pad;
    if (child) {
        child->w = fmax(fmin(child->max_w, it->w - pad), child->min_w);
        st->w += child->w;
    }
}

static void button_height(struct cv_scene *s, struct cv_item *it) {
    const struct cv_item *child = cv_first(s, it);
    it->nat_h = 2 * it->theme->button_pad_y + (child ? child->nat_h : cv_field_line_px(it->theme));
}

static void button_place(struct cv_scene *s, struct cv_item *it) {
    struct cv_item *child = cv_first(s, it);
    if (!child) {
        return;
    }
    child->x = it->x + it->theme->button_pad_x;
    child->y = it->y + it->theme->button_pad_y;
    child->h = child->nat_h;
}

static struct cv_rect button_pill(const struct cv_item *it) {
    const struct button_state *st = it->state;
    return (struct cv_rect){ it->x, it->y, st->w, it->nat_h };
}

static cv_color button_shade(const struct cv_scene *s, const struct cv_item *it, cv_color c) {
    const cv_color towards = it->theme->dark ? 0xffffffff : 0x000000ff;
    if (cv_item_is(it, s->pressed)) {
        return cv_color_mix(c, 0x000000ff, 0.75);
    }
    return cv_item_is(it, s->hover) ? cv_color_mix(c, towards, 0.88) : c;
}

static void button_paint(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct button_state *st = it->state;
    const struct cv_theme *t = it->theme;
    struct cv_rect r = button_pill(it);
    double radius = fmin(fmin(t->button_radius, MAX_RADIUS), fmin(r.w, r.h) / 2);
    cv_color from = st->is_primary ? t->button_from : t->primary_soft;
    cv_color to = st->is_primary ? t->button_to : t->primary_soft;
    struct cv_dl_op op = { .kind = CV_DL_BOX,
        .rect = r,
        .radius = radius,
        .fill = button_shade(s, it, from),
        .fill_to = button_shade(s, it, to),
        .angle = 135 };
    if (!st->is_primary) {
        op.border = t->outline;
        op.border_px = 1;
    }
    cv_dl_add(dl, &op);
    cv_field_ring(s, it, r, radius, dl);
}

static bool button_covers(const struct cv_item *it, double x, double y) {
    return cv_rect_holds(button_pill(it), x, y);
}

static bool button_activate(struct cv_input *in, struct cv_item *it) {
    cv_input_fire(in, it, cv_item_prop(it, "action"));
    return true;
}

static const struct cv_widget_input input = {
    .activate = button_activate,
    .covers = button_covers,
    .takes_focus = true,
};

const struct cv_widget cv_widget_button = {
    .name = "Button",
    .state_size = sizeof(struct button_state),
    .resolve = button_resolve,
    .intrinsic = button_intrinsic,
    .widths = button_widths,
    .height = button_height,
    .place = button_place,
    .paint = button_paint,
    .input = &input,
};
