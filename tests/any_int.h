/* Tests read whatever number is there. The code under test always names a range. */
#ifndef TESTS_ANY_INT_H
#define TESTS_ANY_INT_H

#include "lib/json/json.h"

static inline int64_t any_int(const cJSON *o, const char *key, int64_t def) {
    return oc_json_get_int(o, key, INT64_MIN, INT64_MAX, def);
}

#endif
