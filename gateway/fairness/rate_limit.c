/* Entries sit in a map and in a list by last failure, oldest first. A full table drops the oldest
 * entry that is not locked, so that a flood from many addresses does not set a locked one free. */
#include "gateway/fairness/rate_limit.h"

#include "gateway/origin/locality.h"
#include "lib/base/list.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <stdio.h>

#define MAX_ENTRIES 2048
#define MAX_KEY (OC_MAX_ADDR_TEXT + 16)

struct rate_entry {
    struct oc_list link; /* gw_rate_limit.by_age */
    char key[MAX_KEY];
    int64_t first_ms, locked_until_ms;
    int64_t failures;
};

struct gw_rate_limit {
    const struct oc_clock *clock;
    int64_t max_attempts, window_ms, lockout_ms;
    struct oc_map *by_key;
    struct oc_list by_age; /* entry.link */
};

struct gw_rate_limit *gw_rate_limit_create(const struct oc_clock *clock) {
    struct gw_rate_limit *r = oc_new(struct gw_rate_limit);
    r->clock = clock;
    r->max_attempts = INT64_MAX;
    r->by_key = oc_map_create();
    oc_list_init(&r->by_age);
    return r;
}

void gw_rate_limit_configure(
        struct gw_rate_limit *r, int64_t max_attempts, int64_t window_ms, int64_t lockout_ms) {
    r->max_attempts = max_attempts;
    r->window_ms = window_ms;
    r->lockout_ms = lockout_ms;
}

static void rate_limit_drop(struct gw_rate_limit *r, struct rate_entry *e) {
    oc_map_remove(r->by_key, e->key);
    oc_list_remove(&e->link);
    oc_free(e);
}

void gw_rate_limit_destroy(struct gw_rate_limit *r) {
    if (!r) {
        return;
    }
    while (!oc_list_empty(&r->by_age)) {
        rate_limit_drop(r, oc_list_first(&r->by_age, struct rate_entry, link));
    }
    oc_map_destroy(r->by_key);
    oc_free(r);
}

static void make_key(enum gw_credential cred, const char *ip, char ret[MAX_KEY]) {
    char network[OC_MAX_ADDR_TEXT];
    gw_ip_network(ip, network);
    snprintf(ret, MAX_KEY, "%d/%s", (int)cred, network);
}

static struct rate_entry *rate_limit_find(
        struct gw_rate_limit *r, enum gw_credential cred, const char *ip) {
    char key[MAX_KEY];
    make_key(cred, ip, key);
    return oc_map_get(r->by_key, key);
}

int64_t gw_rate_limit_wait_ms(struct gw_rate_limit *r, enum gw_credential cred, const char *ip) {
    struct rate_entry *e = rate_limit_find(r, cred, ip);
    int64_t now = oc_mono_ms(r->clock);
    return e && e->locked_until_ms > now ? e->locked_until_ms - now : 0;
}

static void make_room(struct gw_rate_limit *r) {
    if (oc_map_count(r->by_key) < MAX_ENTRIES) {
        return;
    }
    int64_t now = oc_mono_ms(r->clock);
    struct rate_entry *e;
    oc_list_for_each(e, &r->by_age, link) {
        if (e->locked_until_ms <= now) {
            rate_limit_drop(r, e);
            return;
        }
    }
    rate_limit_drop(r, oc_list_first(&r->by_age, struct rate_entry, link));
}

void gw_rate_limit_failed(struct gw_rate_limit *r, enum gw_credential cred, const char *ip) {
    int64_t now = oc_mono_ms(r->clock);
    struct rate_entry *e = rate_limit_find(r, cred, ip);
    if (!e) {
        make_room(r);
        e = oc_new(struct rate_entry);
        make_key(cred, ip, e->key);
        e->first_ms = now;
        oc_map_put(r->by_key, e->key, e);
    } else {
        oc_list_remove(&e->link);
    }
    oc_list_append(&r->by_age, &e->link);
    if (now - e->first_ms >= r->window_ms) {
        e->first_ms = now;
        e->failures = 0;
    }
    e->failures++;
    if (e->failures >= r->max_attempts) {
        e->locked_until_ms = now + r->lockout_ms;
        e->failures = 0;
        e->first_ms = now;
    }
}

void gw_rate_limit_succeeded(struct gw_rate_limit *r, enum gw_credential cred, const char *ip) {
    struct rate_entry *e = rate_limit_find(r, cred, ip);
    if (e) {
        rate_limit_drop(r, e);
    }
}
