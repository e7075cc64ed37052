/* The event gateway.moved: the gateway will be elsewhere, or prove itself by another certificate.
 * Which of that a node believes.
 *
 * What a connection has proven decides. Over TLS the gateway may name another certificate, port or
 * host, but nothing without TLS. Without TLS, but on this machine, where the kernel says whose the
 * other end is, it may name another port or TLS, and no other host. Over a plain network nothing is
 * proven: there it may only add TLS where it is, which leaves an impostor with less than it had.
 * docs/SECURITY.md#who-is-at-the-other-end */
#ifndef NODE_LINK_MOVES_H
#define NODE_LINK_MOVES_H

#include "node/place.h"

enum nd_move {
    ND_MOVE_NONE,    /* it is where it was */
    ND_MOVE_FOLLOW,  /* *ret is where it will be */
    ND_MOVE_REFUSED, /* the error says why */
    ND_MOVE_NO_TLS,  /* the same: it would lead away from TLS, which only the owner can want */
};

/* at: where it is now, over the connection that this came by. is_named: the kernel named the owner
 * of the other end, who counts as ours. ret is filled for FOLLOW only. */
enum nd_move nd_move_judge(const cJSON *payload, const struct nd_place *at, bool is_named,
        struct nd_place *ret, struct oc_error *err);

#endif
