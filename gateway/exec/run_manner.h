/* How an approved command may run: in the background, on a terminal, with the caller's standard
 * input, for how long (`run` of exec.approval.request).
 *
 * Ours; requests of other clients have no `run`, and their commands then run in the foreground,
 * without a terminal, as long as the caller says. Pure. */
#ifndef GATEWAY_EXEC_RUN_MANNER_H
#define GATEWAY_EXEC_RUN_MANNER_H

#include "lib/base/error.h"
#include "lib/json/json.h"

/* What is shown and kept of `run` as it was sent: {background, tty, stdin?, timeoutMs?}. *ret is
 * NULL when given is. timeoutMs that is not positive means no limit, as with system.run, and is
 * left out. */
enum oc_code gw_run_manner_build(const cJSON *given, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* What these params of system.run want beyond that, with the way to ask for it (a literal); NULL:
 * nothing. */
const char *gw_run_manner_excess(const cJSON *approved, const cJSON *params);
/* What of it nobody can see before it runs: what the node said (NULL: nothing), and its input.
 * NULL: nothing is known. Caller deletes. */
cJSON *gw_run_manner_unbound(const cJSON *approved, const cJSON *unbound);

#endif
