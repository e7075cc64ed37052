#include "canvas/model/icons.h"

#include "lib/base/mem.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const struct cv_icon icons[] = {
#define CV_ICON(name, path, solid) { name, path, solid },
#include "canvas/model/icons.def"
#undef CV_ICON
};

/* What is drawn for a name that nobody knows: a dot, never text. */
static const struct cv_icon unknown = { "dot", "", "M9 12A3 3 0 1 1 15 12A3 3 0 1 1 9 12Z" };

/* "arrow_upward" is "arrowUpward". */
static bool icons_same(const char *ours, const char *given) {
    while (*ours && *given) {
        if (*given == '_' && given[1] && isupper((unsigned char)*ours) &&
                tolower((unsigned char)*ours) == given[1]) {
            given += 2;
            ours++;
        } else if (*ours++ != *given++) {
            return false;
        }
    }
    return !*ours && !*given;
}

const struct cv_icon *cv_icon_find(const char *name) {
    for (size_t i = 0; name && i < OC_COUNT(icons); i++) {
        if (icons_same(icons[i].name, name)) {
            return &icons[i];
        }
    }
    return &unknown;
}
