/* Bytes that are kept in memory for somebody: half a message that is coming in, answers that nobody
 * reads. One ceiling lies over all of them together (OC_MAX_HELD_BYTES). Above it the party that
 * holds most (gateway/fairness/party.h) releases the largest thing it holds, and again, until the
 * rest fits.
 *
 * A hold is one such thing: a connection, a page. What letting go means is its owner's business:
 * these two close. Where one link will carry several parties, each has a hold of its own there,
 * whose owner cancels that party's calls and keeps the link; no link does so yet. */
#ifndef GATEWAY_FAIRNESS_HOLD_H
#define GATEWAY_FAIRNESS_HOLD_H

#include "gateway/fairness/party.h"
#include "lib/base/list.h"

#include <stdbool.h>
#include <stddef.h>

struct gw_hold {
    struct gw_party *party; /* a reference */
    struct oc_list link;    /* gw_party.holds, while it has bytes */
    size_t bytes;
    bool is_released; /* asked for already: it does not have more to give */
    /* Give the bytes back before returning (gw_hold_set, from in here too), and do all else later,
     * from the loop: any handler may be on the stack. Called at most once. */
    void (*release_hold)(struct gw_hold *h);
};

void gw_hold_init(
        struct gw_hold *h, struct gw_party *party, void (*release_hold)(struct gw_hold *h));
/* It holds this much now. May let go of any hold, this one included. */
void gw_hold_set(struct gw_hold *h, size_t bytes);
/* It is another party's from now on. */
void gw_hold_move(struct gw_hold *h, struct gw_party *party);
void gw_hold_finish(struct gw_hold *h);

#endif
