/* Editing a text: functions over the value, the shaped text that shows it, and what a person did (caret, anchor, preedit). They
 * write nothing: a new value is returned for the widget to store.
 *
 * What is shown may differ from the value: a preedit stands at the caret, a password is a row of dots. */
#ifndef CANVAS_INPUT_EDIT_H
#define CANVAS_INPUT_EDIT_H

#include "canvas/scene/scene.h"
#include "lib/base/buf.h"

struct oc_edit {
    struct oc_local *local;
    struct oc_slice value; /* UTF-8 without broken sequences and NUL */
    bool is_masked, is_multiline;
    struct oc_text *text; /* of oc_edit_shown */
    double width;         /* it is wrapped to; a field of one line does not wrap */
};

/* The value as it can be edited: NUL and broken sequences are U+FFFD, a field of one line has no newlines. In the arena. */
struct oc_slice oc_edit_clean(struct oc_arena *a, struct oc_slice value, bool is_multiline);
/* What is drawn, and where in it the preedit stands (equal: none). In the arena. */
struct oc_slice oc_edit_shown(
        const struct oc_edit *e, struct oc_arena *a, size_t *ret_from, size_t *ret_to);
void oc_edit_clamp(const struct oc_edit *e); /* caret and anchor stand at characters of the value */
size_t oc_edit_to_shown(const struct oc_edit *e, size_t index); /* of the value */

/* Arrows, Home, End with Shift and Ctrl, Ctrl-A: moves the caret. True: taken. */
bool oc_edit_move(const struct oc_edit *e, enum oc_key key, unsigned mods);
void oc_edit_press(const struct oc_edit *e, double x, double y, unsigned clicks, bool extend);
void oc_edit_drag(const struct oc_edit *e, double x, double y);
struct oc_slice oc_edit_selected(const struct oc_edit *e);
void oc_edit_caret(const struct oc_edit *e, double *ret_x, double *ret_y, double *ret_h);

/* Give the new value in out and move the caret; false: nothing to do. */
bool oc_edit_delete(const struct oc_edit *e, enum oc_key key, unsigned mods, struct oc_buf *out);
bool oc_edit_insert(const struct oc_edit *e, const char *utf8, struct oc_buf *out);

/* Could become a number by typing on: digits with sign, one point, an exponent. */
bool oc_edit_is_number(const char *text, size_t len);

#endif
