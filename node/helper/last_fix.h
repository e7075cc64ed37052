/* The last place that was found, for callers who take one that is a little old. */
#ifndef NODE_HELPER_LAST_FIX_H
#define NODE_HELPER_LAST_FIX_H

#include "lib/json/json.h"

#include <stdint.h>

enum nd_accuracy { ND_ACCURACY_COARSE, ND_ACCURACY_BALANCED, ND_ACCURACY_PRECISE };

struct nd_last_fix { /* a zeroed one has none */
    cJSON *fix;
    int64_t at_ms; /* of the clock that never goes back, like now_ms */
    enum nd_accuracy asked;
};

/* A copy, when it is no older than max_age_ms and was asked for at least as exactly; else NULL. */
cJSON *nd_last_fix_recall(const struct nd_last_fix *last, int64_t now_ms, int64_t max_age_ms,
        enum nd_accuracy wanted);
void nd_last_fix_keep(
        struct nd_last_fix *last, int64_t now_ms, const cJSON *fix, enum nd_accuracy asked);
void nd_last_fix_finish(struct nd_last_fix *last);

#endif
