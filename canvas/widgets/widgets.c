#include "canvas/scene/scene.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define OC_WIDGET(id) extern const struct oc_widget oc_widget_##id;
#include "canvas/widgets/widgets.def"
#undef OC_WIDGET

static const struct oc_widget *const table[] = {
#define OC_WIDGET(id) &oc_widget_##id,
#include "canvas/widgets/widgets.def"
#undef OC_WIDGET
};

static int by_name(const void *key, const void *row) {
    return strcmp(key, (*(const struct oc_widget *const *)row)->name);
}

const struct oc_widget *oc_widget_find(const char *name) {
    const struct oc_widget *const *row =
            bsearch(name, table, OC_COUNT(table), sizeof(void *), by_name);
    return row ? *row : NULL;
}
