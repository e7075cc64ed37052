/* Amounts of memory and disk in settings: "512M", "2g", "4096", or a number of bytes. */
#ifndef LIB_CONFIG_SIZE_H
#define LIB_CONFIG_SIZE_H

#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

/* For error texts: "must be …". */
#define OC_SIZE_FORMS \
    "a size like \"512M\" or \"2G\" (K, M, G, T: powers of 1024; no letter: bytes)"

/* K, M, G and T in either case. "MB" is refused: half of those who write it mean powers of 1000. */
bool oc_parse_size(const char *text, int64_t *ret);
/* A text as above, or a whole number. At least 1. */
bool oc_json_as_size(const cJSON *v, int64_t *ret);

#endif
