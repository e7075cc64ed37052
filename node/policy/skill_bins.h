/* Programs that the gateway's skills need (docs/EXEC.md#policy), for owners who set
 * autoAllowSkills.
 *
 * The gateway is asked when a command would be refused without them, and its answer is believed for
 * 90 seconds. What it cannot say is no name. */
#ifndef NODE_POLICY_SKILL_BINS_H
#define NODE_POLICY_SKILL_BINS_H

#include "lib/base/str.h"
#include "node/call/call.h"

struct nd_skill_bins;

struct nd_skill_bins *nd_skill_bins_create(struct oc_loop *loop, struct nd_uplink *uplink);
/* After the calls and the link are gone. */
void nd_skill_bins_destroy(struct nd_skill_bins *s);

/* The names, borrowed; NULL when they are not known now. s may be NULL. */
const struct oc_strv *nd_skill_bins_now(const struct nd_skill_bins *s);

/* Asks the gateway and starts the call again when it knows, with nd_skill_bins_now then not NULL.
 * The call must hold no work. False when there is nobody to ask: go on without. */
bool nd_skill_bins_wait(
        struct nd_skill_bins *s, struct nd_call *call, void (*start)(struct nd_call *call));

#endif
