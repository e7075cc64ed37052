#include "gateway/fairness/party.h"

#include "gateway/fairness/party_priv.h"
#include "gateway/origin/locality.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

struct gw_parties *gw_parties_create(void) {
    struct gw_parties *p = oc_new(struct gw_parties);
    p->by_name = oc_map_create();
    for (size_t i = 0; i < GW_PARTY_KINDS; i++) {
        oc_list_init(&p->idle[i]);
    }
    oc_list_init(&p->holding);
    p->max_held_bytes = OC_MAX_HELD_BYTES;
    return p;
}

void gw_parties_on_calm(struct gw_parties *p, void (*on_calm)(void *user), void *user) {
    p->on_calm = on_calm;
    p->calm_user = user;
}

size_t gw_parties_held(const struct gw_parties *p) {
    return p->held_bytes;
}

static void free_party(struct gw_party *party) {
    oc_turn_finish(&party->turn);
    oc_free(party->name);
    oc_free(party);
}

void gw_parties_destroy(struct gw_parties *p) {
    if (!p) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(p->by_name, &pos, &key, &value)) {
        free_party(value);
    }
    oc_map_destroy(p->by_name);
    oc_free(p);
}

static void party_wake(struct gw_party *party) {
    oc_list_remove(&party->link);
    party->parties->idle_count[party->kind]--;
}

static struct gw_party *party_find(
        struct gw_parties *p, enum gw_party_kind kind, bool is_here, const char *name) {
    struct gw_party *party = oc_map_get(p->by_name, name);
    if (!party) {
        party = oc_new(struct gw_party);
        party->parties = p;
        party->kind = kind;
        party->is_here = is_here;
        party->name = oc_strdup(name);
        oc_list_init(&party->link);
        oc_list_init(&party->holding);
        oc_list_init(&party->holds);
        oc_turn_init(&party->turn);
        oc_map_put(p->by_name, name, party);
    } else if (party->refs == 0) {
        party_wake(party);
    }
    party->refs++;
    return party;
}

struct gw_party *gw_party_of_address(struct gw_parties *p, const char *ip, bool is_here) {
    if (is_here) {
        return party_find(p, GW_PARTY_ADDRESS, true, "here");
    }
    char network[OC_MAX_ADDR_TEXT];
    gw_ip_network(ip, network);
    return party_find(p, GW_PARTY_ADDRESS, false, network);
}

struct gw_party *gw_party_of_device(struct gw_parties *p, const char *device_id) {
    return party_find(p, GW_PARTY_DEVICE, false, device_id);
}

struct gw_party *gw_party_of_secret(struct gw_parties *p) {
    return party_find(p, GW_PARTY_SECRET, false, "shared-secret");
}

struct gw_party *gw_party_of_pages(struct gw_parties *p, const char *actor) {
    OC_AUTO_FREE char *name = oc_strfmt("pages of %s", actor);
    return party_find(p, GW_PARTY_PAGES, false, name);
}

struct gw_party *gw_party_ref(struct gw_party *party) {
    party->refs++;
    return party;
}

void gw_party_unref(struct gw_party *party) {
    if (!party || --party->refs > 0) {
        return;
    }
    struct gw_parties *p = party->parties;
    oc_list_append(&p->idle[party->kind], &party->link);
    if (++p->idle_count[party->kind] > OC_MAX_IDLE_PARTIES) {
        struct gw_party *oldest = oc_list_first(&p->idle[party->kind], struct gw_party, link);
        party_wake(oldest);
        oc_map_remove(p->by_name, oldest->name);
        free_party(oldest);
    }
}

unsigned gw_party_max_connections(const struct gw_party *party) {
    switch (party->kind) {
    case GW_PARTY_DEVICE:
        return OC_MAX_CONNS_PER_DEVICE;
    case GW_PARTY_SECRET:
        return OC_MAX_CONNS_OF_SECRET;
    case GW_PARTY_PAGES:
        return OC_MAX_CONNS_PER_DEVICE; /* gateway/canvas/canvas_watch.h has limits of its own */
    case GW_PARTY_ADDRESS:
        break;
    }
    return party->is_here ? OC_MAX_PREAUTH_LOCAL : OC_MAX_PREAUTH_PER_IP;
}

static bool is_stranger(const struct gw_party *party) {
    return party->kind == GW_PARTY_ADDRESS && !party->is_here;
}

struct oc_turn *gw_party_turn(struct gw_party *party, struct oc_turns *turns) {
    return is_stranger(party) ? &turns->strangers : &party->turn;
}

static bool has_places(const struct gw_party *party, unsigned wanted) {
    return party->connections + wanted <= gw_party_max_connections(party) &&
           (!is_stranger(party) || party->parties->strangers < OC_MAX_PREAUTH_REMOTE);
}

bool gw_party_is_crowded(const struct gw_party *party) {
    return !has_places(party, party->is_here ? OC_MAX_PREAUTH_OWNER + 1 : 1);
}

bool gw_party_enter(struct gw_party *party) {
    struct gw_parties *p = party->parties;
    if (!has_places(party, 1)) {
        return false;
    }
    party->connections++;
    p->strangers += is_stranger(party);
    return true;
}

void gw_party_leave(struct gw_party *party) {
    party->connections--;
    party->parties->strangers -= is_stranger(party);
}

struct oc_log_cause gw_party_log_cause(const struct gw_party *party) {
    unsigned max = party->kind != GW_PARTY_ADDRESS ? OC_MAX_LOG_OF_DEVICE
                   : party->is_here                ? OC_MAX_LOG_OF_HERE
                                                   : OC_MAX_LOG_OF_STRANGER;
    return (struct oc_log_cause){ party->name, max, party->kind == GW_PARTY_ADDRESS };
}

bool gw_allowance_take(struct gw_allowance *a, int64_t now_ms, int64_t window_ms, unsigned max) {
    if (a->used == 0 || now_ms - a->since_ms >= window_ms) {
        *a = (struct gw_allowance){ .since_ms = now_ms };
    }
    a->used += a->used < max + 1;
    return a->used <= max;
}
