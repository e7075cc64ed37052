/* Whose run it is, who gave it input, who ended it: by what the gateway says of its callers.
 *
 * A gateway of another kind says nothing; then all its callers are one. */
#ifndef NODE_RUN_RUN_OWNER_H
#define NODE_RUN_RUN_OWNER_H

#include "lib/json/json.h"
#include "node/run/runs.h"

#include <stdbool.h>
#include <stddef.h>

void nd_run_set_owner(struct nd_run_entry *e, const cJSON *caller);
/* It is the caller's own, or the caller is an administrator. */
bool nd_run_may_touch(const struct nd_run_entry *e, const cJSON *caller);
/* What the others are told. Caller frees. */
char *nd_run_touch_refusal(const struct nd_run_entry *e, struct oc_grounds *ret);
/* Who started it, whatever else a caller may do. */
bool nd_run_is_owner(const struct nd_run_entry *e, const cJSON *caller);
void nd_run_note_input(struct nd_run_entry *e, const cJSON *caller, size_t bytes);
void nd_run_note_killer(struct nd_run_entry *e, const cJSON *caller);
/* [{"by","name"?,"bytes"},…] and the sum; NULL when nobody wrote. Caller deletes. */
cJSON *nd_run_input_of(const struct nd_run_entry *e, uint64_t *ret_total);
void nd_run_owner_finish(struct nd_run_entry *e);

#endif
