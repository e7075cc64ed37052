/* TextField's validationRegexp: the part of JavaScript's syntax that PCRE2 has too. */
#ifndef CANVAS_MODEL_REGEXP_H
#define CANVAS_MODEL_REGEXP_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* Does the whole text match, as for HTML's pattern attribute? An empty text, a pattern that
 * JavaScript would not take or that is not supported here, and one that takes too long: true,
 * nobody is locked out. */
bool cv_regexp_is_known(struct oc_slice pattern); /* false: every text matches */
bool cv_regexp_matches(struct oc_slice pattern, struct oc_slice text);

#endif
