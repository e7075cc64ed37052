/* A command as text for the person who decides about it. */
#ifndef BASE_ARGV_TEXT_H
#define BASE_ARGV_TEXT_H

#include "base/str.h"

/* One line that says exactly what argv is: a shell that reads it gets the same words back, no two commands look the same,
 * and nothing in it moves the cursor, turns the writing direction or hides. Caller frees. */
char *oc_argv_shown(const struct oc_strv *argv);

#endif
