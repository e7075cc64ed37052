/* Who pays for a canvas file while it is sent: its pieces take turns (lib/net/loop/turns.h), what
 * lies in memory is held (gateway/fairness/hold.h), and one party is sent so many at a time. The
 * party is of the pages of whoever may look, not that one's own: a browser that does not read costs
 * its node no connection. */
#ifndef GATEWAY_CANVAS_CANVAS_PAYER_H
#define GATEWAY_CANVAS_CANVAS_PAYER_H

#include "gateway/fairness/party.h"
#include "lib/net/loop/turns.h"
#include "lib/net/server/server.h"

/* actor: by whose right. units: work that was done for it already. It goes with its answer. NULL:
 * too many are being sent to its pages. */
struct oc_http_payer *gw_canvas_payer_create(
        struct oc_turns *turns, struct gw_parties *parties, const char *actor, unsigned units);

#endif
