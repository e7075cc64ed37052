/* Icon: one of our own drawings (canvas/model/icons.def) in a line box of the theme. */
#include "canvas/model/icons.h"
#include "canvas/scene/scene.h"

struct icon_state {
    const struct cv_icon *icon;
};

static void icon_resolve(struct cv_scene *s, struct cv_item *it) {
    struct icon_state *st = it->state;
    const char *name = cv_item_text(s, it, "name");
    st->icon = cv_icon_find(name);
    it->text = name;
}

static void icon_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    it->min_w = it->max_w = it->theme->icon_px;
}

static void icon_height(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    it->nat_h = it->theme->icon_line_px;
}

static void icon_paint(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    (void)s;
    const struct icon_state *st = it->state;
    double px = it->theme->icon_px;
    struct cv_rect r = { it->x, it->y + (it->theme->icon_line_px - px) / 2, px, px };
    cv_dl_icon(dl, r, st->icon->name, it->theme->text_color);
}

const struct cv_widget cv_widget_icon = {
    .name = "Icon",
    .state_size = sizeof(struct icon_state),
    .resolve = icon_resolve,
    .intrinsic = icon_intrinsic,
    .height = icon_height,
    .paint = icon_paint,
};
