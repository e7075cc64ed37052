/* Is the gateway that a node is connected to the owner's own: the same user, on this machine, with
 * this state directory?
 *
 * An address or a port proves nothing, and the kernel's word about the user is not enough either:
 * `ssh -L` brings a gateway from elsewhere to a port of this user, also to the gateway's own port
 * on another loopback address, or on the same one while the gateway is away. So three things must
 * hold: the peer is on loopback, the kernel says that the socket at the other end is this user's,
 * and the process that holds the lock of this state directory now has that very socket. */
#ifndef NODE_LINK_OWN_GATEWAY_H
#define NODE_LINK_OWN_GATEWAY_H

#include "node/place.h"

#include <stdbool.h>

/* fd: the connection; below 0: there is none. Whatever cannot be found out means no. */
bool nd_own_gateway(const char *state_dir, int fd);
/* Where the gateway of this state directory is by its own files, as the command line finds it: the
 * port that it holds now; path, TLS and the pin of its certificate by the config. False: none runs,
 * or they do not tell. */
bool nd_own_gateway_place(
        const char *state_dir, const cJSON *config, const char *host, struct nd_place *ret);

#endif
