/* Editing a text: functions over the value, the shaped text that shows it, and what a person did
 * (caret, anchor, preedit). They write nothing: a new value is returned for the widget to store.
 *
 * What is shown may differ from the value: a preedit stands at the caret, a password is a row of
 * dots. */
#ifndef CANVAS_INPUT_EDIT_H
#define CANVAS_INPUT_EDIT_H

#include "canvas/scene/scene.h"
#include "lib/base/buf.h"

struct cv_edit {
    struct cv_local *local;
    struct oc_slice value; /* UTF-8 without broken sequences and NUL */
    bool is_masked, is_multiline;
    struct cv_text *text; /* of cv_edit_shown */
    double width;         /* it is wrapped to; a field of one line does not wrap */
};

/* The value as it can be edited: NUL and broken sequences are U+FFFD, a field of one line has no
 * newlines. In the arena. */
struct oc_slice cv_edit_clean(struct cv_arena *a, struct oc_slice value, bool is_multiline);
/* What is drawn, and where in it the preedit stands (equal: none). In the arena. */
struct oc_slice cv_edit_shown(
        const struct cv_edit *e, struct cv_arena *a, size_t *ret_from, size_t *ret_to);
void cv_edit_clamp(const struct cv_edit *e); /* caret and anchor stand at characters of the value */
size_t cv_edit_to_shown(const struct cv_edit *e, size_t index); /* of the value */

/* Arrows, Home, End with Shift and Ctrl, Ctrl-A: moves the caret. True: taken. */
bool cv_edit_move(const struct cv_edit *e, enum cv_key key, unsigned mods);
void cv_edit_press(const struct cv_edit *e, double x, double y, unsigned clicks, bool extend);
void cv_edit_drag(const struct cv_edit *e, double x, double y);
struct oc_slice cv_edit_selected(const struct cv_edit *e);
void cv_edit_caret(const struct cv_edit *e, double *ret_x, double *ret_y, double *ret_h);

/* Give the new value in out and move the caret; false: nothing to do. */
bool cv_edit_delete(const struct cv_edit *e, enum cv_key key, unsigned mods, struct oc_buf *out);
bool cv_edit_insert(const struct cv_edit *e, const char *utf8, struct oc_buf *out);

/* Could become a number by typing on: digits with sign, one point, an exponent. */
bool cv_edit_is_number(const char *text, size_t len);

#endif
