/* The little of a node's answer to system.run that is worth keeping: how it ended, and how much it
 * wrote. */
#ifndef GATEWAY_AUDIT_RUN_END_H
#define GATEWAY_AUDIT_RUN_END_H

#include "gateway/invoke/answer.h"
#include "lib/json/json.h"

/* {"outcome" (lib/protocol/run_words.h),
 * "exitCode"?, "signal"?, "bytes"?, "reason"?, "cause"?, "grounds"? (lib/protocol/grounds.h),
 * "source": node|gateway (whose word it is)}; started has "handle" and "nodeSays"? instead. unknown: the node has not said. "nodeSays": {"gate"?,
 * "gateEntry"?, "decision"?}: why it let the command through. Answers may be large: they are walked
 * over, not built into a tree. Caller deletes. */
cJSON *gw_run_end_of_answer(const struct gw_answer *a);
/* The same from the report of a node of ours, which knows more: "stdoutBytes", "stderrBytes",
 * "inputBytes", "input": [{"by","name"?,"bytes"}], "startedAtMs", "endedAtMs", "durationMs",
 * "handle". Takes over what it knows, made fit to be shown. NULL when it says no outcome that a
 * node reports. Caller deletes. */
cJSON *gw_run_end_of_report(const cJSON *report);

#endif
