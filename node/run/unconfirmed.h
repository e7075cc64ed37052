/* Ends of runs that the gateway has not confirmed: its audit has a row to fill.
 *
 * The exec.* event carries the end (node/run/run_result.h). One that was not answered, because the
 * connection or the gateway was gone, is said again after every hello until it is (a refusal is an
 * answer too); across a restart of the node by its log (node/run/log/run_log.h). */
#ifndef NODE_RUN_UNCONFIRMED_H
#define NODE_RUN_UNCONFIRMED_H

#include "lib/json/json.h"
#include "lib/protocol/frame.h"
#include "node/link/uplink.h"

#include <stdint.h>

#define ND_MAX_UNCONFIRMED 256 /* beyond it the oldest is given up */

struct nd_run_log; /* node/run/log/run_log.h */
struct nd_unconfirmed;

/* log: where it is noted what the gateway knows; may be NULL. */
struct nd_unconfirmed *nd_unconfirmed_create(struct nd_uplink *uplink, struct nd_run_log *log);
void nd_unconfirmed_destroy(struct nd_unconfirmed *u);
/* frame: number of the request that carries it now (nd_uplink.last_frame_id); 0: none does. u may
 * be NULL. */
void nd_unconfirmed_add(
        struct nd_unconfirmed *u, const char *log_id, cJSON *take_report, uint64_t frame);
void nd_unconfirmed_connected(struct nd_unconfirmed *u);
void nd_unconfirmed_answered(struct nd_unconfirmed *u, const struct oc_frame *frame);
/* For nd_command.on_repeat: this invoke asked for a run that is there already, and starts none. */
void nd_unconfirmed_repeat(struct nd_uplink *uplink, const char *invoke_id);

#endif
