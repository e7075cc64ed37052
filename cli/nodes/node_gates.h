/* Which gates the commands of a node pass, whatever gateway and node it is. */
#ifndef CLI_NODES_NODE_GATES_H
#define CLI_NODES_NODE_GATES_H

#include "cli/command.h"

/* node: the answer of node.describe. Makes sure that it has "gates": our gateway says them, for
 * others they follow from what is usable and what waits. Asks nodes for their exec approvals that
 * do not tell by themselves. */
void cli_node_gates_complete(struct cli_cli *cli, cJSON *node);
bool cli_node_gates_usable(const cJSON *gates);
/* What opens the gate of one command or switch; NULL: it is open. Caller frees. */
char *cli_node_gate_fix(const cJSON *row);

/* Pure: what the permissions of a node say about its owner's switches:
 * {"camera":{"on":bool,"gate"?,"fix"?},…}; NULL when they say nothing. Caller deletes. */
cJSON *cli_node_switches_derive(const cJSON *node);
/* Pure: the gates of a node whose gateway does not tell them. Caller deletes. */
cJSON *cli_node_gates_derive(const cJSON *node);

#endif
