#include "canvas/input/input_scroll.h"
#include "canvas/widgets/line.h"

#include <math.h>

#define ITEM_MAX_PX 400 /* of a horizontal list, and never more than… */
#define ITEM_MAX_SHARE 0.8

struct list {
    struct cv_line line; /* first: cv_line_start uses it */
    bool is_horizontal;
};

static void list_resolve(struct cv_scene *s, struct cv_item *it) {
    static const char *const directions[] = { "vertical", "horizontal", NULL };
    struct list *list = it->state;
    list->is_horizontal = cv_item_choice(s, it, "direction", directions, 0) == 1;
    list->line.alignment = (enum cv_alignment)cv_item_choice(
            s, it, "alignment", cv_alignment_names, CV_ALIGNED_STRETCH);
    cv_build_children(s, it, cv_item_prop(it, "children"));
}

static struct cv_box box_of(const struct cv_item *it) {
    double pad = it->theme->list_pad;
    return (struct cv_box){ pad, pad, it->theme->list_gap };
}

/* It scrolls, so it needs no more room than its widest item. */
static void list_intrinsic(struct cv_scene *s, struct cv_item *it) {
    const struct list *list = it->state;
    struct cv_box box = box_of(it);
    if (!list->is_horizontal) {
        cv_box_intrinsic(s, it, &box);
        return;
    }
    double gaps = -box.gap;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        it->min_w = fmax(it->min_w, fmin(c->min_w, ITEM_MAX_PX));
        it->max_w += c->max_w; /* the limit is a share of a width that is not known yet */
        gaps += box.gap;
    }
    it->min_w += 2 * box.pad_x;
    it->max_w += 2 * box.pad_x + cv_px(gaps);
}

static void list_widths(struct cv_scene *s, struct cv_item *it) {
    struct list *list = it->state;
    struct cv_box box = box_of(it);
    double inner = cv_px(it->w - 2 * box.pad_x);
    if (!list->is_horizontal) {
        for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
            c->w = cv_box_fit(c, inner, list->line.alignment);
        }
        return;
    }
    cv_line_start(s, it);
    struct cv_flex *f = list->line.flex;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c), f++) {
        f->max = fmin(ITEM_MAX_PX, ITEM_MAX_SHARE * inner);
        f->basis = fmin(c->max_w, fmax(c->break_w, inner));
        f->min = c->widget->may_vanish ? 0 : fmin(c->min_w, f->max);
        f->grow = 1;
    }
    cv_flex_share(list->line.flex, list->line.count, box.gap, inner);
    f = list->line.flex;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c), f++) {
        c->w = f->size;
    }
}

static void list_height(struct cv_scene *s, struct cv_item *it) {
    const struct list *list = it->state;
    struct cv_box box = box_of(it);
    if (!list->is_horizontal) {
        cv_box_height(s, it, &box);
        return;
    }
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        it->nat_h = fmax(it->nat_h, c->nat_h);
    }
    it->nat_h += 2 * box.pad_y;
}

static void place_below(struct cv_scene *s, struct cv_item *it, const struct cv_box *box) {
    const struct list *list = it->state;
    double y = it->y + box->pad_y, inner = cv_px(it->w - 2 * box->pad_x);
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c)) {
        c->x = it->x + box->pad_x + cv_flex_align(c->w, inner, list->line.alignment);
        c->y = y;
        c->h = c->nat_h;
        y += c->h + box->gap;
    }
}

static void list_place(struct cv_scene *s, struct cv_item *it) {
    struct list *list = it->state;
    struct cv_box box = box_of(it);
    it->view_pad = it->theme->list_pad;
    if (!list->is_horizontal) {
        place_below(s, it, &box);
        return;
    }
    double inner = cv_px(it->h - 2 * box.pad_y);
    cv_flex_place(list->line.flex, list->line.count, box.gap, cv_px(it->w - 2 * box.pad_x),
            CV_DISTRIBUTE_START);
    const struct cv_flex *f = list->line.flex;
    for (struct cv_item *c = cv_first(s, it); c; c = cv_next(s, it, c), f++) {
        enum cv_alignment how = c->fills_cross ? CV_ALIGNED_STRETCH : list->line.alignment;
        c->x = it->x + box.pad_x + f->at;
        c->h = how == CV_ALIGNED_STRETCH ? fmax(inner, c->nat_h) : c->nat_h;
        c->y = it->y + box.pad_y + cv_flex_align(c->h, inner, how);
    }
}

static bool has_nothing_to_scroll(const struct cv_scene *s, const struct cv_item *it) {
    (void)s;
    return !it->clips;
}

static void paint_over(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    if (s->focus_visible && cv_item_is(it, s->focus)) {
        cv_dl_box(dl, cv_item_box(it), 4, 0, it->theme->focus, 2);
    }
}

static const struct cv_widget_input input = {
    .scroll = cv_scroll_by,
    .key = cv_scroll_key,
    .takes_focus = true,
    .skips_focus = has_nothing_to_scroll,
};

const struct cv_widget cv_widget_list = {
    .name = "List",
    .state_size = sizeof(struct list),
    .may_vanish = true,
    .scrolls = true,
    .resolve = list_resolve,
    .intrinsic = list_intrinsic,
    .widths = list_widths,
    .height = list_height,
    .place = list_place,
    .paint_over = paint_over,
    .input = &input,
};
