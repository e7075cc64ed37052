/* Fields of log lines whose text somebody else chose: name="…". */
#ifndef LIB_TEXT_QUOTED_H
#define LIB_TEXT_QUOTED_H

#include <stddef.h>

/* The text as oc_printable shows it, in quotes; what could end them is escaped, so that nobody's
 * name makes further fields. NULL: "". Caller frees. */
char *oc_quoted(const char *text, size_t max_chars);

#endif
