/* Notes what every system.run came to, in the machine's own log (node/run/run_log.h). */
#ifndef NODE_RUN_RUN_LOG_NOTE_H
#define NODE_RUN_RUN_LOG_NOTE_H

#include "node/run/run.h"
#include "node/run/run_log.h"

/* What the log says of a run that begins. Borrows from r. */
struct oc_run_log_run oc_run_log_entry(const struct oc_run_end_facts *r);
/* What became of it, as the log has it and the gateway is told (gateway/exec/run_end.h). Caller deletes. */
cJSON *oc_run_end_doc(const struct oc_run_end_facts *r);
/* For oc_runner.on_run. */
void oc_run_log_note(struct oc_runner *runner, const struct oc_run_end_facts *report);

#endif
