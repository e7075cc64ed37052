/* From connect to hello-ok: the checks of the protocol in their order, and the refusal of the first
 * that fails. */
#ifndef GATEWAY_HANDSHAKE_HANDSHAKE_H
#define GATEWAY_HANDSHAKE_HANDSHAKE_H

#include "gateway/handshake/handshake_uses.h"

struct gw_conn;
struct oc_connect;
struct oc_frame;

void gw_handshake(
        const struct gw_handshake_uses *uses, struct gw_conn *c, const struct oc_frame *frame);

/* Makes the connection a node: policy and surface decide what it may be used for, an older
 * connection of the device is replaced. Before hello-ok, which tells the node what became of it. */
void gw_node_admit(
        const struct gw_handshake_uses *uses, struct gw_conn *c, const struct oc_connect *connect);

#endif
