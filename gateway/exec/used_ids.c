#include "gateway/exec/used_ids.h"

#include "gateway/fairness/shares.h"
#include "lib/base/list.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

struct used {
    char *id, *actor;
    int64_t since_ms;
    struct oc_list link; /* gw_used_ids.all */
};

struct gw_used_ids {
    int64_t keep_ms;
    struct gw_shares *shares; /* of the places: those in the table, and those that are reserved */
    struct oc_map *by_id;
    struct oc_list all; /* used.link, oldest first */
};

struct gw_used_ids *gw_used_ids_create(size_t max, int64_t keep_ms) {
    struct gw_used_ids *u = oc_new(struct gw_used_ids);
    u->shares = gw_shares_create(max);
    u->keep_ms = keep_ms;
    u->by_id = oc_map_create();
    oc_list_init(&u->all);
    return u;
}

static void forget_oldest(struct gw_used_ids *u) {
    struct used *oldest = oc_list_first(&u->all, struct used, link);
    oc_map_remove(u->by_id, oldest->id);
    oc_list_remove(&oldest->link);
    gw_shares_give_back(u->shares, oldest->actor);
    oc_free(oldest->id);
    oc_free(oldest->actor);
    oc_free(oldest);
}

void gw_used_ids_destroy(struct gw_used_ids *u) {
    if (!u) {
        return;
    }
    while (!oc_list_empty(&u->all)) {
        forget_oldest(u);
    }
    oc_map_destroy(u->by_id);
    gw_shares_destroy(u->shares);
    oc_free(u);
}

bool gw_used_ids_has(const struct gw_used_ids *u, const char *id) {
    return oc_map_get(u->by_id, id) != NULL;
}

bool gw_used_ids_reserve(struct gw_used_ids *u, const char *actor, int64_t now_ms) {
    while (!gw_shares_may_take(u->shares, actor)) {
        const struct used *oldest =
                oc_list_empty(&u->all) ? NULL : oc_list_first(&u->all, struct used, link);
        if (!oldest || oldest->since_ms + u->keep_ms > now_ms) {
            return false;
        }
        forget_oldest(u);
    }
    gw_shares_take(u->shares, actor);
    return true;
}

void gw_used_ids_add(struct gw_used_ids *u, const char *id, const char *actor, int64_t now_ms) {
    if (gw_used_ids_has(u, id)) {
        gw_shares_give_back(u->shares, actor);
        return;
    }
    struct used *one = oc_new(struct used);
    one->id = oc_strdup(id);
    one->actor = oc_strdup(actor);
    one->since_ms = now_ms;
    oc_list_append(&u->all, &one->link);
    oc_map_put(u->by_id, one->id, one);
}
