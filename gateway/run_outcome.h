/* The little of a node's answer to system.run that is worth keeping: how it ended, and how much it wrote. */
#ifndef GATEWAY_RUN_OUTCOME_H
#define GATEWAY_RUN_OUTCOME_H

#include "base/json.h"
#include "gateway/answer.h"

/* {"outcome": exited|killed|timed-out|started|not-started|refused|unknown, "exitCode"?, "signal"?, "bytes"?, "reason"?}. Answers may be
 * large: they are walked over, not built into a tree. Caller deletes. */
cJSON *oc_run_outcome_of(const struct oc_answer *a);

#endif
