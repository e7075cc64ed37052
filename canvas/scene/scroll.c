#include "canvas/scene/scroll.h"

#include "canvas/scene/flex.h"

#include <math.h>

#define HIDDEN_PX 0.5 /* less than this is rounding, not overflow */
#define BAR_PX 4
#define BAR_MIN_PX 24
#define GRAB_PX 12 /* of a bar, for the pointer */

struct reach { /* right and bottom edge of what an item draws below itself, on its own layer and on
                  its pop-up */
    double x, y, popup_x, popup_y;
};

static void scroll_extend(double *edge, double to) {
    if (to > *edge) {
        *edge = to;
    }
}

static double scroll_clamp(double v, double max) {
    if (!(v > 0)) {
        return 0;
    }
    return v < max ? v : max;
}

/* Bottom up: how far does what is in each container reach beyond it? */
static void find_overflow(struct cv_scene *s) {
    struct reach *reach = cv_arena_alloc(s->arena, (s->count + 1) * sizeof(*reach));
    for (unsigned i = s->count; i-- > 0;) {
        struct cv_item *it = &s->items[i];
        struct reach *r = &reach[i];
        if (it->view.w <= 0) {
            it->view = (struct cv_rect){ it->x, it->y, it->w, it->h };
        }
        it->clips = it->widget->may_vanish && it->w < it->min_w - HIDDEN_PX;
        it->over_x = it->over_y = 0;
        if (it->widget->scrolls) {
            double right = it->is_dialog ? r->popup_x : r->x;
            double bottom = it->is_dialog ? r->popup_y : r->y;
            it->over_x = cv_px(right + it->view_pad - (it->view.x + it->view.w));
            it->over_y = cv_px(bottom + it->view_pad - (it->view.y + it->view.h));
            it->over_x = it->over_x > HIDDEN_PX ? it->over_x : 0;
            it->over_y = it->over_y > HIDDEN_PX ? it->over_y : 0;
            it->clips = it->over_x > 0 || it->over_y > 0;
            it->at_x = scroll_clamp(it->local->scroll_x, it->over_x);
            it->at_y = scroll_clamp(it->local->scroll_y, it->over_y);
        }
        bool is_cut = it->clips && !it->is_dialog;
        double right = is_cut ? it->x + it->w : fmax(r->x, it->x + it->w);
        double bottom = is_cut ? it->y + it->h : fmax(r->y, it->y + it->h);
        struct reach *up = &reach[it->parent];
        if (it->overlay && s->items[it->parent].is_dialog) {
            scroll_extend(&up->popup_x, right);
            scroll_extend(&up->popup_y, bottom);
        } else if (up != r) {
            scroll_extend(&up->x, right);
            scroll_extend(&up->y, bottom);
        }
    }
}

/* Top down: every item moves by what the containers around it are scrolled. */
static void move_all(struct cv_scene *s) {
    struct cv_rect *moved = cv_arena_alloc(s->arena, (s->count + 1) * sizeof(*moved));
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        const struct cv_item *up = &s->items[it->parent];
        double dx = 0, dy = 0;
        if (up == it) {
            dy = s->scroll_y;
        } else if (it->overlay && up->is_dialog) {
            dx = up->at_x;
            dy = up->at_y;
        } else {
            bool by_parent = up->widget->scrolls && !up->is_dialog;
            dx = moved[it->parent].x + (by_parent ? up->at_x : 0);
            dy = moved[it->parent].y + (by_parent ? up->at_y : 0);
        }
        moved[i] = (struct cv_rect){ .x = dx, .y = dy };
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

void cv_scroll_arrange(struct cv_scene *s) {
    find_overflow(s);
    s->scroll_y =
            scroll_clamp(s->scroll_y, s->view_height > 0 ? cv_px(s->height - s->view_height) : 0);
    move_all(s);
}

bool cv_scroll_move(struct cv_item *it, double dx, double dy) {
    double x = scroll_clamp(it->at_x + dx, it->over_x), y = scroll_clamp(it->at_y + dy, it->over_y);
    bool is_moved = x != it->at_x || y != it->at_y;
    it->at_x = x;
    it->at_y = y;
    if (is_moved) {
        it->local->scroll_x = x;
        it->local->scroll_y = y;
    }
    return is_moved;
}

struct thumb {
    double from, len, way;
};

static struct thumb thumb_of(const struct cv_scroll_bar *b) {
    double way = b->is_upright ? b->view.h : b->view.w;
    double len = fmax(way * way / (way + b->over), fmin(b->min_px, way));
    return (struct thumb){ (way - len) * (b->at / b->over), len, way };
}

void cv_scroll_bar_paint(
        const struct cv_scroll_bar *b, cv_color color, struct cv_display_list *dl) {
    struct cv_rect v = b->view;
    struct thumb t = thumb_of(b);
    struct cv_rect r =
            b->is_upright ? (struct cv_rect){ v.x + v.w - BAR_PX - 2, v.y + t.from, BAR_PX, t.len }
                          : (struct cv_rect){ v.x + t.from, v.y + v.h - BAR_PX - 2, t.len, BAR_PX };
    cv_dl_box(dl, r, BAR_PX / 2.0, color, 0, 0);
}

bool cv_scroll_bar_has(const struct cv_scroll_bar *b, double x, double y) {
    struct cv_rect v = b->view;
    if (!(b->over > HIDDEN_PX) || x < v.x || y < v.y || x >= v.x + v.w || y >= v.y + v.h) {
        return false;
    }
    return b->is_upright ? x >= v.x + v.w - GRAB_PX : y >= v.y + v.h - GRAB_PX;
}

static double scroll_along(const struct cv_scroll_bar *b, double x, double y) {
    return b->is_upright ? y - b->view.y : x - b->view.x;
}

double cv_scroll_bar_press(const struct cv_scroll_bar *b, double x, double y, double *ret_grab) {
    struct thumb t = thumb_of(b);
    double to = scroll_along(b, x, y);
    *ret_grab = NAN;
    if (to < t.from) {
        return scroll_clamp(b->at - CV_SCROLL_PAGE * t.way, b->over);
    }
    if (to >= t.from + t.len) {
        return scroll_clamp(b->at + CV_SCROLL_PAGE * t.way, b->over);
    }
    *ret_grab = to - t.from;
    return b->at;
}

double cv_scroll_bar_drag(const struct cv_scroll_bar *b, double x, double y, double grab) {
    struct thumb t = thumb_of(b);
    double free_px = t.way - t.len;
    return free_px > 0 ? scroll_clamp((scroll_along(b, x, y) - grab) / free_px * b->over, b->over)
                       : b->at;
}

bool cv_scroll_bar_of(const struct cv_scene *s, const struct cv_item *it, bool is_upright,
        struct cv_scroll_bar *ret) {
    *ret = (struct cv_scroll_bar){ .is_upright = is_upright, .min_px = BAR_MIN_PX };
    if (!it) {
        ret->view = (struct cv_rect){ 0, 0, s->width, s->view_height };
        ret->over = is_upright && s->view_height > 0 ? s->height - s->view_height : 0;
        ret->at = s->scroll_y;
        return ret->over > HIDDEN_PX;
    }
    ret->view = it->view;
    ret->over = is_upright ? it->over_y : it->over_x;
    ret->at = is_upright ? it->at_y : it->at_x;
    return ret->over > 0 && (is_upright ? it->view.w : it->view.h) > 2 * BAR_PX;
}

void cv_scroll_paint_bars(
        const struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    struct cv_scroll_bar b;
    for (int i = 0; i < 2; i++) {
        if (cv_scroll_bar_of(s, it, i == 0, &b)) {
            cv_scroll_bar_paint(&b, CV_ALPHA(it->theme->text_color, 0.35), dl);
        }
    }
}

void cv_scroll_paint_page_bar(const struct cv_scene *s, struct cv_display_list *dl) {
    struct cv_scroll_bar b;
    if (cv_scroll_bar_of(s, NULL, true, &b)) {
        cv_scroll_bar_paint(&b, CV_ALPHA(s->theme->text_color, 0.35), dl);
    }
}
