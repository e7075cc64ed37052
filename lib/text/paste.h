/* Command lines for people to paste. Whatever a peer chose stands in them as one word, quoted for
 * the shell; what is not plain text is not put there at all. Also for what a peer calls the fix of
 * something. */
#ifndef LIB_TEXT_PASTE_H
#define LIB_TEXT_PASTE_H

#include "lib/base/error.h"

#include <stdbool.h>

/* fmt is ours and knows only %s, each for one word of a peer. A word must be plain text that a
 * person can read, of sensible length, and no option. If one is not, the answer is `hint`, which is
 * ours, too. Caller frees; NULL when hint is NULL. */
char *oc_paste(const char *hint, const char *fmt, ...) OC_PRINTF(2, 3);
/* The first 12 characters of an id for such a line, or all of it when they are not letters, digits
 * and dashes. Caller frees. */
char *oc_paste_id(const char *id);
/* Who says something. */
#define OC_GATEWAY "the gateway"
#define OC_NODE "the node"

/* What `who` (one of the two) calls the fix, without anything that a shell would act on. Only what
 * stands in a table of whole fixes is shown as ours: anybody can begin a sentence with our name.
 * All else is marked as theirs; what is not plain is not shown. NULL stays NULL. Caller frees. */
char *oc_paste_told(const char *who, const char *fix);

#endif
