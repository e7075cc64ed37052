#include "canvas/scroll.h"

#include "canvas/flex.h"
#include "canvas/input.h"

#include <math.h>

#define HIDDEN_PX 0.5 /* less than this is rounding, not overflow */
#define LINE_PX 40
#define BAR_PX 4
#define BAR_MIN_PX 24

struct reach { /* right and bottom edge of what an item draws below itself, on its own layer and on its pop-up */
    double x, y, popup_x, popup_y;
};

static void extend(double *edge, double to) {
    if (to > *edge)
        *edge = to;
}

static double clamp(double v, double max) {
    if (!(v > 0))
        return 0;
    return v < max ? v : max;
}

/* Bottom up: how far does what is in each container reach beyond it? */
static void find_overflow(struct oc_scene *s) {
    struct reach *reach = oc_arena_alloc(s->arena, (s->count + 1) * sizeof(*reach));
    for (unsigned i = s->count; i-- > 0;) {
        struct oc_item *it = &s->items[i];
        struct reach *r = &reach[i];
        if (it->view.w <= 0)
            it->view = (struct oc_rect){ it->x, it->y, it->w, it->h };
        it->clips = it->widget->may_vanish && it->w < it->min_w - HIDDEN_PX;
        it->over_x = it->over_y = 0;
        if (it->widget->scrolls) {
            double right = it->is_dialog ? r->popup_x : r->x;
            double bottom = it->is_dialog ? r->popup_y : r->y;
            it->over_x = oc_px(right + it->view_pad - (it->view.x + it->view.w));
            it->over_y = oc_px(bottom + it->view_pad - (it->view.y + it->view.h));
            it->over_x = it->over_x > HIDDEN_PX ? it->over_x : 0;
            it->over_y = it->over_y > HIDDEN_PX ? it->over_y : 0;
            it->clips = it->over_x > 0 || it->over_y > 0;
            it->local->scroll_x = clamp(it->local->scroll_x, it->over_x);
            it->local->scroll_y = clamp(it->local->scroll_y, it->over_y);
        }
        bool is_cut = it->clips && !it->is_dialog;
        double right = is_cut ? it->x + it->w : fmax(r->x, it->x + it->w);
        double bottom = is_cut ? it->y + it->h : fmax(r->y, it->y + it->h);
        struct reach *up = &reach[it->parent];
        if (it->overlay && s->items[it->parent].is_dialog) {
            extend(&up->popup_x, right);
            extend(&up->popup_y, bottom);
        } else if (up != r) {
            extend(&up->x, right);
            extend(&up->y, bottom);
        }
    }
}

/* Top down: every item moves by what the containers around it are scrolled. */
static void move_all(struct oc_scene *s) {
    struct oc_rect *moved = oc_arena_alloc(s->arena, (s->count + 1) * sizeof(*moved));
    for (unsigned i = 0; i < s->count; i++) {
        struct oc_item *it = &s->items[i];
        const struct oc_item *up = &s->items[it->parent];
        double dx = 0, dy = 0;
        if (up == it) {
            dy = s->scroll_y;
        } else if (it->overlay && up->is_dialog) {
            dx = up->local->scroll_x;
            dy = up->local->scroll_y;
        } else {
            bool by_parent = up->widget->scrolls && !up->is_dialog;
            dx = moved[it->parent].x + (by_parent ? up->local->scroll_x : 0);
            dy = moved[it->parent].y + (by_parent ? up->local->scroll_y : 0);
        }
        moved[i] = (struct oc_rect){ .x = dx, .y = dy };
        it->x -= dx;
        it->y -= dy;
        if (!it->is_dialog) { /* a dialog's are placed in the view */
            it->view.x -= dx;
            it->view.y -= dy;
            it->popup.x -= dx;
            it->popup.y -= dy;
        }
    }
}

void oc_scroll_arrange(struct oc_scene *s) {
    find_overflow(s);
    s->scroll_y = clamp(s->scroll_y, s->view_height > 0 ? oc_px(s->height - s->view_height) : 0);
    move_all(s);
}

bool oc_scroll_by(struct oc_input *in, struct oc_item *it, double dx, double dy) {
    double x = clamp(it->local->scroll_x + dx, it->over_x);
    double y = clamp(it->local->scroll_y + dy, it->over_y);
    bool is_moved = x != it->local->scroll_x || y != it->local->scroll_y;
    it->local->scroll_x = x;
    it->local->scroll_y = y;
    if (is_moved)
        in->changed = true;
    return is_moved;
}

/* How far a key goes down in something of this height; false: not a key for scrolling. */
static bool key_distance(enum oc_key key, double height, double *ret) {
    switch (key) {
    case OC_KEY_UP:
        *ret = -LINE_PX;
        return true;
    case OC_KEY_DOWN:
        *ret = LINE_PX;
        return true;
    case OC_KEY_PAGE_UP:
        *ret = -0.9 * height;
        return true;
    case OC_KEY_PAGE_DOWN:
        *ret = 0.9 * height;
        return true;
    case OC_KEY_HOME:
        *ret = -OC_MAX_PX;
        return true;
    case OC_KEY_END:
        *ret = OC_MAX_PX;
        return true;
    default:
        return false;
    }
}

bool oc_scroll_key(struct oc_input *in, struct oc_item *it, enum oc_key key, unsigned mods) {
    if (mods & (OC_MOD_CTRL | OC_MOD_ALT))
        return false;
    double d;
    if (key == OC_KEY_LEFT || key == OC_KEY_RIGHT)
        return oc_scroll_by(in, it, key == OC_KEY_LEFT ? -LINE_PX : LINE_PX, 0);
    if (!key_distance(key, it->view.h, &d))
        return false;
    return it->over_y > 0 ? oc_scroll_by(in, it, 0, d) : oc_scroll_by(in, it, d, 0);
}

static void bar(const struct oc_theme *theme, struct oc_rect view, bool is_upright, double over,
        double at, struct oc_display_list *dl) {
    double way = is_upright ? view.h : view.w;
    double len = fmax(way * way / (way + over), fmin(BAR_MIN_PX, way));
    double from = (way - len) * (at / over);
    struct oc_rect r =
            is_upright
                    ? (struct oc_rect){ view.x + view.w - BAR_PX - 2, view.y + from, BAR_PX, len }
                    : (struct oc_rect){ view.x + from, view.y + view.h - BAR_PX - 2, len, BAR_PX };
    oc_dl_box(dl, r, BAR_PX / 2.0, OC_ALPHA(theme->text_color, 0.35), 0, 0);
}

void oc_scroll_paint_bars(
        const struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    (void)s;
    if (it->over_y > 0 && it->view.w > 2 * BAR_PX)
        bar(it->theme, it->view, true, it->over_y, it->local->scroll_y, dl);
    if (it->over_x > 0 && it->view.h > 2 * BAR_PX)
        bar(it->theme, it->view, false, it->over_x, it->local->scroll_x, dl);
}

void oc_scroll_paint_page_bar(const struct oc_scene *s, struct oc_display_list *dl) {
    double over = s->view_height > 0 ? s->height - s->view_height : 0;
    if (over > HIDDEN_PX)
        bar(s->theme, (struct oc_rect){ 0, 0, s->width, s->view_height }, true, over, s->scroll_y,
                dl);
}
