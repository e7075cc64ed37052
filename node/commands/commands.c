#include "node/commands/commands.h"

#define ND_COMMAND(id) extern const struct nd_command nd_command_##id;
#include "node/commands/commands.def"
#undef ND_COMMAND

static const struct nd_command *const table[] = {
#define ND_COMMAND(id) &nd_command_##id,
#include "node/commands/commands.def"
#undef ND_COMMAND
};

struct nd_commands nd_node_commands(
        const struct nd_machine *machine, const struct nd_uplink *uplink) {
    return (struct nd_commands){
        .rows = table, .count = OC_COUNT(table), .machine = machine, .uplink = uplink
    };
}
