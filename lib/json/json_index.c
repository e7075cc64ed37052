#include "lib/json/json_index.h"

#include "lib/base/str.h"

#include <string.h>

#define FEW 8 /* a walk is cheaper than a map */

struct oc_json_index oc_json_index_of(const cJSON *object) {
    struct oc_json_index i = { .object = cJSON_IsObject(object) ? object : NULL };
    int count = 0;
    const cJSON *m = i.object ? object->child : NULL;
    for (; m && count <= FEW; m = m->next) {
        count++;
    }
    if (count > FEW) {
        i.by_name = oc_map_create();
        cJSON_ArrayForEach(m, object) {
            oc_map_put(i.by_name, m->string, (void *)(uintptr_t)m);
        }
    }
    return i;
}

void oc_json_index_finish(struct oc_json_index *i) {
    oc_map_destroy(i->by_name);
    *i = (struct oc_json_index){ 0 };
}

const cJSON *oc_json_index_get(const struct oc_json_index *i, const char *name) {
    return i->by_name  ? oc_map_get(i->by_name, name)
           : i->object ? cJSON_GetObjectItemCaseSensitive(i->object, name)
                       : NULL;
}

static bool same_list(const cJSON *a, const cJSON *b) {
    const cJSON *x = a->child, *y = b->child;
    while (x && y && oc_json_same(x, y)) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}

static bool same_object(const cJSON *a, const cJSON *b) {
    const cJSON *x = a->child, *y = b->child;
    while (x && y && strcmp(x->string, y->string) == 0) { /* mostly the whole way */
        if (!oc_json_same(x, y)) {
            return false;
        }
        x = x->next;
        y = y->next;
    }
    if (!x || !y) {
        return !x && !y;
    }
    OC_AUTO_INDEX struct oc_json_index in_b = oc_json_index_of(b);
    int left = 0;
    for (; x; x = x->next) {
        if (!oc_json_same(x, oc_json_index_get(&in_b, x->string))) {
            return false;
        }
        left++;
    }
    for (; y; y = y->next) {
        left--;
    }
    return left == 0;
}

bool oc_json_same(const cJSON *a, const cJSON *b) {
    if (!a || !b) {
        return !a && !b;
    }
    if (cJSON_IsObject(a)) {
        return cJSON_IsObject(b) && same_object(a, b);
    }
    if (cJSON_IsArray(a)) {
        return cJSON_IsArray(b) && same_list(a, b);
    }
    return cJSON_Compare(a, b, true);
}
