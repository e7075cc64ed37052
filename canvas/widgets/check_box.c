/* CheckBox: a box, a tick when the value is true, and the label; the other way round when the label is read from right to left. */
#include "canvas/text/direction.h"
#include "canvas/widgets/field.h"

#include <math.h>
#include <string.h>

#define GAP 8

struct check_state {
    struct oc_text *label;
    bool is_checked, is_leftwards;
};

static void resolve(struct oc_scene *s, struct oc_item *it) {
    struct check_state *st = it->state;
    const char *label = oc_item_text(s, it, "label");
    struct oc_text_style style = oc_field_style(it->theme, it->theme->text_color);
    st->label = oc_text_get(s->texts, (struct oc_slice){ label, strlen(label) }, &style);
    oc_item_shows(it, st->label);
    st->is_checked = oc_value_bool(oc_input_value(it, "value"));
    st->is_leftwards = oc_reads_leftwards(label);
    it->text = label;
}

static double left(const struct oc_item *it) {
    return it->theme->check_px + GAP;
}

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    const struct check_state *st = it->state;
    it->min_w = left(it) + oc_text_min_width(st->label);
    it->max_w = left(it) + oc_text_max_width(st->label);
}

static double label_w(const struct oc_item *it) {
    return fmax(it->w - left(it), 0);
}

static void height(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    const struct check_state *st = it->state;
    it->nat_h = fmax(oc_text_height(st->label, label_w(it)), oc_field_line_px(it->theme));
}

static void paint(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    const struct check_state *st = it->state;
    const struct oc_theme *t = it->theme;
    double px = t->check_px;
    double x = st->is_leftwards ? it->x + it->w - px : it->x;
    struct oc_rect r = { x, it->y + round((oc_field_line_px(t) - px) / 2), px, px };
    bool is_lit = oc_item_is(it, s->hover) || oc_item_is(it, s->pressed);
    oc_color edge = is_lit ? t->focus : oc_color_mix(t->field_border, t->muted, 0.5);
    if (st->is_checked) {
        oc_dl_box(dl, r, 3, t->primary, is_lit ? t->focus : t->primary, 1);
        oc_dl_icon(dl, r, "check", t->on_primary);
    } else {
        oc_dl_box(dl, r, 3, t->field_back, edge, 1);
    }
    oc_field_ring(s, it, r, 3, dl);
    oc_dl_text(dl, st->is_leftwards ? it->x : it->x + left(it), it->y, label_w(it), st->label);
}

static bool covers(const struct oc_item *it, double x, double y) {
    const struct check_state *st = it->state;
    double w = left(it) + fmin(label_w(it), oc_text_max_width(st->label));
    struct oc_rect r = { st->is_leftwards ? it->x + it->w - w : it->x, it->y, w, it->nat_h };
    return oc_rect_holds(r, x, y);
}

static bool activate(struct oc_input *in, struct oc_item *it) {
    bool is_checked = oc_value_bool(oc_input_value(it, "value"));
    oc_input_write(in, it, "value", oc_value_create_bool(!is_checked));
    return true;
}

static void say_state(struct oc_scene *s, const struct oc_item *it, struct oc_buf *out) {
    (void)s;
    const struct check_state *st = it->state;
    (void)oc_buf_puts(out, st->is_checked ? "checked" : "not checked");
}

static const struct oc_widget_input input = {
    .activate = activate,
    .state = say_state,
    .covers = covers,
    .takes_focus = true,
};

const struct oc_widget oc_widget_check_box = {
    .name = "CheckBox",
    .state_size = sizeof(struct check_state),
    .may_vanish = true,
    .resolve = resolve,
    .intrinsic = intrinsic,
    .height = height,
    .paint = paint,
    .input = &input,
};
