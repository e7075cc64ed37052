/* The idempotency keys of invokes, kept apart by what it would mean to carry one out twice.
 *
 *   a command                   ten minutes, as the protocol promises
 *   input for a run             a minute: every key stroke has a key
 *   looking at runs, killing    while it runs: to ask again does no harm, and whoever has used up
 *                               the rest must still be able to see and stop what they started
 */
#ifndef GATEWAY_INVOKE_INVOKE_KEYS_H
#define GATEWAY_INVOKE_INVOKE_KEYS_H

#include "gateway/invoke/replay.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"

struct gw_invoke_keys;

struct gw_invoke_keys *gw_invoke_keys_create(const struct oc_clock *clock);
void gw_invoke_keys_destroy(struct gw_invoke_keys *k);
/* Whatever command it was used for; NULL: it is free. */
struct gw_replay_entry *gw_invoke_keys_find(
        struct gw_invoke_keys *k, const char *actor, const char *key);
/* Where the keys of a command are kept. */
struct gw_replay *gw_invoke_keys_of(struct gw_invoke_keys *k, const char *command);
/* OC_E_UNAVAILABLE: this actor has used too many for such commands. */
enum oc_code gw_invoke_keys_check_room(struct gw_invoke_keys *k, const char *command,
        const char *actor, struct oc_error *err) OC_MUST_USE;

#endif
