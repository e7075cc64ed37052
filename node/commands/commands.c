#include "node/commands/commands.h"

#define OC_NODE_COMMAND(id) extern const struct oc_node_command oc_node_##id;
#include "node/commands/commands.def"
#undef OC_NODE_COMMAND

static const struct oc_node_command *const table[] = {
#define OC_NODE_COMMAND(id) &oc_node_##id,
#include "node/commands/commands.def"
#undef OC_NODE_COMMAND
};

struct oc_commands oc_node_commands(
        const struct oc_machine *machine, const struct oc_uplink *uplink) {
    return (struct oc_commands){
        .rows = table, .count = OC_COUNT(table), .machine = machine, .uplink = uplink
    };
}
