/* What reaches a node as system.run: nothing that the caller made up.
 *
 * `approved` and `approvalDecision` make a node run what its owner would be asked about. They are
 * forwarded only with a decided approval of the same command, node and caller
 * (docs/PROTOCOL.md#the-guard); everyone could set them otherwise. An approval that nobody decided
 * in time becomes `approvalUnanswered`, which other nodes do not know: they decide as if nobody had
 * been asked. */
#ifndef GATEWAY_EXEC_APPROVAL_GUARD_H
#define GATEWAY_EXEC_APPROVAL_GUARD_H

#include "gateway/exec/approvals.h"
#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>

struct gw_guard_call {
    struct oc_slice params; /* as the caller sent them */
    const char *node_id;
    const char *device_id, *conn_id; /* of the caller; device_id may be NULL */
};

struct gw_guard_verdict {
    struct oc_blob *params; /* what the node gets; owned */
    const struct gw_approval
            *consumed; /* allow-once that was taken; give it back when the node was not reached */
    cJSON *details;    /* refused: for the error; owned, may be NULL */
};

/* On refusal err has the text. ret needs gw_guard_verdict_finish in every case. */
enum oc_code gw_approval_guard(const struct gw_approvals *t, const struct gw_guard_call *call,
        struct gw_guard_verdict *ret, struct oc_error *err) OC_MUST_USE;
void gw_guard_verdict_finish(struct gw_guard_verdict *v);

#endif
