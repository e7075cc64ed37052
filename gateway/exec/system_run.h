/* What of a caller's system.run reaches the node. */
#ifndef GATEWAY_EXEC_SYSTEM_RUN_H
#define GATEWAY_EXEC_SYSTEM_RUN_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stdint.h>

/* Copies only the members a caller may set. Whether a run is approved is never the caller's to say:
 * `approved`, `approvalDecision` and everything unknown is left out. params must be an object. */
enum oc_code gw_system_run_params(
        struct oc_slice params, struct oc_blob **ret, struct oc_error *err) OC_MUST_USE;

/* How long to wait for a run whose caller only said how long the program may take: that, and a
 * little for the way. 0 when it said nothing (the default is long enough then). */
int64_t gw_system_run_invoke_ms(struct oc_slice params);

#endif
