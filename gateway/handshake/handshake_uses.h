/* What handshakes work with, and what decides what a node may be used for; borrowed for the
 * gateway's life. */
#ifndef GATEWAY_HANDSHAKE_HANDSHAKE_USES_H
#define GATEWAY_HANDSHAKE_HANDSHAKE_USES_H

#include "gateway/conn/conns.h"
#include "gateway/fairness/rate_limit.h"
#include "gateway/invoke/invoke.h"
#include "gateway/nodes/nodes.h"
#include "gateway/nodes/roster.h"
#include "gateway/pairing/pairing.h"
#include "gateway/pairing/surface.h"
#include "gateway/store/store.h"
#include "lib/json/json.h"

struct gw_handshake_uses {
    struct gw_conns *conns;
    struct gw_store *store;
    struct gw_pairing *pairing;
    struct gw_surface *surface;
    struct gw_rate_limit *rate;
    struct gw_nodes *nodes;
    struct gw_roster *roster;
    struct gw_invokes *invokes;
    /* Answers connect with hello-ok and what is told next. take_auth: {role, scopes, deviceToken?,
     * issuedAtMs?}. */
    void (*accept)(struct gw_conn *c, const char *request_id, cJSON *take_auth);
};

#endif
