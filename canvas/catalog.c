#include "canvas/model_parts.h"

void oc_catalog_check(const struct oc_component *c, const struct oc_blame *blame) {
    (void)c;
    (void)blame;
}
