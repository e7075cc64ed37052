/* Icon: one of our own drawings (canvas/model/icons.def) in a line box of the theme. */
#include "canvas/model/icons.h"
#include "canvas/scene/scene.h"

struct icon_state {
    const struct oc_icon *icon;
};

static void resolve(struct oc_scene *s, struct oc_item *it) {
    struct icon_state *st = it->state;
    const char *name = oc_item_text(s, it, "name");
    st->icon = oc_icon_find(name);
    it->text = name;
}

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    it->min_w = it->max_w = it->theme->icon_px;
}

static void height(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    it->nat_h = it->theme->icon_line_px;
}

static void paint(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    (void)s;
    const struct icon_state *st = it->state;
    double px = it->theme->icon_px;
    struct oc_rect r = { it->x, it->y + (it->theme->icon_line_px - px) / 2, px, px };
    oc_dl_icon(dl, r, st->icon->name, it->theme->text_color);
}

const struct oc_widget oc_widget_icon = {
    .name = "Icon",
    .state_size = sizeof(struct icon_state),
    .resolve = resolve,
    .intrinsic = intrinsic,
    .height = height,
    .paint = paint,
};
