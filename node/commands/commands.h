/* The table of commands: commands.def. */
#ifndef NODE_COMMANDS_COMMANDS_H
#define NODE_COMMANDS_COMMANDS_H

#include "node/call/command.h"

/* All of them, sorted by name, as a machine has them. uplink may be NULL: no gateway is the owner's
 * own. Both are borrowed. */
struct nd_commands nd_node_commands(
        const struct nd_machine *machine, const struct nd_uplink *uplink);

#endif
