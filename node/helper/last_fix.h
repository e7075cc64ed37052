/* The last place that was found, for callers who take one that is a little old. */
#ifndef NODE_HELPER_LAST_FIX_H
#define NODE_HELPER_LAST_FIX_H

#include "lib/json/json.h"
#include "node/host.h"

enum oc_accuracy { OC_ACCURACY_COARSE, OC_ACCURACY_BALANCED, OC_ACCURACY_PRECISE };

/* A copy, when it is no older than max_age_ms and was asked for at least as exactly; else NULL. */
cJSON *oc_last_fix_recall(
        const struct oc_node_host *host, int64_t max_age_ms, enum oc_accuracy wanted);
void oc_last_fix_keep(struct oc_node_host *host, const cJSON *fix, enum oc_accuracy asked);
void oc_last_fix_destroy(struct oc_last_fix *last);

#endif
