/* Whether this machine was paired with a gateway before. */
#ifndef NODE_LINK_ENROLLED_H
#define NODE_LINK_ENROLLED_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* True when node.json names this gateway and a device token for the role node is kept. A file that
 * cannot be read counts as not paired; starting the node says what is wrong with it. */
bool nd_is_enrolled(const char *state_dir, const char *host, uint16_t port);

/* A device token that was kept without a gateway's name is of the one that node.json names. */
void nd_adopt_token(const char *state_dir, const char *device_id);

#endif
