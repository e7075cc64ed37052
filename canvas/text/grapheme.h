/* What a person takes for one character: an accent stays on its letter, a flag or a family is one. The text engines know this too,
 * but only for what they have shaped and only left and right; deleting goes by the order of the bytes. */
#ifndef CANVAS_TEXT_GRAPHEME_H
#define CANVAS_TEXT_GRAPHEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* s is UTF-8 without broken sequences; i stands at the start of a character. */
bool oc_grapheme_starts(const char *s, size_t len, size_t i);
size_t oc_grapheme_next(const char *s, size_t len, size_t i);
size_t oc_grapheme_prev(const char *s, size_t len, size_t i);
/* The character at i, 0 at the end; *ret_next is where the next one starts. */
uint32_t oc_utf8_decode(const char *s, size_t len, size_t i, size_t *ret_next);
size_t oc_utf8_back(const char *s, size_t i); /* start of the character before i > 0 */

#endif
