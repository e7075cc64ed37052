/* What the node itself says about a command that waits: which file it is, why it needs approval,
 * what "always" would remember. Whoever asked may say something else, and has an interest to. */
#ifndef CLI_APPROVALS_APPROVAL_FACTS_H
#define CLI_APPROVALS_APPROVAL_FACTS_H

#include "cli/command.h"

/* {resolvedPath, reason, wouldAllow, security, ask, bound} (system.run.prepare "approval"): what
 * the node said when the approval was asked for, which is what it is about; isChanged, when it says
 * something else now. Where the gateway had it look at nothing: what it says now. NULL when the
 * node is away, is of another kind, or we may not ask it. nodes: the array of node.list. Caller
 * deletes. */
cJSON *cli_approval_facts(struct cli_cli *cli, const cJSON *item, const cJSON *nodes);
/* The same from a request at this machine's own socket, where the node is the one who asks. */
cJSON *cli_approval_local_facts(const cJSON *item);

#endif
