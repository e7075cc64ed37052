/* What a person does: pointer, keys and text become writes to the data, local state, and actions.
 * Knows no window system; the window translates its events, tests call it directly.
 *
 * Pointer: hover, press, release (a release on the pressed item activates it). Keys: Tab and
 * Shift-Tab walk all that take the focus, in reading order and inside an open dialog only; the rest
 * goes to the focused item, then to its parents. */
#ifndef CANVAS_INPUT_INPUT_H
#define CANVAS_INPUT_INPUT_H

#include "canvas/scene/playing.h"
#include "canvas/scene/scene.h"
#include "lib/base/clock.h"

struct cv_input {
    struct cv_scene *scene;
    void *user;
    /* The agent is told: {"name","surfaceId","sourceComponentId","timestamp","context"}. */
    void (*on_action)(void *user, struct cv_value *take_action);
    void (*on_refused)(void *user, const char *why); /* there will be no action; may be NULL */
    void (*on_copy)(void *user, const char *text);
    void (*on_paste)(void *user); /* the answer comes as text */
    void (*on_open)(
            void *user, const char *url); /* links, and players that nobody plays: shown outside */
    void (*on_play)(void *user, const struct cv_play *what); /* a player was pressed; may be NULL */
    /* Was entered into the data, at this place; may be NULL. */
    void (*on_entered)(void *user, const struct cv_surface *s, const struct oc_slice *segments,
            unsigned count, const struct cv_value *value);
    void (*on_stale)(void *user); /* brings the scene up to date before an event; may be NULL */
    const struct oc_clock *clock; /* NULL: the system's */
    bool changed;                 /* a new scene is due */
    /* owned: what has the keyboard and the pointer, "surface\nid" */
    char *focus, *hover, *pressed;
    bool focus_visible;
    /* for handlers: how many presses followed each other at this place; where and when the last one
     * was */
    unsigned clicks;
    double press_x, press_y;
    int64_t press_ms;
    /* The scroll bar that is held: key of its container, "" is the page's, owned; NULL: none. Where
     * it was taken hold of (NAN: it was only pressed beside); widgets that draw a bar of their own
     * have it there, too. */
    char *bar;
    bool bar_is_upright;
    double bar_grab;
};

void cv_input_init(struct cv_input *in);
void cv_input_finish(struct cv_input *in);

/* For the window. Each returns whether it was taken; look at `changed` afterwards. */
bool cv_input_pointer(struct cv_input *in, enum cv_pointer what, double x, double y, unsigned mods);
bool cv_input_scroll(struct cv_input *in, double x, double y, double dx, double dy);
bool cv_input_key(struct cv_input *in, enum cv_key key, unsigned mods);
bool cv_input_text(struct cv_input *in, const char *utf8);
bool cv_input_preedit(struct cv_input *in, const char *utf8, size_t caret);
bool cv_input_caret(struct cv_input *in, struct cv_rect *ret); /* of the focused item */
enum cv_cursor { CV_CURSOR_ARROW, CV_CURSOR_HAND, CV_CURSOR_TEXT };
enum cv_cursor cv_input_cursor(const struct cv_input *in); /* for where the pointer is */
bool cv_input_activate(
        struct cv_input *in, const char *surface, const char *id); /* surface NULL: any */
/* For tests. */
bool cv_input_focus(struct cv_input *in, const char *surface, const char *id);

/* For widgets' handlers (input_action.c). Values are read from the model anew (cv_input_value),
 * never from the item's state: the scene may be older than the last write. */
/* What an input holds now: the value at its path, else what a person entered, else the literal.
 * NULL: none. */
const struct cv_value *cv_input_value(const struct cv_item *it, const char *prop);
/* To the path of the property, or, when it has none, to the local draft. */
void cv_input_write(
        struct cv_input *in, struct cv_item *it, const char *prop, struct cv_value *take_value);
void cv_input_fire(struct cv_input *in, struct cv_item *it,
        const struct cv_value *action);                                 /* a Button's "action" */
void cv_input_set_focus(struct cv_input *in, const struct cv_item *it); /* NULL: nothing */

#endif
