#include "canvas/input/input_bars.h"

#include "canvas/input/input_focus.h"
#include "canvas/input/input_scroll.h"
#include "canvas/scene/scroll.h"
#include "lib/base/mem.h"

#include <math.h>

#define PAGE_KEY "" /* no item has it */

static void scroll_to(
        struct cv_input *in, struct cv_item *it, const struct cv_scroll_bar *b, double to) {
    double by = to - b->at;
    if (it) {
        (void)cv_scroll_by(in, it, b->is_upright ? 0 : by, b->is_upright ? by : 0);
    } else if (fabs(by) > 0) {
        in->scene->scroll_y = to;
        in->changed = true;
    }
}

static bool press_one(struct cv_input *in, struct cv_item *it, double x, double y) {
    struct cv_scroll_bar b;
    for (int i = 0; i < 2; i++) {
        if (!cv_scroll_bar_of(in->scene, it, i == 0, &b) || !cv_scroll_bar_has(&b, x, y)) {
            continue;
        }
        double grab, to = cv_scroll_bar_press(&b, x, y, &grab);
        scroll_to(in, it, &b, to);
        oc_free(in->bar);
        in->bar = it ? cv_item_key(it) : oc_strdup(PAGE_KEY);
        in->bar_is_upright = b.is_upright;
        in->bar_grab = grab;
        return true;
    }
    return false;
}

/* What pops up covers the bars of what it came from. */
bool cv_input_bar_press(struct cv_input *in, struct cv_item *hit, double x, double y) {
    struct cv_scene *s = in->scene;
    for (struct cv_item *it = hit; it; it = cv_item_parent(s, it)) {
        if (it->widget->scrolls && press_one(in, it, x, y)) {
            return true;
        }
        const struct cv_item *up = cv_item_parent(s, it);
        if (it->is_dialog || (it->overlay && !(up && up->is_dialog))) {
            return false;
        }
    }
    return !cv_input_dialog(s) && press_one(in, NULL, x, y);
}

bool cv_input_bar_move(struct cv_input *in, double x, double y) {
    struct cv_scroll_bar b;
    if (!in->bar) {
        return false;
    }
    struct cv_item *it = cv_item_of_key(in->scene, in->bar);
    bool is_there = (it || !in->bar[0]) && !isnan(in->bar_grab);
    if (is_there && cv_scroll_bar_of(in->scene, it, in->bar_is_upright, &b)) {
        scroll_to(in, it, &b, cv_scroll_bar_drag(&b, x, y, in->bar_grab));
    }
    return true;
}

bool cv_input_bar_release(struct cv_input *in) {
    if (!in->bar) {
        return false;
    }
    oc_free(oc_take(&in->bar));
    return true;
}
