#include "canvas/scene/scroll.h"
#include "canvas/widgets/line.h"

#include <math.h>

#define ITEM_MAX_PX 400 /* of a horizontal list, and never more than… */
#define ITEM_MAX_SHARE 0.8

struct list {
    struct oc_line line; /* first: oc_line_start uses it */
    bool is_horizontal;
};

static void resolve(struct oc_scene *s, struct oc_item *it) {
    static const char *const directions[] = { "vertical", "horizontal", NULL };
    struct list *list = it->state;
    list->is_horizontal = oc_item_choice(s, it, "direction", directions, 0) == 1;
    list->line.alignment = (enum oc_alignment)oc_item_choice(
            s, it, "alignment", oc_alignment_names, OC_ALIGNED_STRETCH);
    oc_build_children(s, it, oc_item_prop(it, "children"));
}

static struct oc_box box_of(const struct oc_item *it) {
    double pad = it->theme->list_pad;
    return (struct oc_box){ pad, pad, it->theme->list_gap };
}

/* It scrolls, so it needs no more room than its widest item. */
static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    const struct list *list = it->state;
    struct oc_box box = box_of(it);
    if (!list->is_horizontal) {
        oc_box_intrinsic(s, it, &box);
        return;
    }
    double gaps = -box.gap;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        it->min_w = fmax(it->min_w, fmin(c->min_w, ITEM_MAX_PX));
        it->max_w += c->max_w; /* the limit is a share of a width that is not known yet */
        gaps += box.gap;
    }
    it->min_w += 2 * box.pad_x;
    it->max_w += 2 * box.pad_x + oc_px(gaps);
}

static void widths(struct oc_scene *s, struct oc_item *it) {
    struct list *list = it->state;
    struct oc_box box = box_of(it);
    double inner = oc_px(it->w - 2 * box.pad_x);
    if (!list->is_horizontal) {
        for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
            c->w = oc_box_fit(c, inner, list->line.alignment);
        }
        return;
    }
    oc_line_start(s, it);
    struct oc_flex *f = list->line.flex;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c), f++) {
        f->max = fmin(ITEM_MAX_PX, ITEM_MAX_SHARE * inner);
        f->basis = fmin(c->max_w, fmax(c->break_w, inner));
        f->min = c->widget->may_vanish ? 0 : fmin(c->min_w, f->max);
        f->grow = 1;
    }
    oc_flex_share(list->line.flex, list->line.count, box.gap, inner);
    f = list->line.flex;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c), f++) {
        c->w = f->size;
    }
}

static void height(struct oc_scene *s, struct oc_item *it) {
    const struct list *list = it->state;
    struct oc_box box = box_of(it);
    if (!list->is_horizontal) {
        oc_box_height(s, it, &box);
        return;
    }
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        it->nat_h = fmax(it->nat_h, c->nat_h);
    }
    it->nat_h += 2 * box.pad_y;
}

static void place_below(struct oc_scene *s, struct oc_item *it, const struct oc_box *box) {
    const struct list *list = it->state;
    double y = it->y + box->pad_y, inner = oc_px(it->w - 2 * box->pad_x);
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c)) {
        c->x = it->x + box->pad_x + oc_flex_align(c->w, inner, list->line.alignment);
        c->y = y;
        c->h = c->nat_h;
        y += c->h + box->gap;
    }
}

static void place(struct oc_scene *s, struct oc_item *it) {
    struct list *list = it->state;
    struct oc_box box = box_of(it);
    it->view_pad = it->theme->list_pad;
    if (!list->is_horizontal) {
        place_below(s, it, &box);
        return;
    }
    double inner = oc_px(it->h - 2 * box.pad_y);
    oc_flex_place(list->line.flex, list->line.count, box.gap, oc_px(it->w - 2 * box.pad_x),
            OC_DISTRIBUTE_START);
    const struct oc_flex *f = list->line.flex;
    for (struct oc_item *c = oc_first(s, it); c; c = oc_next(s, it, c), f++) {
        enum oc_alignment how = c->fills_cross ? OC_ALIGNED_STRETCH : list->line.alignment;
        c->x = it->x + box.pad_x + f->at;
        c->h = how == OC_ALIGNED_STRETCH ? fmax(inner, c->nat_h) : c->nat_h;
        c->y = it->y + box.pad_y + oc_flex_align(c->h, inner, how);
    }
}

static bool has_nothing_to_scroll(const struct oc_scene *s, const struct oc_item *it) {
    (void)s;
    return !it->clips;
}

static void paint_over(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    if (s->focus_visible && oc_item_is(it, s->focus)) {
        oc_dl_box(dl, oc_item_box(it), 4, 0, it->theme->focus, 2);
    }
}

static const struct oc_widget_input input = {
    .scroll = oc_scroll_by,
    .key = oc_scroll_key,
    .takes_focus = true,
    .skips_focus = has_nothing_to_scroll,
};

const struct oc_widget oc_widget_list = {
    .name = "List",
    .state_size = sizeof(struct list),
    .may_vanish = true,
    .scrolls = true,
    .resolve = resolve,
    .intrinsic = intrinsic,
    .widths = widths,
    .height = height,
    .place = place,
    .paint_over = paint_over,
    .input = &input,
};
