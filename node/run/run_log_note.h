/* Notes what every system.run came to, in the machine's own log (node/run/run_log.h). */
#ifndef NODE_RUN_RUN_LOG_NOTE_H
#define NODE_RUN_RUN_LOG_NOTE_H

#include "node/run/run.h"
#include "node/run/run_log.h"

/* What the log says of a run that begins. Borrows from r. */
struct nd_run_log_run nd_run_log_entry(const struct nd_run_end_facts *r);
/* What became of it, as the log has it and the gateway is told (gateway/exec/run_end.h). Caller
 * deletes. */
cJSON *nd_run_end_doc(const struct nd_run_end_facts *r);
/* For nd_runner.on_run. */
void nd_run_log_note(struct nd_runner *runner, const struct nd_run_end_facts *report);

#endif
