#include "gateway/used_ids.h"

#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"

struct used {
    char *id;
    int64_t since_ms;
    struct oc_list link; /* oc_used_ids.all */
};

struct oc_used_ids {
    size_t max;
    int64_t keep_ms;
    struct oc_map *by_id;
    struct oc_list all; /* used.link, oldest first */
};

struct oc_used_ids *oc_used_ids_create(size_t max, int64_t keep_ms) {
    struct oc_used_ids *u = oc_new(struct oc_used_ids);
    u->max = max;
    u->keep_ms = keep_ms;
    u->by_id = oc_map_create();
    oc_list_init(&u->all);
    return u;
}

static void forget_oldest(struct oc_used_ids *u) {
    struct used *oldest = oc_list_first(&u->all, struct used, link);
    oc_map_remove(u->by_id, oldest->id);
    oc_list_remove(&oldest->link);
    oc_free(oldest->id);
    oc_free(oldest);
}

void oc_used_ids_destroy(struct oc_used_ids *u) {
    if (!u) {
        return;
    }
    while (!oc_list_empty(&u->all)) {
        forget_oldest(u);
    }
    oc_map_destroy(u->by_id);
    oc_free(u);
}

bool oc_used_ids_has(const struct oc_used_ids *u, const char *id) {
    return oc_map_get(u->by_id, id) != NULL;
}

bool oc_used_ids_is_full(const struct oc_used_ids *u, int64_t now_ms) {
    if (oc_map_count(u->by_id) < u->max) {
        return false;
    }
    const struct used *oldest = oc_list_first(&u->all, struct used, link);
    return oldest->since_ms + u->keep_ms > now_ms;
}

void oc_used_ids_add(struct oc_used_ids *u, const char *id, int64_t now_ms) {
    if (oc_used_ids_has(u, id)) {
        return;
    }
    if (oc_map_count(u->by_id) >= u->max) {
        forget_oldest(u);
    }
    struct used *one = oc_new(struct used);
    one->id = oc_strdup(id);
    one->since_ms = now_ms;
    oc_list_append(&u->all, &one->link);
    oc_map_put(u->by_id, one->id, one);
}
