/* From events to widgets' handlers: who is under the pointer, who has the keyboard, and who of its
 * parents wants what it left. */
#include "canvas/input/input.h"

#include "canvas/input/input_bars.h"
#include "canvas/input/input_focus.h"
#include "lib/base/mem.h"

#include <math.h>
#include <string.h>

#define CLICK_MS 400 /* presses that follow each other faster count as double and triple clicks */
#define CLICK_PX 4
#define LINE_PX 40 /* what an arrow key scrolls the page by */

void cv_input_init(struct cv_input *in) {
    memset(in, 0, sizeof(*in));
    in->bar_grab = NAN;
}

void cv_input_finish(struct cv_input *in) {
    oc_free(in->focus);
    oc_free(in->hover);
    oc_free(in->pressed);
    oc_free(in->bar);
    cv_input_init(in);
}

static void input_begin(struct cv_input *in) {
    if (in->changed && in->on_stale) {
        in->on_stale(in->user);
    }
}

/* The scene that is drawn next, and the one that is there, know what has the focus. */
static bool input_end(struct cv_input *in, bool taken) {
    in->scene->focus = in->focus;
    in->scene->hover = in->hover;
    in->scene->pressed = in->pressed;
    in->scene->focus_visible = in->focus_visible;
    return taken;
}

static int64_t now_ms(const struct cv_input *in) {
    return oc_wall_ms(in->clock ? in->clock : &oc_clock_system);
}

static const struct cv_widget_input *input_handlers(const struct cv_item *it) {
    static const struct cv_widget_input none;
    return it->widget && it->widget->input ? it->widget->input : &none;
}

static bool is_there(const struct cv_item *it, double x, double y) {
    return !input_handlers(it)->covers || input_handlers(it)->covers(it, x, y);
}

/* What is under the pointer, or its nearest parent, that a pointer can do something to. */
static struct cv_item *target_at(struct cv_scene *s, double x, double y) {
    struct cv_item *it = cv_scene_hit(s, x, y);
    for (; it; it = cv_item_parent(s, it)) {
        if ((input_handlers(it)->pointer || input_handlers(it)->activate) && is_there(it, x, y)) {
            return it;
        }
    }
    return NULL;
}

static bool input_remember(struct cv_input *in, char **slot, const struct cv_item *it) {
    if (it ? cv_item_is(it, *slot) : !*slot) {
        return false;
    }
    oc_free(*slot);
    *slot = it ? cv_item_key(it) : NULL;
    in->changed = true;
    return true;
}

/* What an input method had begun in a field stays behind when the focus goes. */
static bool focus_on(struct cv_input *in, const struct cv_item *it) {
    struct cv_item *was = cv_item_of_key(in->scene, in->focus);
    if (!input_remember(in, &in->focus, it)) {
        return false;
    }
    if (was && was != it) {
        oc_free(was->local->preedit);
        was->local->preedit = NULL;
    }
    return true;
}

/* A press elsewhere closes drop-downs, and so does the focus when it goes. */
static void close_popups(struct cv_input *in, const struct cv_item *but) {
    struct cv_scene *s = in->scene;
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        if (it == but || !it->overlay || it->is_dialog || !(it->popup.w > 0) || !it->local->open) {
            continue;
        }
        it->local->open = false;
        in->changed = true;
    }
}

static bool input_activate(struct cv_input *in, struct cv_item *it) {
    bool taken = input_handlers(it)->activate && input_handlers(it)->activate(in, it);
    if (!taken) {
        return false;
    }
    in->changed = true;
    for (it = cv_item_parent(in->scene, it); it; it = cv_item_parent(in->scene, it)) {
        if (input_handlers(it)->hears_children && input_handlers(it)->activate) {
            (void)input_handlers(it)->activate(in, it);
        }
    }
    return true;
}

static void count_click(struct cv_input *in, double x, double y) {
    int64_t now = now_ms(in);
    bool follows = in->clicks > 0 && now - in->press_ms >= 0 && now - in->press_ms < CLICK_MS &&
                   fabs(x - in->press_x) < CLICK_PX && fabs(y - in->press_y) < CLICK_PX;
    in->clicks = follows ? in->clicks + 1 : 1;
    in->press_ms = now;
    in->press_x = x;
    in->press_y = y;
}

static bool input_press(struct cv_input *in, double x, double y, unsigned mods) {
    struct cv_scene *s = in->scene;
    struct cv_item *hit = cv_scene_hit(s, x, y);
    struct cv_item *focus = hit;
    in->bar_grab = NAN;
    if (cv_input_bar_press(in, hit, x, y)) {
        return true;
    }
    while (focus && !(cv_item_takes_focus(s, focus) && is_there(focus, x, y))) {
        focus = cv_item_parent(s, focus);
    }
    count_click(in, x, y);
    close_popups(in, focus);
    if (in->focus_visible) {
        in->changed = true;
    }
    in->focus_visible = false;
    (void)focus_on(in, focus);
    for (struct cv_item *it = hit; it; it = cv_item_parent(s, it)) {
        const struct cv_widget_input *h = input_handlers(it);
        if (!is_there(it, x, y)) {
            continue;
        }
        bool taken = h->pointer && h->pointer(in, it, CV_POINTER_PRESS, x, y, mods);
        if (taken || h->activate) {
            (void)input_remember(in, &in->pressed, it);
            return true;
        }
    }
    return false;
}

static bool input_release(struct cv_input *in, double x, double y, unsigned mods) {
    struct cv_scene *s = in->scene;
    if (cv_input_bar_release(in)) {
        return true;
    }
    struct cv_item *it = cv_item_of_key(s, in->pressed);
    bool taken = it && input_handlers(it)->pointer &&
                 input_handlers(it)->pointer(in, it, CV_POINTER_RELEASE, x, y, mods);
    (void)input_remember(in, &in->pressed, NULL);
    if (!it || taken) {
        return taken;
    }
    struct cv_item *hit = cv_scene_hit(s, x, y);
    while (hit && hit != it) {
        hit = cv_item_parent(s, hit);
    }
    return hit && is_there(it, x, y) && input_activate(in, it);
}

static bool input_move(struct cv_input *in, double x, double y, unsigned mods) {
    struct cv_scene *s = in->scene;
    if (cv_input_bar_move(in, x, y)) {
        return true;
    }
    struct cv_item *it = cv_item_of_key(s, in->pressed);
    if (!it) {
        it = target_at(s, x, y);
        (void)input_remember(in, &in->hover, it);
    }
    return it && input_handlers(it)->pointer &&
           input_handlers(it)->pointer(in, it, CV_POINTER_MOVE, x, y, mods);
}

bool cv_input_pointer(
        struct cv_input *in, enum cv_pointer what, double x, double y, unsigned mods) {
    input_begin(in);
    switch (what) {
    case CV_POINTER_MOVE:
        return input_end(in, input_move(in, x, y, mods));
    case CV_POINTER_PRESS:
        return input_end(in, input_press(in, x, y, mods));
    case CV_POINTER_RELEASE:
        return input_end(in, input_release(in, x, y, mods));
    case CV_POINTER_LEAVE:
        return input_end(in, input_remember(in, &in->hover, NULL));
    }
    return false;
}

static bool scroll_page(struct cv_input *in, double dy) {
    struct cv_scene *s = in->scene;
    double most = s->view_height > 0 ? fmax(s->height - s->view_height, 0) : 0;
    double to = fmin(fmax(s->scroll_y + dy, 0), most);
    if (!(fabs(to - s->scroll_y) > 0)) {
        return false;
    }
    s->scroll_y = to;
    in->changed = true;
    return true;
}

bool cv_input_scroll(struct cv_input *in, double x, double y, double dx, double dy) {
    input_begin(in);
    if (!isfinite(dx) || !isfinite(dy)) {
        return false;
    }
    struct cv_scene *s = in->scene;
    for (struct cv_item *it = cv_scene_hit(s, x, y); it; it = cv_item_parent(s, it)) {
        if (input_handlers(it)->scroll && input_handlers(it)->scroll(in, it, dx, dy)) {
            in->changed = true;
            return input_end(in, true);
        }
    }
    return input_end(in, !cv_input_dialog(s) && scroll_page(in, dy));
}

static bool page_key(struct cv_input *in, enum cv_key key) {
    double view = in->scene->view_height;
    switch (key) {
    case CV_KEY_UP:
        return scroll_page(in, -LINE_PX);
    case CV_KEY_DOWN:
        return scroll_page(in, LINE_PX);
    case CV_KEY_PAGE_UP:
        return scroll_page(in, -0.9 * view);
    case CV_KEY_PAGE_DOWN:
    case CV_KEY_SPACE:
        return scroll_page(in, 0.9 * view);
    case CV_KEY_HOME:
        return scroll_page(in, -in->scene->height);
    case CV_KEY_END:
        return scroll_page(in, in->scene->height);
    default:
        return false;
    }
}

static void input_arrive(struct cv_input *in, struct cv_item *it) {
    if (focus_on(in, it) && input_handlers(it)->focused) {
        input_handlers(it)->focused(in, it);
    }
    cv_input_reveal(in, it);
}

static bool input_tab(struct cv_input *in, bool back) {
    struct cv_scene *s = in->scene;
    struct cv_item *next = cv_input_next_focus(s, in->focus, back);
    close_popups(in, NULL);
    if (!next) {
        return false;
    }
    in->focus_visible = true;
    in->changed = true;
    input_arrive(in, next);
    return true;
}

bool cv_input_key(struct cv_input *in, enum cv_key key, unsigned mods) {
    input_begin(in);
    struct cv_scene *s = in->scene;
    struct cv_item *focus = cv_input_focused(s, in->focus);
    struct cv_item *dialog = cv_input_dialog(s);
    bool activates =
            (key == CV_KEY_ENTER || key == CV_KEY_SPACE) && !(mods & (CV_MOD_CTRL | CV_MOD_ALT));
    for (struct cv_item *it = focus ? focus : dialog; it; it = cv_item_parent(s, it)) {
        bool taken = input_handlers(it)->key && input_handlers(it)->key(in, it, key, mods);
        if (!taken && activates && it == focus && !input_handlers(it)->text) {
            taken = input_activate(in, it);
        }
        if (taken) {
            if (!in->focus_visible) {
                in->changed = true;
            }
            in->focus_visible = true;
            return input_end(in, true);
        }
    }
    if (key == CV_KEY_TAB) {
        return input_end(in, input_tab(in, mods & CV_MOD_SHIFT));
    }
    bool is_typing = focus && input_handlers(focus)->text;
    return input_end(
            in, !dialog && !mods && !(is_typing && key == CV_KEY_SPACE) && page_key(in, key));
}

bool cv_input_text(struct cv_input *in, const char *utf8) {
    input_begin(in);
    struct cv_item *focus = cv_input_focused(in->scene, in->focus);
    if (!focus || !utf8[0]) {
        return false;
    }
    if (input_handlers(focus)->text) {
        bool taken = input_handlers(focus)->text(in, focus, utf8);
        in->changed = in->changed || taken;
        return input_end(in, taken);
    }
    /* An input method that filters keys makes text of the space bar. */
    return strcmp(utf8, " ") == 0 && cv_input_key(in, CV_KEY_SPACE, 0);
}

bool cv_input_preedit(struct cv_input *in, const char *utf8, size_t caret) {
    input_begin(in);
    struct cv_item *focus = cv_input_focused(in->scene, in->focus);
    bool taken = focus && input_handlers(focus)->preedit &&
                 input_handlers(focus)->preedit(in, focus, utf8 ? utf8 : "", caret);
    in->changed = in->changed || taken;
    return input_end(in, taken);
}

bool cv_input_caret(struct cv_input *in, struct cv_rect *ret) {
    input_begin(in);
    struct cv_item *focus = cv_input_focused(in->scene, in->focus);
    return focus && input_handlers(focus)->caret &&
           input_handlers(focus)->caret(in->scene, focus, ret);
}

bool cv_input_activate(struct cv_input *in, const char *surface, const char *id) {
    input_begin(in);
    struct cv_scene *s = in->scene;
    struct cv_item *named = cv_scene_find(s, surface, id);
    for (struct cv_item *it = named; it; it = cv_item_parent(s, it)) {
        if (it != named && input_handlers(it)->reveal) {
            break;
        }
        if (input_activate(in, it)) {
            return input_end(in, true);
        }
    }
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        bool is_meant = !surface || strcmp(it->surface->id, surface) == 0;
        if (is_meant && input_handlers(it)->reveal && input_handlers(it)->reveal(in, it, id)) {
            return input_end(in, true);
        }
    }
    return input_end(in, false);
}

bool cv_input_focus(struct cv_input *in, const char *surface, const char *id) {
    input_begin(in);
    struct cv_item *it = cv_scene_find(in->scene, surface, id);
    if (!it || !cv_item_takes_focus(in->scene, it)) {
        return false;
    }
    close_popups(in, it);
    input_arrive(in, it);
    return input_end(in, true);
}

void cv_input_set_focus(struct cv_input *in, const struct cv_item *it) {
    (void)focus_on(in, it);
}

enum cv_cursor cv_input_cursor(const struct cv_input *in) {
    if (in->bar) {
        return CV_CURSOR_ARROW;
    }
    const struct cv_item *it = cv_item_of_key(in->scene, in->pressed ? in->pressed : in->hover);
    if (!it || !input_handlers(it)->takes_focus || input_handlers(it)->hears_children) {
        return CV_CURSOR_ARROW;
    }
    return input_handlers(it)->is_text ? CV_CURSOR_TEXT : CV_CURSOR_HAND;
}
