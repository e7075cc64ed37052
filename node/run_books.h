/* Keeps the books of a node: what every system.run came to, in the machine's own log (node/exec_log.h). */
#ifndef NODE_RUN_BOOKS_H
#define NODE_RUN_BOOKS_H

#include "node/exec_log.h"
#include "node/run.h"

/* What the log says of a run. Borrows from p. */
struct oc_exec_log_run oc_run_log_line(const struct oc_run_params *p);
/* For oc_node_host.on_run. */
void oc_run_books(struct oc_node_host *host, const struct oc_run_report *report);

#endif
