/* Texts that were made to keep the text engine busy. */
#ifndef CANVAS_TEXT_TEXT_LIMIT_H
#define CANVAS_TEXT_TEXT_LIMIT_H

#include <stddef.h>

/* A text of as many bytes that Pango is done with soon: letters have 32 marks at most, a paragraph
 * 2000 changes of direction, a long text fewer lines. NULL: it is such a one. For the caller to
 * free. */
char *cv_text_limit(const char *bytes, size_t len);

#endif
