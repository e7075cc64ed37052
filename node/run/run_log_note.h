/* Keeps the books of a node: what every system.run came to, in the machine's own log (node/run/run_log.h). */
#ifndef NODE_RUN_RUN_LOG_NOTE_H
#define NODE_RUN_RUN_LOG_NOTE_H

#include "node/run/run_log.h"
#include "node/run/run.h"

/* What the log says of a run that begins. Borrows from r. */
struct oc_exec_log_run oc_run_log_line(const struct oc_run_report *r);
/* What became of it, as the log has it and the gateway is told (gateway/exec/run_end.h). Caller deletes. */
cJSON *oc_run_end_doc(const struct oc_run_report *r);
/* For oc_runner.on_run. */
void oc_run_books(struct oc_runner *runner, const struct oc_run_report *report);

#endif
