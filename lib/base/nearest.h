/* "Did you mean …?" */
#ifndef LIB_BASE_NEAREST_H
#define LIB_BASE_NEAREST_H

#include <stddef.h>

/* The known name that was probably meant, or NULL when none is close. */
const char *oc_nearest(const char *word, const char *const *known, size_t count);

#endif
