#include "canvas/input/input_focus.h"

#include "lib/base/mem.h"

#include <math.h>
#include <string.h>

#define REVEAL_PX 8 /* kept between what has the focus and the edge */

struct cv_item *cv_item_parent(const struct cv_scene *s, const struct cv_item *it) {
    struct cv_item *parent = &s->items[it->parent];
    return parent == it ? NULL : parent;
}

char *cv_item_key(const struct cv_item *it) {
    return oc_strdup(it->key);
}

struct cv_item *cv_item_of_key(struct cv_scene *s, const char *key) {
    for (unsigned i = 0; key && i < s->count; i++) {
        if (cv_item_is(&s->items[i], key)) {
            return &s->items[i];
        }
    }
    return NULL;
}

static bool may_focus(const struct cv_item *it) {
    return it->widget && it->widget->input && it->widget->input->takes_focus;
}

bool cv_item_takes_focus(const struct cv_scene *s, const struct cv_item *it) {
    if (!may_focus(it)) {
        return false;
    }
    if (it->widget->input->skips_focus && it->widget->input->skips_focus(s, it)) {
        return false;
    }
    if (!it->widget->input->hears_children) {
        return true;
    }
    size_t at = (size_t)(it - s->items);
    for (size_t i = at + 1; i <= at + it->below && i < s->count; i++) {
        if (may_focus(&s->items[i])) {
            return false;
        }
    }
    return true;
}

struct cv_item *cv_input_dialog(const struct cv_scene *s) {
    for (unsigned i = s->count; i-- > 0;) {
        if (s->items[i].is_dialog) {
            return &s->items[i];
        }
    }
    return NULL;
}

/* The entry of an open Modal stands below it too, but behind the dialog. */
static bool is_reachable(
        const struct cv_scene *s, const struct cv_item *dialog, const struct cv_item *it) {
    return !dialog || it == dialog || it->layer == (unsigned)(dialog - s->items) + 1;
}

struct cv_item *cv_input_focused(struct cv_scene *s, const char *focus) {
    struct cv_item *it = cv_item_of_key(s, focus);
    return it && is_reachable(s, cv_input_dialog(s), it) ? it : NULL;
}

struct cv_item *cv_input_next_focus(struct cv_scene *s, const char *focus, bool back) {
    const struct cv_item *dialog = cv_input_dialog(s), *now = cv_input_focused(s, focus);
    size_t from = dialog ? (size_t)(dialog - s->items) : 0;
    size_t count = dialog ? dialog->below + 1 : s->count;
    size_t at = now ? (size_t)(now - s->items) - from : back ? 0 : count - 1;
    for (size_t step = 1; step <= count; step++) {
        size_t i = (back ? at + count - step : at + step) % count;
        struct cv_item *it = &s->items[from + i];
        if (is_reachable(s, dialog, it) && cv_item_takes_focus(s, it)) {
            return it;
        }
    }
    return NULL;
}

/* How far a window from…to must move so that a…b is in it; its start, when it is larger. */
static double input_focus_shift(double a, double b, double from, double to) {
    if (a < from || b - a > to - from) {
        return a - from;
    }
    return b > to ? b - to : 0;
}

void cv_input_reveal(struct cv_input *in, struct cv_item *it) {
    struct cv_scene *s = in->scene;
    double x = it->x - REVEAL_PX, y = it->y - REVEAL_PX;
    double w = it->w + 2 * REVEAL_PX, h = it->h + 2 * REVEAL_PX;
    for (struct cv_item *p = cv_item_parent(s, it); p; p = cv_item_parent(s, p)) {
        if (!p->widget || !p->widget->input || !p->widget->input->scroll) {
            continue;
        }
        const struct cv_rect *v = &p->view; /* of a dialog: inside its frame */
        double dx = input_focus_shift(x, x + w, v->x, v->x + v->w),
               dy = input_focus_shift(y, y + h, v->y, v->y + v->h);
        double was_x = p->at_x, was_y = p->at_y;
        if ((fabs(dx) > 0 || fabs(dy) > 0) && p->widget->input->scroll(in, p, dx, dy)) {
            in->changed = true;
        }
        x -= p->at_x - was_x;
        y -= p->at_y - was_y;
        if (p->is_dialog) {
            return; /* it does not scroll with the page */
        }
    }
    if (s->view_height > 0) {
        double to = s->scroll_y + input_focus_shift(y, y + h, 0, s->view_height);
        to = fmin(fmax(to, 0), fmax(s->height - s->view_height, 0));
        in->changed = in->changed || fabs(to - s->scroll_y) > 0;
        s->scroll_y = to;
    }
}
