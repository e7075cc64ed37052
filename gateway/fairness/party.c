#include "gateway/fairness/party.h"

#include "gateway/fairness/party_priv.h"
#include "gateway/origin/locality.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

struct oc_parties *oc_parties_create(void) {
    struct oc_parties *p = oc_new(struct oc_parties);
    p->by_name = oc_map_create();
    for (size_t i = 0; i < OC_PARTY_KINDS; i++) {
        oc_list_init(&p->idle[i]);
    }
    oc_list_init(&p->holding);
    p->max_held_bytes = OC_MAX_HELD_BYTES;
    return p;
}

void oc_parties_on_calm(struct oc_parties *p, void (*on_calm)(void *user), void *user) {
    p->on_calm = on_calm;
    p->calm_user = user;
}

size_t oc_parties_held(const struct oc_parties *p) {
    return p->held_bytes;
}

static void free_party(struct oc_party *party) {
    oc_turn_finish(&party->turn);
    oc_free(party->name);
    oc_free(party);
}

void oc_parties_destroy(struct oc_parties *p) {
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

static void wake(struct oc_party *party) {
    oc_list_remove(&party->link);
    party->parties->idle_count[party->kind]--;
}

static struct oc_party *find(
        struct oc_parties *p, enum oc_party_kind kind, bool is_here, const char *name) {
    struct oc_party *party = oc_map_get(p->by_name, name);
    if (!party) {
        party = oc_new(struct oc_party);
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
        wake(party);
    }
    party->refs++;
    return party;
}

struct oc_party *oc_party_of_address(struct oc_parties *p, const char *ip, bool is_here) {
    if (is_here) {
        return find(p, OC_PARTY_ADDRESS, true, "here");
    }
    char network[OC_MAX_ADDR_TEXT];
    oc_ip_network(ip, network);
    return find(p, OC_PARTY_ADDRESS, false, network);
}

struct oc_party *oc_party_of_device(struct oc_parties *p, const char *device_id) {
    return find(p, OC_PARTY_DEVICE, false, device_id);
}

struct oc_party *oc_party_of_secret(struct oc_parties *p) {
    return find(p, OC_PARTY_SECRET, false, "shared-secret");
}

struct oc_party *oc_party_of_pages(struct oc_parties *p, const char *actor) {
    OC_AUTO_FREE char *name = oc_strfmt("pages of %s", actor);
    return find(p, OC_PARTY_PAGES, false, name);
}

struct oc_party *oc_party_ref(struct oc_party *party) {
    party->refs++;
    return party;
}

void oc_party_unref(struct oc_party *party) {
    if (!party || --party->refs > 0) {
        return;
    }
    struct oc_parties *p = party->parties;
    oc_list_append(&p->idle[party->kind], &party->link);
    if (++p->idle_count[party->kind] > OC_MAX_IDLE_PARTIES) {
        struct oc_party *oldest = oc_list_first(&p->idle[party->kind], struct oc_party, link);
        wake(oldest);
        oc_map_remove(p->by_name, oldest->name);
        free_party(oldest);
    }
}

unsigned oc_party_max_connections(const struct oc_party *party) {
    switch (party->kind) {
    case OC_PARTY_DEVICE:
        return OC_MAX_CONNS_PER_DEVICE;
    case OC_PARTY_SECRET:
        return OC_MAX_CONNS_OF_SECRET;
    case OC_PARTY_PAGES:
        return OC_MAX_CONNS_PER_DEVICE; /* gateway/canvas/canvas_watch.h has limits of its own */
    case OC_PARTY_ADDRESS:
        break;
    }
    return party->is_here ? OC_MAX_PREAUTH_LOCAL : OC_MAX_PREAUTH_PER_IP;
}

static bool is_stranger(const struct oc_party *party) {
    return party->kind == OC_PARTY_ADDRESS && !party->is_here;
}

struct oc_turn *oc_party_turn(struct oc_party *party, struct oc_turns *turns) {
    return is_stranger(party) ? &turns->strangers : &party->turn;
}

static bool has_places(const struct oc_party *party, unsigned wanted) {
    return party->connections + wanted <= oc_party_max_connections(party) &&
           (!is_stranger(party) || party->parties->strangers < OC_MAX_PREAUTH_REMOTE);
}

bool oc_party_is_crowded(const struct oc_party *party) {
    return !has_places(party, party->is_here ? OC_MAX_PREAUTH_OWNER + 1 : 1);
}

bool oc_party_enter(struct oc_party *party) {
    struct oc_parties *p = party->parties;
    if (!has_places(party, 1)) {
        return false;
    }
    party->connections++;
    p->strangers += is_stranger(party);
    return true;
}

void oc_party_leave(struct oc_party *party) {
    party->connections--;
    party->parties->strangers -= is_stranger(party);
}

struct oc_log_cause oc_party_log_cause(const struct oc_party *party) {
    unsigned max = party->kind != OC_PARTY_ADDRESS ? OC_MAX_LOG_OF_DEVICE
                   : party->is_here                ? OC_MAX_LOG_OF_HERE
                                                   : OC_MAX_LOG_OF_STRANGER;
    return (struct oc_log_cause){ party->name, max, party->kind == OC_PARTY_ADDRESS };
}

bool oc_allowance_take(struct oc_allowance *a, int64_t now_ms, int64_t window_ms, unsigned max) {
    if (a->used == 0 || now_ms - a->since_ms >= window_ms) {
        *a = (struct oc_allowance){ .since_ms = now_ms };
    }
    a->used += a->used < max + 1;
    return a->used <= max;
}
