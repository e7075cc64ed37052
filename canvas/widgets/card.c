#include "canvas/scene/box.h"
#include "canvas/scene/scroll.h"

static struct oc_box box_of(const struct oc_item *it) {
    double pad = it->theme->card_pad + it->theme->card_border_px;
    return (struct oc_box){ pad, pad, it->theme->column_gap };
}

static void resolve(struct oc_scene *s, struct oc_item *it) {
    const struct oc_value *child = oc_item_prop(it, "child");
    if (child) {
        oc_build_child(s, it, oc_value_string(child));
    } else { /* not in the catalogue, but the reference takes it and agents write it */
        oc_build_children(s, it, oc_item_prop(it, "children"));
    }
}

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    struct oc_box box = box_of(it);
    oc_box_intrinsic(s, it, &box);
}

static void widths(struct oc_scene *s, struct oc_item *it) {
    struct oc_box box = box_of(it);
    oc_box_widths(s, it, &box);
}

static void height(struct oc_scene *s, struct oc_item *it) {
    struct oc_box box = box_of(it);
    oc_box_height(s, it, &box);
}

static void place(struct oc_scene *s, struct oc_item *it) {
    struct oc_box box = box_of(it);
    double border = it->theme->card_border_px;
    oc_box_place(s, it, &box);
    it->view = (struct oc_rect){ it->x + border, it->y + border, oc_px(it->w - 2 * border),
        oc_px(it->h - 2 * border) };
    it->view_radius = oc_px(it->theme->card_radius - border);
    it->view_pad = it->theme->card_pad;
}

static void paint(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    (void)s;
    const struct oc_theme *t = it->theme;
    struct oc_rect r = oc_item_box(it);
    oc_dl_shadow(dl, (struct oc_rect){ r.x, r.y + (t->dark ? 10 : 1), r.w, r.h }, t->card_radius,
            t->dark ? 30 : 3, t->shadow);
    oc_dl_add(dl, &(struct oc_dl_op){ .kind = OC_DL_BOX,
                          .rect = r,
                          .radius = t->card_radius,
                          .fill = t->card_top,
                          .fill_to = t->card_bottom,
                          .angle = 180,
                          .border = t->card_border,
                          .border_px = t->card_border_px });
}

static const struct oc_widget_input input = { .scroll = oc_scroll_by, .key = oc_scroll_key };

const struct oc_widget oc_widget_card = {
    .name = "Card",
    .may_vanish = true,
    .scrolls = true,
    .resolve = resolve,
    .intrinsic = intrinsic,
    .widths = widths,
    .height = height,
    .place = place,
    .paint = paint,
    .input = &input,
};
