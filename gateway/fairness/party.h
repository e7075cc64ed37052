/* Acting parties: for whom a connection is open and a call is made. Whatever one of them could take
 * away from the others (connections, memory, time) is counted for the party and never for the
 * connection alone, because a party opens as many connections as it likes.
 *
 *   GW_PARTY_ADDRESS   somebody who has not proven anything: an IPv4 address, an IPv6 /64, or
 *                      "here" for programs on this machine that are not behind a proxy
 *   GW_PARTY_SECRET    operators without a device who know the shared secret: the owner
 *   GW_PARTY_DEVICE    a paired device, whatever its roles
 *   GW_PARTY_PAGES     browsers that watch by addresses that one of the others made: what they hold
 *                      is not its maker's own
 *
 * gw_conn.party is the connection's own, gw_call.party the one that a call is made for; count a
 * call for the latter. They are the same today. A client that acts for others (agents, sessions)
 * gets a kind of its own here, and its calls point to the party that they are for while the
 * connection stays the client's.
 *
 * A record stays for a while when nobody refers to it, so that who comes back at once finds its
 * counters as they were. */
#ifndef GATEWAY_FAIRNESS_PARTY_H
#define GATEWAY_FAIRNESS_PARTY_H

#include "lib/base/list.h"
#include "lib/log/log_blame.h"
#include "lib/net/loop/turns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gw_party_kind { GW_PARTY_ADDRESS, GW_PARTY_SECRET, GW_PARTY_DEVICE, GW_PARTY_PAGES };

struct gw_parties;

/* So many within a window. */
struct gw_allowance {
    int64_t since_ms;
    unsigned used;
};
/* True: one was taken. */
bool gw_allowance_take(struct gw_allowance *a, int64_t now_ms, int64_t window_ms, unsigned max);

struct gw_party {
    struct gw_parties *parties;
    struct oc_list link; /* while nobody refers to it: among those, oldest first */
    enum gw_party_kind kind;
    bool is_here; /* an address: a program on this machine */
    char *name;   /* as audit and shares know it: the device's id, "shared-secret", or an address */
    unsigned refs;

    unsigned connections;

    /* gateway/fairness/hold.h */
    struct oc_list holding; /* among the parties that hold bytes */
    struct oc_list holds;   /* gw_hold.link */
    size_t held_bytes;
    size_t freight_bytes; /* gateway/fairness/freight.h */
    struct gw_allowance agent_requests, pair_requests;
    struct oc_turn turn; /* strangers from elsewhere have one together, in oc_turns */
};

struct gw_parties *gw_parties_create(void);
void gw_parties_destroy(struct gw_parties *p); /* nobody may refer to one any more */

/* Told when most of what was held for all of them has been given back. */
void gw_parties_on_calm(struct gw_parties *p, void (*on_calm)(void *user), void *user);
size_t gw_parties_held(const struct gw_parties *p);

/* Each returns a reference. */
struct gw_party *gw_party_of_address(struct gw_parties *p, const char *ip, bool is_here);
struct gw_party *gw_party_of_device(struct gw_parties *p, const char *device_id);
struct gw_party *gw_party_of_secret(struct gw_parties *p);
struct gw_party *gw_party_of_pages(struct gw_parties *p, const char *actor);
struct gw_party *gw_party_ref(struct gw_party *party);
void gw_party_unref(struct gw_party *party); /* NULL is fine */

/* Whose turn it has: strangers share one. */
struct oc_turn *gw_party_turn(struct gw_party *party, struct oc_turns *turns);

/* Who lines of the log are because of. Borrows the name. */
struct oc_log_cause gw_party_log_cause(const struct gw_party *party);

/* Whether another connection would take a place that is kept for the owner, or none is left. */
bool gw_party_is_crowded(const struct gw_party *party);
/* A connection for this party. False: it has as many as it may have, or its kind has; else
 * gw_party_leave later, once. */
bool gw_party_enter(struct gw_party *party);
void gw_party_leave(struct gw_party *party);
/* How many it may have. */
unsigned gw_party_max_connections(const struct gw_party *party);

#endif
