#include "gateway/invoke/replay.h"

#include "gateway/fairness/shares.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <stdio.h>

struct gw_replay {
    const struct oc_clock *clock;
    struct gw_replay_limits limits;
    struct oc_map *by_key; /* gw_replay_entry */
    struct gw_shares *shares;
    struct oc_list done; /* gw_replay_entry.link, oldest first */
    size_t bytes;        /* of remembered answers */
};

struct gw_replay *gw_replay_create(
        const struct oc_clock *clock, const struct gw_replay_limits *limits) {
    struct gw_replay *r = oc_new(struct gw_replay);
    r->clock = clock;
    r->limits = *limits;
    r->by_key = oc_map_create();
    r->shares = gw_shares_create(limits->max_entries);
    oc_list_init(&r->done);
    return r;
}

static void forget_answer(struct gw_replay *r, struct gw_replay_entry *e) {
    if (e->answer) {
        r->bytes -= e->answer->len;
        oc_blob_unref(e->answer);
        e->answer = NULL;
    }
}

static void free_entry(struct gw_replay *r, struct gw_replay_entry *e) {
    oc_list_remove(&e->link);
    forget_answer(r, e);
    gw_shares_give_back(r->shares, e->actor);
    oc_free(e->key);
    oc_free(e->actor);
    oc_free(e->node_id);
    oc_free(e->command);
    oc_free(e);
}

void gw_replay_drop(struct gw_replay *r, struct gw_replay_entry *e) {
    oc_map_remove(r->by_key, e->key);
    free_entry(r, e);
}

void gw_replay_destroy(struct gw_replay *r) {
    if (!r) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(r->by_key, &pos, &key, &value)) {
        free_entry(r, value);
    }
    oc_map_destroy(r->by_key);
    gw_shares_destroy(r->shares);
    oc_free(r);
}

static void drop_expired(struct gw_replay *r) {
    int64_t now = oc_mono_ms(r->clock);
    while (!oc_list_empty(&r->done)) {
        struct gw_replay_entry *e = oc_list_first(&r->done, struct gw_replay_entry, link);
        if (now - e->done_at_ms < r->limits.ttl_ms) {
            return;
        }
        gw_replay_drop(r, e);
    }
}

/* Actors are device ids or a word of ours, so the line feed cannot be forged. */
static char *full_key(const char *actor, const char *key) {
    return oc_strfmt("%s\n%s", actor, key);
}

struct gw_replay_entry *gw_replay_find(struct gw_replay *r, const char *actor, const char *key) {
    drop_expired(r);
    OC_AUTO_FREE char *full = full_key(actor, key);
    return oc_map_get(r->by_key, full);
}

bool gw_replay_same_request(const struct gw_replay_entry *e, const char *node_id,
        const char *command, const char *params_hash) {
    return oc_streq(e->node_id, node_id) && oc_streq(e->command, command) &&
           oc_streq(e->params_hash, params_hash);
}

struct gw_replay_entry *gw_replay_begin(struct gw_replay *r, const char *actor, const char *key,
        const char *node_id, const char *command, const char *params_hash, void *running) {
    struct gw_replay_entry *e = oc_new(struct gw_replay_entry);
    e->key = full_key(actor, key);
    e->actor = oc_strdup(actor);
    gw_shares_take(r->shares, actor);
    e->node_id = oc_strdup(node_id);
    e->command = oc_strdup(command);
    snprintf(e->params_hash, sizeof(e->params_hash), "%s", params_hash);
    e->running = running;
    oc_list_init(&e->link);
    oc_map_put(r->by_key, e->key, e);
    return e;
}

void gw_replay_finish(struct gw_replay *r, struct gw_replay_entry *e, struct oc_blob *take_answer) {
    e->running = NULL;
    e->done_at_ms = oc_mono_ms(r->clock);
    e->answer = take_answer;
    r->bytes += take_answer ? take_answer->len : 0;
    oc_list_append(&r->done, &e->link);
    struct gw_replay_entry *old;
    oc_list_for_each(old, &r->done, link) {
        if (r->bytes <= r->limits.max_bytes) {
            break;
        }
        forget_answer(r, old);
    }
}

bool gw_replay_has_room(struct gw_replay *r, const char *actor) {
    drop_expired(r);
    return gw_shares_may_take(r->shares, actor);
}

size_t gw_replay_bytes(const struct gw_replay *r) {
    return r->bytes;
}
