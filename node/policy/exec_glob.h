/* Patterns of the allowlist.
 *
 *   **  anything, slashes too
 *   *   anything within one directory
 *   ?   one character, no slash
 *
 * Everything else means itself, letter for letter: upper and lower case differ, as they do for the
 * kernel. */
#ifndef NODE_POLICY_EXEC_GLOB_H
#define NODE_POLICY_EXEC_GLOB_H

#include <stdbool.h>

#define ND_MAX_PATTERN \
    1024 /* bytes; a longer one matches nothing, nor does one that is not UTF-8 */

/* The whole path, not a part of it. Time grows with the product of the lengths, never faster. */
bool nd_exec_glob(const char *pattern, const char *path);

/* Where the first character stands that is not literal; the length when there is none. */
unsigned long nd_exec_glob_literal(const char *pattern);

#endif
