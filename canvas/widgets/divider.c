#include "canvas/scene/box.h"

#include <string.h>

#define LINE_PX 1

struct divider {
    bool wants_vertical, is_vertical;
};

static void divider_resolve(struct cv_scene *s, struct cv_item *it) {
    static const char *const axes[] = { "horizontal", "vertical", NULL };
    struct divider *d = it->state;
    d->wants_vertical = cv_item_choice(s, it, "axis", axes, 0) == 1;
}

/* Things stand beside it? Only there can a line stand upright; in a Column it would have no
 * height. */
static bool is_in_row(const struct cv_scene *s, const struct cv_item *it) {
    const struct cv_item *up = &s->items[it->parent];
    return up != it && (strcmp(up->widget->name, "Row") == 0 ||
                               cv_value_is(cv_item_prop(up, "direction"), "horizontal"));
}

static double divider_thickness(const struct cv_item *it) {
    return LINE_PX + 2 * it->theme->divider_margin;
}

static void divider_intrinsic(struct cv_scene *s, struct cv_item *it) {
    struct divider *d = it->state;
    d->is_vertical = d->wants_vertical && is_in_row(s, it);
    it->fills_cross = true;
    it->min_w = it->max_w = d->is_vertical ? divider_thickness(it) : 0;
}

static void divider_height(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct divider *d = it->state;
    it->nat_h = d->is_vertical ? 0 : divider_thickness(it);
}

static void divider_paint(
        struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    (void)s;
    const struct divider *d = it->state;
    double margin = it->theme->divider_margin;
    struct cv_rect line = d->is_vertical
                                  ? (struct cv_rect){ it->x + margin, it->y, LINE_PX, it->h }
                                  : (struct cv_rect){ it->x, it->y + margin, it->w, LINE_PX };
    cv_dl_box(dl, line, 0, it->theme->divider, 0, 0);
}

const struct cv_widget cv_widget_divider = {
    .name = "Divider",
    .state_size = sizeof(struct divider),
    .ignores_weight = true,
    .resolve = divider_resolve,
    .intrinsic = divider_intrinsic,
    .height = divider_height,
    .paint = divider_paint,
};
