#include "node/commands/host.h"

#include "node/commands/commands.h"

void oc_node_host_init(struct oc_node_host *host) {
    struct oc_machine *machine = &host->machine;
    struct oc_uplink *uplink = &host->uplink;
    host->helpers.machine = machine;
    host->helpers.uplink = uplink;
    host->desktop.machine = machine;
    host->desktop.uplink = uplink;
    host->desktop.helpers = &host->helpers;
    host->commands = oc_node_commands(machine, uplink);
    host->notes.machine = machine;
    host->runner.machine = machine;
    host->runner.uplink = uplink;
    host->runner.notes = &host->notes;
    host->runner.looks = &host->looks;
    host->runner.call_memory = &host->call_memory;
    host->canvas.machine = machine;
    host->canvas.uplink = uplink;
    host->canvas.helpers = &host->helpers;
}

struct oc_node_calls *oc_node_host_calls(struct oc_node_host *host, struct oc_key_file *key_file) {
    return oc_node_calls_create(&(struct oc_node_calls_opts){ .host = host,
            .machine = &host->machine,
            .uplink = &host->uplink,
            .commands = &host->commands,
            .memory = &host->call_memory,
            .key_file = key_file });
}
