/* From connect to hello-ok: the checks of the protocol in their order, and the refusal of the first
 * that fails. */
#ifndef GATEWAY_HANDSHAKE_HANDSHAKE_H
#define GATEWAY_HANDSHAKE_HANDSHAKE_H

#include "lib/json/json.h"

struct gw_conn;
struct oc_connect;
struct oc_frame;

void gw_handshake(struct gw_conn *c, const struct oc_frame *frame);

/* The payload of hello-ok. take_auth: {role, scopes, deviceToken?, issuedAtMs?}. */
cJSON *gw_hello_build(struct gw_conn *c, cJSON *take_auth);
/* What a node whose commands wait for an approval is told next, as node.pair.requested, so that it
 * can tell its owner; NULL when nothing waits. Ours alone: hello-ok is a closed object. */
cJSON *gw_hello_waiting(const struct gw_conn *c);

/* Makes the connection a node: policy and surface decide what it may be used for, an older
 * connection of the device is replaced. Before hello-ok, which tells the node what became of it. */
void gw_node_admit(struct gw_conn *c, const struct oc_connect *connect);

#endif
