/* The parts of a node that its commands use. Each room has its own and takes of others what it
 * needs; only node.c and the commands see all of them. Core thread only. */
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
#include "node/owner/asks.h"
#include "node/owner/desktop.h"
#include "node/policy/exec_notes.h"
#include "node/run/run.h"

struct nd_host {
    struct nd_machine machine;
    struct nd_uplink uplink;
    struct nd_helpers helpers;
    struct nd_desktop desktop;
    struct nd_asks asks; /* of approvals that operators are asked for, too */
    struct nd_commands commands;
    struct nd_call_memory call_memory;
    struct nd_looks looks; /* at the files of commands, off the loop */
    struct nd_exec_notes notes;
    struct nd_runner runner;
    unsigned waiting_writes; /* input for runs that has no room yet */
    struct nd_canvas_site canvas;
    struct nd_last_fix last_fix;
    struct nd_power power;
};

/* Shows the parts to each other. The host stays where it is from then on; what is already in its
 * parts stays, too. */
void nd_host_init(struct nd_host *host);
/* For the calls of this host. key_file: of idempotency keys; NULL: in memory only. */
struct nd_calls *nd_host_calls(struct nd_host *host, struct nd_key_file *key_file);

#endif
