/* A command as text for the person who decides about it. */
#ifndef LIB_TEXT_ARGV_TEXT_H
#define LIB_TEXT_ARGV_TEXT_H

#include "lib/base/str.h"

#include <stddef.h>

/* One line that says exactly what argv is: a shell that reads it gets the same words back, no two
 * commands look the same, and nothing in it moves the cursor, turns the writing direction or hides.
 * Caller frees. */
char *oc_argv_shown(const struct oc_strv *argv);
/* Its beginning, where people only need to recognise it: about max_bytes of it, then "…" if that is
 * not all. What is cut off costs nothing. Caller frees. */
char *oc_argv_shown_within(const struct oc_strv *argv, size_t max_bytes);

#endif
