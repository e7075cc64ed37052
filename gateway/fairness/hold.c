#include "gateway/fairness/hold.h"

#include "gateway/fairness/party_priv.h"
#include "lib/base/mem.h"

void gw_hold_init(
        struct gw_hold *h, struct gw_party *party, void (*release_hold)(struct gw_hold *h)) {
    *h = (struct gw_hold){ .party = gw_party_ref(party), .release_hold = release_hold };
    oc_list_init(&h->link);
}

static void take_out(struct gw_hold *h) {
    struct gw_party *party = h->party;
    party->held_bytes -= h->bytes;
    party->parties->held_bytes -= h->bytes;
    oc_list_remove(&h->link);
    if (oc_list_empty(&party->holds)) {
        oc_list_remove(&party->holding);
    }
}

static void put_in(struct gw_hold *h, size_t bytes) {
    struct gw_party *party = h->party;
    struct gw_parties *all = party->parties;
    h->bytes = bytes;
    party->held_bytes += bytes;
    all->held_bytes += bytes;
    all->held_peak = all->held_bytes > all->held_peak ? all->held_bytes : all->held_peak;
    if (bytes == 0) {
        return;
    }
    if (oc_list_empty(&party->holds)) {
        oc_list_append(&all->holding, &party->holding);
    }
    oc_list_append(&party->holds, &h->link);
}

static struct gw_hold *largest_of(const struct gw_party *party) {
    struct gw_hold *h, *most = NULL;
    oc_list_for_each(h, &party->holds, link) {
        if (!h->is_released && (!most || h->bytes > most->bytes)) {
            most = h;
        }
    }
    return most;
}

/* Of the party with most that has anything left to let go of. */
static struct gw_hold *next_to_go(const struct gw_parties *all) {
    struct gw_hold *best = NULL;
    struct gw_party *party;
    oc_list_for_each(party, &all->holding, holding) {
        if (best && party->held_bytes <= best->party->held_bytes) {
            continue;
        }
        struct gw_hold *h = largest_of(party);
        best = h ? h : best;
    }
    return best;
}

static void make_room(struct gw_parties *all) {
    if (all->is_making_room) {
        return; /* somebody releases some */
    }
    all->is_making_room = true;
    while (all->held_bytes > all->max_held_bytes) {
        struct gw_hold *h = next_to_go(all);
        if (!h) {
            break;
        }
        h->is_released = true;
        h->release_hold(h);
    }
    all->is_making_room = false;
}

static bool is_calm(const struct gw_parties *all) {
    return all->held_peak >= GW_CALM_BYTES && all->held_bytes <= all->held_peak / 4;
}

void gw_hold_set(struct gw_hold *h, size_t bytes) {
    if (bytes == h->bytes) {
        return;
    }
    struct gw_parties *all = h->party->parties;
    take_out(h);
    put_in(h, bytes);
    make_room(all);
    if (all->on_calm && is_calm(all)) {
        all->held_peak = all->held_bytes;
        all->on_calm(all->calm_user);
    }
}

void gw_hold_move(struct gw_hold *h, struct gw_party *party) {
    size_t bytes = h->bytes;
    struct gw_party *before = h->party;
    take_out(h);
    h->party = gw_party_ref(party);
    put_in(h, bytes);
    gw_party_unref(before);
}

void gw_hold_finish(struct gw_hold *h) {
    if (h->party) {
        gw_hold_set(h, 0);
        gw_party_unref(oc_take(&h->party));
    }
}
