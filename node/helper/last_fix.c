#include "node/helper/last_fix.h"

#include <stddef.h>

cJSON *oc_last_fix_recall(const struct oc_last_fix *last, int64_t now_ms, int64_t max_age_ms,
        enum oc_accuracy wanted) {
    if (!last->fix || last->asked < wanted || now_ms - last->at_ms >= max_age_ms) {
        return NULL;
    }
    return cJSON_Duplicate(last->fix, true);
}

void oc_last_fix_keep(
        struct oc_last_fix *last, int64_t now_ms, const cJSON *fix, enum oc_accuracy asked) {
    oc_last_fix_finish(last);
    last->fix = cJSON_Duplicate(fix, true);
    last->at_ms = now_ms;
    last->asked = asked;
}

void oc_last_fix_finish(struct oc_last_fix *last) {
    cJSON_Delete(last->fix);
    last->fix = NULL;
}
