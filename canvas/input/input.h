/* What a person does: pointer, keys and text become writes to the data, local state, and actions. Knows no window system; the
 * window translates its events, tests call it directly.
 *
 * Pointer: hover, press, release (a release on the pressed item activates it). Keys: Tab and Shift-Tab walk all that take the
 * focus, in reading order and inside an open dialog only; the rest goes to the focused item, then to its parents. */
#ifndef CANVAS_INPUT_INPUT_H
#define CANVAS_INPUT_INPUT_H

#include "canvas/scene/playing.h"
#include "canvas/scene/scene.h"
#include "lib/base/clock.h"

struct oc_input {
    struct oc_scene *scene;
    void *user;
    /* The agent is told: {"name","surfaceId","sourceComponentId","timestamp","context"}. */
    void (*on_action)(void *user, struct oc_value *take_action);
    void (*on_refused)(void *user, const char *why); /* there will be no action; may be NULL */
    void (*on_copy)(void *user, const char *text);
    void (*on_paste)(void *user); /* the answer comes as text */
    void (*on_open)(
            void *user, const char *url); /* links, and players that nobody plays: shown outside */
    void (*on_play)(void *user, const struct oc_play *what); /* a player was pressed; may be NULL */
    /* Was entered into the data, at this place; may be NULL. */
    void (*on_entered)(void *user, const struct oc_surface *s, const struct oc_slice *segments,
            unsigned count, const struct oc_value *value);
    void (*on_stale)(void *user); /* brings the scene up to date before an event; may be NULL */
    const struct oc_clock *clock; /* NULL: the system's */
    bool changed;                 /* a new scene is due */
    /* owned: what has the keyboard and the pointer, "surface\nid" */
    char *focus, *hover, *pressed;
    bool focus_visible;
    /* for handlers: how many presses followed each other at this place; where and when the last one was */
    unsigned clicks;
    double press_x, press_y;
    int64_t press_ms;
    /* The scroll bar that is held: key of its container, "" is the page's, owned; NULL: none. Where it was taken hold of (NAN: it
     * was only pressed beside); widgets that draw a bar of their own have it there, too. */
    char *bar;
    bool bar_is_upright;
    double bar_grab;
};

void oc_input_init(struct oc_input *in);
void oc_input_finish(struct oc_input *in);

/* For the window. Each returns whether it was taken; look at `changed` afterwards. */
bool oc_input_pointer(struct oc_input *in, enum oc_pointer what, double x, double y, unsigned mods);
bool oc_input_scroll(struct oc_input *in, double x, double y, double dx, double dy);
bool oc_input_key(struct oc_input *in, enum oc_key key, unsigned mods);
bool oc_input_text(struct oc_input *in, const char *utf8);
bool oc_input_preedit(struct oc_input *in, const char *utf8, size_t caret);
bool oc_input_caret(struct oc_input *in, struct oc_rect *ret); /* of the focused item */
enum oc_cursor { OC_CURSOR_ARROW, OC_CURSOR_HAND, OC_CURSOR_TEXT };
enum oc_cursor oc_input_cursor(const struct oc_input *in); /* for where the pointer is */
bool oc_input_activate(
        struct oc_input *in, const char *surface, const char *id); /* surface NULL: any */
bool oc_input_focus(struct oc_input *in, const char *surface, const char *id);

/* For widgets' handlers (input_action.c). Values are read from the model anew (oc_input_value), never from the item's state: the scene may be
 * older than the last write. */
/* What an input holds now: the value at its path, else what a person entered, else the literal. NULL: none. */
const struct oc_value *oc_input_value(const struct oc_item *it, const char *prop);
/* To the path of the property, or, when it has none, to the local draft. */
void oc_input_write(
        struct oc_input *in, struct oc_item *it, const char *prop, struct oc_value *take_value);
void oc_input_fire(struct oc_input *in, struct oc_item *it,
        const struct oc_value *action);                                 /* a Button's "action" */
void oc_input_set_focus(struct oc_input *in, const struct oc_item *it); /* NULL: nothing */

#endif
