/* Whether a client on this machine is of the same user: being on loopback proves nobody. */
#ifndef LIB_NET_SERVER_PEER_USER_H
#define LIB_NET_SERVER_PEER_USER_H

#include "lib/net/server/server.h"

/* This user's or root's, by the kernel's word. False also when the kernel does not tell. */
bool oc_peer_is_this_user(const struct oc_peer *peer);

#endif
