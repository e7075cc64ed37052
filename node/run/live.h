/* A run's output on its way to whoever watches: node.invoke.progress, chunk by chunk.
 *
 * A chunk is text as long as the bytes are whole UTF-8 characters, and base64 otherwise, so that
 * what arrives is what was written. Only so many chunks are on their way at a time: the gateway
 * answers each one when its caller has room again, and until then the program's pipes are not read,
 * so it waits and nobody's memory grows. */
#ifndef NODE_RUN_LIVE_H
#define NODE_RUN_LIVE_H

#include "lib/protocol/frame.h"
#include "node/call/call.h"
#include "node/process/process.h"

#define ND_LIVE_WINDOW 16   /* chunks without answer */
#define ND_LIVE_CHUNK 12288 /* bytes; in base64 what a chunk may hold (OC_MAX_PROGRESS_BYTES) */

struct nd_live;

/* The program runs: an empty chunk, for a caller who waits for that before it sends input. */
void nd_live_announce(struct nd_uplink *uplink, struct nd_call *call);
/* Takes the process's output from now on. seq: of its first chunk, behind an announcement. */
struct nd_live *nd_live_create(
        struct nd_uplink *uplink, struct nd_call *call, struct nd_process *process, int64_t seq);
/* The gateway's answer to a chunk. False: not for this one. */
bool nd_live_answered(struct nd_live *live, const struct oc_frame *frame);
/* What is held back goes out, without regard to the window: the result comes right behind. False
 * when not everything was sent, now or before. */
bool nd_live_flush(struct nd_live *live);
/* Nobody watches any more: output is dropped from here on. */
void nd_live_stop(struct nd_live *live);
void nd_live_destroy(struct nd_live *live);

#endif
