#include "gateway/fairness/shares.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"

struct gw_shares {
    struct oc_map *by_actor; /* size_t *, never 0 */
    size_t places, taken;
};

struct gw_shares *gw_shares_create(size_t places) {
    struct gw_shares *s = oc_new(struct gw_shares);
    s->by_actor = oc_map_create();
    s->places = places;
    return s;
}

void gw_shares_destroy(struct gw_shares *s) {
    if (!s) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(s->by_actor, &pos, &key, &value)) {
        oc_free(value);
    }
    oc_map_destroy(s->by_actor);
    oc_free(s);
}

size_t gw_shares_held(const struct gw_shares *s, const char *actor) {
    const size_t *held = oc_map_get(s->by_actor, actor);
    return held ? *held : 0;
}

size_t gw_shares_taken(const struct gw_shares *s) {
    return s->taken;
}

bool gw_shares_may_take(const struct gw_shares *s, const char *actor) {
    return gw_shares_held(s, actor) < s->places - s->taken;
}

void gw_shares_take(struct gw_shares *s, const char *actor) {
    size_t *held = oc_map_get(s->by_actor, actor);
    if (!held) {
        held = oc_new(size_t);
        oc_map_put(s->by_actor, actor, held);
    }
    (*held)++;
    s->taken++;
}

void gw_shares_give_back(struct gw_shares *s, const char *actor) {
    size_t *held = oc_map_get(s->by_actor, actor);
    if (!held) {
        return;
    }
    s->taken--;
    if (--*held == 0) {
        oc_map_remove(s->by_actor, actor);
        oc_free(held);
    }
}
