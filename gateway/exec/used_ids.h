/* Ids that were used once and must not come to mean something else.
 *
 * Whoever asks chooses the id of an approval, and whoever decides may have looked at it a while
 * ago. The same id for another command would turn a yes to the one into a yes to the other, so an
 * id stays taken after its end: at least keep_ms, and from then on until the room is needed. */
#ifndef GATEWAY_EXEC_USED_IDS_H
#define GATEWAY_EXEC_USED_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_used_ids;

struct gw_used_ids *gw_used_ids_create(size_t max, int64_t keep_ms);
void gw_used_ids_destroy(struct gw_used_ids *u);
bool gw_used_ids_has(const struct gw_used_ids *u, const char *id);
/* A place for an id of this actor that is not used up yet. False: there is none without forgetting
 * one too early, or without leaving other actors none (gateway/fairness/shares.h): nothing new may
 * begin, because it could not be remembered. */
bool gw_used_ids_reserve(struct gw_used_ids *u, const char *actor, int64_t now_ms);
/* Into a place that was reserved for the actor. */
void gw_used_ids_add(struct gw_used_ids *u, const char *id, const char *actor, int64_t now_ms);

#endif
