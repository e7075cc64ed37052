#include "canvas/scene/scene.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define CV_WIDGET(id) extern const struct cv_widget cv_widget_##id;
#include "canvas/widgets/widgets.def"
#undef CV_WIDGET

static const struct cv_widget *const table[] = {
#define CV_WIDGET(id) &cv_widget_##id,
#include "canvas/widgets/widgets.def"
#undef CV_WIDGET
};

static int by_name(const void *key, const void *row) {
    return strcmp(key, (*(const struct cv_widget *const *)row)->name);
}

const struct cv_widget *cv_widget_find(const char *name) {
    const struct cv_widget *const *row =
            bsearch(name, table, OC_COUNT(table), sizeof(void *), by_name);
    return row ? *row : NULL;
}
