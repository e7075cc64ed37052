#include "canvas/input/input_scroll.h"
#include "canvas/scene/box.h"

static struct cv_box box_of(const struct cv_item *it) {
    double pad = it->theme->card_pad + it->theme->card_border_px;
    return (struct cv_box){ pad, pad, it->theme->column_gap };
}

static void card_resolve(struct cv_scene *s, struct cv_item *it) {
    const struct cv_value *child = cv_item_prop(it, "child");
    if (child) {
        cv_build_child(s, it, cv_value_string(child));
    } else { /* not in the catalogue, but the reference takes it and agents write it */
        cv_build_children(s, it, cv_item_prop(it, "children"));
    }
}

static void card_intrinsic(struct cv_scene *s, struct cv_item *it) {
    struct cv_box box = box_of(it);
    cv_box_intrinsic(s, it, &box);
}

static void card_widths(struct cv_scene *s, struct cv_item *it) {
    struct cv_box box = box_of(it);
    cv_box_widths(s, it, &box);
}

static void card_height(struct cv_scene *s, struct cv_item *it) {
    struct cv_box box = box_of(it);
    cv_box_height(s, it, &box);
}

static void card_place(struct cv_scene *s, struct cv_item *it) {
    struct cv_box box = box_of(it);
    double border = it->theme->card_border_px;
    cv_box_place(s, it, &box);
    it->view = (struct cv_rect){ it->x + border, it->y + border, cv_px(it->w - 2 * border),
        cv_px(it->h - 2 * border) };
    it->view_radius = cv_px(it->theme->card_radius - border);
    it->view_pad = it->theme->card_pad;
}

static void card_paint(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    (void)s;
    const struct cv_theme *t = it->theme;
    struct cv_rect r = cv_item_box(it);
    cv_dl_shadow(dl, (struct cv_rect){ r.x, r.y + (t->dark ? 10 : 1), r.w, r.h }, t->card_radius,
            t->dark ? 30 : 3, t->shadow);
    cv_dl_add(dl, &(struct cv_dl_op){ .kind = CV_DL_BOX,
                          .rect = r,
                          .radius = t->card_radius,
                          .fill = t->card_top,
                          .fill_to = t->card_bottom,
                          .angle = 180,
                          .border = t->card_border,
                          .border_px = t->card_border_px });
}

static const struct cv_widget_input input = { .scroll = cv_scroll_by, .key = cv_scroll_key };

const struct cv_widget cv_widget_card = {
    .name = "Card",
    .may_vanish = true,
    .scrolls = true,
    .resolve = card_resolve,
    .intrinsic = card_intrinsic,
    .widths = card_widths,
    .height = card_height,
    .place = card_place,
    .paint = card_paint,
    .input = &input,
};
