/* Command lines for people to paste. Whatever a peer chose stands in them as one word, quoted for
 * the shell; what is not plain text is not put there at all. */
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
/* Whether a text of a peer has nothing that a shell would act on, but for <what is left open>. */
bool oc_paste_is_plain(const char *text);
/* Whether it is that form, in which * is one word, plain or quoted, and no option. */
bool oc_paste_is_form(const char *text, const char *form);

#endif
