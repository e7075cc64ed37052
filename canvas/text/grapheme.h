/* What a person takes for one character: an accent stays on its letter, a flag or a family is one.
 * The text engines know this too, but only for what they have shaped and only left and right;
 * deleting goes by the order of the bytes. */
#ifndef CANVAS_TEXT_GRAPHEME_H
#define CANVAS_TEXT_GRAPHEME_H

#include <stddef.h>

/* s is UTF-8 without broken sequences; i stands at the start of a character. */
size_t cv_grapheme_next(const char *s, size_t len, size_t i);
size_t cv_grapheme_prev(const char *s, size_t len, size_t i);

#endif
