/* Idempotency keys: a request that comes twice is carried out once.
 *
 * While the first is running a second one joins it; afterwards its answer is remembered for a
 * while. The memory is bounded in entries and in bytes: the oldest answers go first, and a key
 * whose answer is gone still blocks a second run. A key that still counts is never forgotten for a
 * new one; when there is no room, new ones are refused. */
#ifndef GATEWAY_INVOKE_REPLAY_H
#define GATEWAY_INVOKE_REPLAY_H

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/list.h"

#include <stdbool.h>
#include <stddef.h>

struct gw_replay_limits {
    size_t max_entries, max_bytes;
    int64_t ttl_ms;
};

struct gw_replay_entry {
    char *key, *actor, *node_id, *command;
    char params_hash[65];
    void *running;          /* the invoke that carries it out; NULL when it is over */
    struct oc_blob *answer; /* when it is over; NULL: not kept */
    int64_t done_at_ms;
    struct oc_list link; /* gw_replay.done, oldest first; unlinked while running */
};

struct gw_replay;

struct gw_replay *gw_replay_create(
        const struct oc_clock *clock, const struct gw_replay_limits *limits);
void gw_replay_destroy(struct gw_replay *r);
/* The entry of this actor and key, or NULL. */
struct gw_replay_entry *gw_replay_find(struct gw_replay *r, const char *actor, const char *key);
bool gw_replay_same_request(const struct gw_replay_entry *e, const char *node_id,
        const char *command, const char *params_hash);
/* For another key of this actor, who cannot use up everybody's. */
bool gw_replay_has_room(struct gw_replay *r, const char *actor);
/* There must be no entry for the key, and room. */
struct gw_replay_entry *gw_replay_begin(struct gw_replay *r, const char *actor, const char *key,
        const char *node_id, const char *command, const char *params_hash, void *running);
/* take_answer NULL: too large to keep. */
void gw_replay_finish(struct gw_replay *r, struct gw_replay_entry *e, struct oc_blob *take_answer);
/* It never ran: the key is free again. */
void gw_replay_drop(struct gw_replay *r, struct gw_replay_entry *e);
/* For tests. */
size_t gw_replay_bytes(const struct gw_replay *r);

#endif
