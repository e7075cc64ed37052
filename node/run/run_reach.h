/* Before a command is judged: do all file systems answer that it has something to do with? */
#ifndef NODE_RUN_RUN_REACH_H
#define NODE_RUN_RUN_REACH_H

#include "node/call/call.h"
#include "node/policy/exec_policy.h"
#include "node/run/run.h"

/* go is called when they can be touched: now, or when a thread has found out; never, if the call
 * was refused. To know which file systems these are the command is judged where the sandbox puts
 * it; go may take the verdict over if it still is put there. */
struct nd_run_rehearsal {
    struct nd_exec_verdict verdict; /* zeroed: it was not judged */
    char *cwd;                      /* where the sandbox put it; NULL: nowhere */
};
typedef void nd_run_reached(struct nd_call *call, struct nd_run_rehearsal *rehearsal);
void nd_run_reach(struct nd_runner *runner, struct nd_call *call, nd_run_reached *go);

#endif
