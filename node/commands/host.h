/* The parts of a node that its commands use. Each room has its own and takes of others what it needs; only node.c and the
 * commands see all of them. Core thread only. */
#ifndef NODE_COMMANDS_HOST_H
#define NODE_COMMANDS_HOST_H

#include "node/call/call.h"
#include "node/call/command.h"
#include "node/canvas/canvas.h"
#include "node/helper/helper.h"
#include "node/helper/last_fix.h"
#include "node/helper/power.h"
#include "node/link/uplink.h"
#include "node/looks/looks.h"
#include "node/machine.h"
#include "node/owner/desktop.h"
#include "node/policy/exec_notes.h"
#include "node/run/run.h"

struct oc_node_host {
    struct oc_machine machine;
    struct oc_uplink uplink;
    struct oc_helpers helpers;
    struct oc_desktop desktop;
    struct oc_commands commands;
    struct oc_call_memory call_memory;
    struct oc_looks looks; /* at the files of commands, off the loop */
    struct oc_exec_notes notes;
    struct oc_runner runner;
    struct oc_canvas_site canvas;
    struct oc_last_fix last_fix;
    struct oc_power power;
};

/* Shows the parts to each other. The host stays where it is from then on; what is already in its parts stays, too. */
void oc_node_host_init(struct oc_node_host *host);
/* For the calls of this host. key_file: of idempotency keys; NULL: in memory only. */
struct oc_node_calls *oc_node_host_calls(struct oc_node_host *host, struct oc_key_file *key_file);

#endif
