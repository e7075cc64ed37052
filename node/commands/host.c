#include "node/commands/host.h"

#include "node/commands/commands.h"
#include "node/run/run_question.h"

static void on_denied(void *user, const char *approval_id, const cJSON *question) {
    const struct nd_host *host = user;
    nd_run_question_denied(host->runner.log, approval_id, question);
}

void nd_host_init(struct nd_host *host) {
    struct nd_machine *machine = &host->machine;
    struct nd_uplink *uplink = &host->uplink;
    host->helpers.machine = machine;
    host->helpers.uplink = uplink;
    host->desktop.machine = machine;
    host->desktop.uplink = uplink;
    host->desktop.helpers = &host->helpers;
    nd_asks_init(&host->asks, &host->desktop, uplink);
    host->asks.on_denied = on_denied;
    host->asks.user = host;
    host->commands = nd_node_commands(machine, uplink);
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

struct nd_calls *nd_host_calls(struct nd_host *host, struct nd_key_file *key_file) {
    return nd_calls_create(&(struct nd_calls_opts){ .host = host,
            .machine = &host->machine,
            .uplink = &host->uplink,
            .commands = &host->commands,
            .memory = &host->call_memory,
            .key_file = key_file });
}
