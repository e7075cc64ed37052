#include "node/helper/last_fix.h"

#include <stddef.h>

cJSON *nd_last_fix_recall(const struct nd_last_fix *last, int64_t now_ms, int64_t max_age_ms,
        enum nd_accuracy wanted) {
    if (!last->fix || last->asked < wanted || now_ms - last->at_ms >= max_age_ms) {
        return NULL;
    }
    return cJSON_Duplicate(last->fix, true);
}

void nd_last_fix_keep(
        struct nd_last_fix *last, int64_t now_ms, const cJSON *fix, enum nd_accuracy asked) {
    nd_last_fix_finish(last);
    last->fix = cJSON_Duplicate(fix, true);
    last->at_ms = now_ms;
    last->asked = asked;
}

void nd_last_fix_finish(struct nd_last_fix *last) {
    cJSON_Delete(last->fix);
    last->fix = NULL;
}
