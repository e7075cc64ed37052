/* Whether a character is one of a set. strchr would find the end of the set, too: with a byte that
 * may be NUL it says yes, and what does not fit into a char is cut and may become one that does.
 * tests/check_sets.py keeps it out. */
#ifndef LIB_BASE_ONE_OF_H
#define LIB_BASE_ONE_OF_H

#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* NUL is never one of them. */
static inline bool oc_is_one_of(int c, const char *set) {
    return c != '\0' && c >= SCHAR_MIN && c <= UCHAR_MAX && strchr(set, c) != NULL;
}

#endif
