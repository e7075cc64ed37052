/* "Always": programs that a person allowed for good, on their way into exec-approvals.json.
 *
 * Another program may be changing that file just then (lib/state/exec_approvals.h). Nobody waits
 * for it here; what could not be written is tried again from the loop, for a few seconds. */
#ifndef NODE_POLICY_EXEC_REMEMBER_H
#define NODE_POLICY_EXEC_REMEMBER_H

#include "lib/net/loop/loop.h"

#include <stdint.h>

struct nd_exec_memory;

/* approvals_path is copied. */
struct nd_exec_memory *nd_exec_memory_create(struct oc_loop *loop, const char *approvals_path);
/* What waits is tried a last time. NULL is fine. */
void nd_exec_memory_destroy(struct nd_exec_memory *m);
void nd_exec_memory_add(
        struct nd_exec_memory *m, const char *agent_id, const char *pattern, int64_t now_ms);

#endif
