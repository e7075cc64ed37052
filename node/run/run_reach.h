/* Before a command is judged: do all file systems answer that it has something to do with? */
#ifndef NODE_RUN_RUN_REACH_H
#define NODE_RUN_RUN_REACH_H

#include "node/call/call.h"
#include "node/run/run.h"

#include <stdbool.h>

/* False: they can be touched now. True: a thread finds out, and go is called when they have
 * answered; or the call was refused. */
bool nd_run_reach(struct nd_runner *runner, struct nd_call *call, void (*go)(struct nd_call *call));

#endif
