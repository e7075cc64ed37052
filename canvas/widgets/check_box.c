/* CheckBox: a box, a tick when the value is true, and the label; the other way round when the label
 * is read from right to left. */
#include "canvas/text/direction.h"
#include "canvas/widgets/field.h"

#include <math.h>
#include <string.h>

#define GAP 8

struct check_state {
    struct cv_text *label;
    bool is_checked, is_leftwards;
};

static void check_box_resolve(struct cv_scene *s, struct cv_item *it) {
    struct check_state *st = it->state;
    const char *label = cv_item_text(s, it, "label");
    struct cv_text_style style = cv_field_style(it->theme, it->theme->text_color);
    st->label = cv_text_get(s->texts, (struct oc_slice){ label, strlen(label) }, &style);
    cv_item_shows(it, st->label);
    st->is_checked = cv_value_bool(cv_input_value(it, "value"));
    st->is_leftwards = cv_reads_leftwards(label);
    it->text = label;
}

static double check_box_left(const struct cv_item *it) {
    return it->theme->check_px + GAP;
}

static void check_box_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct check_state *st = it->state;
    it->min_w = check_box_left(it) + cv_text_min_width(st->label);
    it->max_w = check_box_left(it) + cv_text_max_width(st->label);
}

static double label_w(const struct cv_item *it) {
    return fmax(it->w - check_box_left(it), 0);
}

static void check_box_height(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct check_state *st = it->state;
    it->nat_h = fmax(cv_text_height(st->label, label_w(it)), cv_field_line_px(it->theme));
}

static void check_box_paint(
        struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct check_state *st = it->state;
    const struct cv_theme *t = it->theme;
    double px = t->check_px;
    double x = st->is_leftwards ? it->x + it->w - px : it->x;
    struct cv_rect r = { x, it->y + round((cv_field_line_px(t) - px) / 2), px, px };
    bool is_lit = cv_item_is(it, s->hover) || cv_item_is(it, s->pressed);
    cv_color edge = is_lit ? t->focus : cv_color_mix(t->field_border, t->muted, 0.5);
    if (st->is_checked) {
        cv_dl_box(dl, r, 3, t->primary, is_lit ? t->focus : t->primary, 1);
        cv_dl_icon(dl, r, "check", t->on_primary);
    } else {
        cv_dl_box(dl, r, 3, t->field_back, edge, 1);
    }
    cv_field_ring(s, it, r, 3, dl);
    cv_dl_text(dl, st->is_leftwards ? it->x : it->x + check_box_left(it), it->y, label_w(it),
            st->label);
}

static bool check_box_covers(const struct cv_item *it, double x, double y) {
    const struct check_state *st = it->state;
    double w = check_box_left(it) + fmin(label_w(it), cv_text_max_width(st->label));
    struct cv_rect r = { st->is_leftwards ? it->x + it->w - w : it->x, it->y, w, it->nat_h };
    return cv_rect_holds(r, x, y);
}

static bool check_box_activate(struct cv_input *in, struct cv_item *it) {
    bool is_checked = cv_value_bool(cv_input_value(it, "value"));
    cv_input_write(in, it, "value", cv_value_create_bool(!is_checked));
    return true;
}

static void say_state(struct cv_scene *s, const struct cv_item *it, struct oc_buf *out) {
    (void)s;
    const struct check_state *st = it->state;
    (void)oc_buf_puts(out, st->is_checked ? "checked" : "not checked");
}

static const struct cv_widget_input input = {
    .activate = check_box_activate,
    .state = say_state,
    .covers = check_box_covers,
    .takes_focus = true,
};

const struct cv_widget cv_widget_check_box = {
    .name = "CheckBox",
    .state_size = sizeof(struct check_state),
    .may_vanish = true,
    .resolve = check_box_resolve,
    .intrinsic = check_box_intrinsic,
    .height = check_box_height,
    .paint = check_box_paint,
    .input = &input,
};
