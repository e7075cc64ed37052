/* Questions to the person at this machine about commands that the gateway's operators are asked
 * about at the same time. Whoever answers first decides; the other question is taken back.
 *
 *   open ─┬─ answered here ─▶ the gateway is told (node.event "node.exec.prompted")
 *         ├─ the gateway says that it is settled ─▶ take_back
 *         └─ out of time, or the connection is lost ─▶ gone
 *
 * An answer is an approval like any other: the command comes back with it and is judged then. */
#ifndef NODE_OWNER_ASKS_H
#define NODE_OWNER_ASKS_H

#include "lib/base/list.h"
#include "lib/json/json.h"

#define ND_MAX_ASKS 16 /* at a time */

struct nd_desktop;
struct nd_uplink;

struct nd_asks {
    struct nd_desktop *desktop;
    struct nd_uplink *uplink; /* hears the answers */
    struct oc_list open;      /* of its own */
};

void nd_asks_init(struct nd_asks *asks, struct nd_desktop *desktop, struct nd_uplink *uplink);
/* request as nd_prompter_ask's. Where somebody is asked: "terminal" or "desktop"; NULL: nobody can
 * be. A second question about the same approval is none. */
const char *nd_asks_open(struct nd_asks *asks, const char *approval_id, const cJSON *request);
void nd_asks_take_back(struct nd_asks *asks, const char *approval_id);
void nd_asks_take_back_all(struct nd_asks *asks);

#endif
