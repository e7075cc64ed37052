/* All connections of a gateway, and what they share. */
#ifndef GATEWAY_CONN_CONNS_H
#define GATEWAY_CONN_CONNS_H

#include "gateway/conn/presence.h"
#include "gateway/fairness/party.h"
#include "gateway/settings/config.h"
#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/list.h"
#include "lib/net/loop/loop.h"
#include "lib/net/loop/turns.h"
#include "lib/protocol/frame.h"

#include <stdbool.h>
#include <stdint.h>

struct gw_conn;
struct gw_gateway;

/* What a connection leads to; the rooms above say. */
struct gw_conn_hooks {
    /* Its first request, which is connect. Answers, and the connection is ready or closes. */
    void (*on_connect)(struct gw_conn *c, const struct oc_frame *frame);
    /* A request after that; text is what the frame lies in. */
    void (*on_request)(struct gw_conn *c, const struct oc_frame *frame, struct oc_blob *text);
    /* What a node said was too large to be read. */
    void (*on_unread)(struct gw_conn *c, struct oc_slice text);
    void (*on_drained)(struct gw_conn *c); /* it has read what was sent to it */
    /* Nobody reaches it any more: what it was part of is to be settled. */
    void (*on_detached)(struct gw_conn *c);
    void (*on_gone)(struct gw_gateway *gw); /* one of them was freed */
};

struct gw_conns {
    /* Borrowed. */
    struct oc_loop *loop;
    const struct oc_clock *clock;
    struct oc_turns *turns;
    struct gw_parties *parties;
    const struct gw_config *cfg;
    struct gw_presence *presence;
    const struct gw_conn_hooks *hooks;
    struct gw_gateway *gw; /* whose they are, for the rooms above: nothing here looks into it */

    struct oc_list list; /* gw_conn.link, every state */
    int64_t seq;         /* of broadcasts to protocol 3 clients */
    int64_t health_version;
    bool is_stopping;     /* none comes in any more */
    bool warned_of_proxy; /* once is enough */
};

#endif
