/* Members of large objects by name. cJSON looks each one up by walking over all of them, and
 * compares two objects in the same way: for an object that a peer made that takes the square of its
 * length. */
#ifndef LIB_JSON_JSON_INDEX_H
#define LIB_JSON_JSON_INDEX_H

#include "lib/base/map.h"
#include "lib/json/json.h"

#include <stdbool.h>

struct oc_json_index {
    const cJSON *object;
    struct oc_map *by_name; /* NULL: few members */
};

/* object may be NULL or no object: it has no members then. It must not change while the index is in
 * use. */
struct oc_json_index oc_json_index_of(const cJSON *object);
void oc_json_index_finish(struct oc_json_index *i);
/* Also when it is null. NULL: there is none. */
const cJSON *oc_json_index_get(const struct oc_json_index *i, const char *name);
#define OC_AUTO_INDEX __attribute__((cleanup(oc_json_index_finish)))

/* Whether both mean the same, whatever the order of members. One pass. NULL equals only NULL. */
bool oc_json_same(const cJSON *a, const cJSON *b);

#endif
