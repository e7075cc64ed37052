/* What party.c and hold.c share. */
#ifndef GATEWAY_FAIRNESS_PARTY_PRIV_H
#define GATEWAY_FAIRNESS_PARTY_PRIV_H

#include "gateway/fairness/party.h"
#include "lib/base/map.h"

#define GW_PARTY_KINDS (GW_PARTY_PAGES + 1)
#define GW_CALM_BYTES ((size_t)4 * 1024 * 1024) /* from so much on it is worth giving back */

struct gw_parties {
    struct oc_map *by_name; /* struct gw_party *, owned */
    struct oc_list idle[GW_PARTY_KINDS];
    unsigned idle_count[GW_PARTY_KINDS];
    unsigned strangers; /* connections of addresses, those that are here excluded */

    struct oc_list holding; /* gw_party.holding: those that hold bytes */
    size_t held_bytes, held_peak, max_held_bytes;
    size_t freight_bytes; /* gateway/fairness/freight.h */
    bool is_making_room;
    void (*on_calm)(void *user);
    void *calm_user;
};

#endif
