#include "node/helper/last_fix.h"

#include "lib/base/mem.h"

struct oc_last_fix {
    cJSON *fix;
    int64_t at_ms; /* of the clock that never goes back */
    enum oc_accuracy asked;
};

cJSON *oc_last_fix_recall(
        const struct oc_node_host *host, int64_t max_age_ms, enum oc_accuracy wanted) {
    const struct oc_last_fix *last = host->last_fix;
    if (!last || last->asked < wanted ||
            oc_mono_ms(oc_loop_clock(host->loop)) - last->at_ms >= max_age_ms) {
        return NULL;
    }
    return cJSON_Duplicate(last->fix, true);
}

void oc_last_fix_keep(struct oc_node_host *host, const cJSON *fix, enum oc_accuracy asked) {
    if (!host->last_fix) {
        host->last_fix = oc_new(struct oc_last_fix);
    }
    struct oc_last_fix *last = host->last_fix;
    cJSON_Delete(last->fix);
    last->fix = cJSON_Duplicate(fix, true);
    last->at_ms = oc_mono_ms(oc_loop_clock(host->loop));
    last->asked = asked;
}

void oc_last_fix_destroy(struct oc_last_fix *last) {
    if (last) {
        cJSON_Delete(last->fix);
        oc_free(last);
    }
}
