/* Where a setting stands, for whoever has to correct it: in the config or in a file it includes. */
#ifndef LIB_CONFIG_CONFIG_PLACE_H
#define LIB_CONFIG_CONFIG_PLACE_H

#include "lib/base/buf.h"
#include "lib/base/str.h"

struct oc_config_place {
    char *file; /* owned */
    unsigned line, column;
};

/* text is that of file, and it and what it includes could be read. False, and nothing is written,
 * when the path is in none of them. */
bool oc_config_place_find(const char *file, struct oc_slice text, const struct oc_strv *path,
        struct oc_config_place *ret);

#endif
