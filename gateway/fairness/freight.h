/* Freight: messages that a caller has on the way to nodes. They lie in the queue of the node's
 * link, but the caller has caused them and answers for them: a node that reads slowly must not be
 * closed because somebody else sends it much.
 *
 * One caller may have OC_MAX_FREIGHT_OF_PARTY on the way, to whatever nodes. All together may have
 * OC_MAX_FREIGHT; beyond it there is still a little for everyone. What does not fit is refused, and
 * its caller is told. */
#ifndef GATEWAY_FAIRNESS_FREIGHT_H
#define GATEWAY_FAIRNESS_FREIGHT_H

#include "gateway/fairness/party.h"
#include "lib/net/ws/msg.h"

#include <stdbool.h>

/* False: it does not fit. Else it counts for the party until the message is gone. */
bool gw_freight_take(struct gw_party *party, struct oc_msg *m);

#endif
