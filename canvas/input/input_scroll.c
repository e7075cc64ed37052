#include "canvas/input/input_scroll.h"

#include "canvas/scene/flex.h"
#include "canvas/scene/scroll.h"

#define LINE_PX 40

bool cv_scroll_by(struct cv_input *in, struct cv_item *it, double dx, double dy) {
    bool is_moved = cv_scroll_move(it, dx, dy);
    if (is_moved) {
        in->changed = true;
    }
    return is_moved;
}

/* How far a key goes down in something of this height; false: not a key for scrolling. */
static bool key_distance(enum cv_key key, double height, double *ret) {
    switch (key) {
    case CV_KEY_UP:
        *ret = -LINE_PX;
        return true;
    case CV_KEY_DOWN:
        *ret = LINE_PX;
        return true;
    case CV_KEY_PAGE_UP:
        *ret = -CV_SCROLL_PAGE * height;
        return true;
    case CV_KEY_PAGE_DOWN:
        *ret = CV_SCROLL_PAGE * height;
        return true;
    case CV_KEY_HOME:
        *ret = -CV_MAX_PX;
        return true;
    case CV_KEY_END:
        *ret = CV_MAX_PX;
        return true;
    default:
        return false;
    }
}

bool cv_scroll_key(struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods) {
    if (mods & (CV_MOD_CTRL | CV_MOD_ALT)) {
        return false;
    }
    double d;
    if (key == CV_KEY_LEFT || key == CV_KEY_RIGHT) {
        return cv_scroll_by(in, it, key == CV_KEY_LEFT ? -LINE_PX : LINE_PX, 0);
    }
    if (!key_distance(key, it->view.h, &d)) {
        return false;
    }
    return it->over_y > 0 ? cv_scroll_by(in, it, 0, d) : cv_scroll_by(in, it, d, 0);
}
