#include "gateway/exec/used_ids.h"

#include "gateway/fairness/shares.h"
#include "lib/base/list.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

struct used {
    char *id, *actor;
    int64_t since_ms;
    struct oc_list link; /* oc_used_ids.all */
};

struct oc_used_ids {
    int64_t keep_ms;
    struct oc_shares *shares; /* of the places: those in the table, and those that are reserved */
    struct oc_map *by_id;
    struct oc_list all; /* used.link, oldest first */
};

struct oc_used_ids *oc_used_ids_create(size_t max, int64_t keep_ms) {
    struct oc_used_ids *u = oc_new(struct oc_used_ids);
    u->shares = oc_shares_create(max);
    u->keep_ms = keep_ms;
    u->by_id = oc_map_create();
    oc_list_init(&u->all);
    return u;
}

static void forget_oldest(struct oc_used_ids *u) {
    struct used *oldest = oc_list_first(&u->all, struct used, link);
    oc_map_remove(u->by_id, oldest->id);
    oc_list_remove(&oldest->link);
    oc_shares_give_back(u->shares, oldest->actor);
    oc_free(oldest->id);
    oc_free(oldest->actor);
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
    oc_shares_destroy(u->shares);
    oc_free(u);
}

bool oc_used_ids_has(const struct oc_used_ids *u, const char *id) {
    return oc_map_get(u->by_id, id) != NULL;
}

bool oc_used_ids_reserve(struct oc_used_ids *u, const char *actor, int64_t now_ms) {
    while (!oc_shares_may_take(u->shares, actor)) {
        const struct used *oldest =
                oc_list_empty(&u->all) ? NULL : oc_list_first(&u->all, struct used, link);
        if (!oldest || oldest->since_ms + u->keep_ms > now_ms) {
            return false;
        }
        forget_oldest(u);
    }
    oc_shares_take(u->shares, actor);
    return true;
}

void oc_used_ids_add(struct oc_used_ids *u, const char *id, const char *actor, int64_t now_ms) {
    if (oc_used_ids_has(u, id)) {
        oc_shares_give_back(u->shares, actor);
        return;
    }
    struct used *one = oc_new(struct used);
    one->id = oc_strdup(id);
    one->actor = oc_strdup(actor);
    one->since_ms = now_ms;
    oc_list_append(&u->all, &one->link);
    oc_map_put(u->by_id, one->id, one);
}
