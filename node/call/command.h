/* A node command: what is advertised at connect and what an invoke can reach. One row in
 * node/commands/commands.def, one file in node/commands/. */
#ifndef NODE_CALL_COMMAND_H
#define NODE_CALL_COMMAND_H

#include "lib/base/str.h"
#include "node/call/call.h"
#include "node/link/uplink.h"
#include "node/machine.h"

#include <stdbool.h>
#include <stddef.h>

struct nd_switch; /* node/owner/switches.h */

struct nd_command {
    const char *name; /* on the wire */
    const char *cap;  /* capability it belongs to */
    const char *summary;
    bool needs_params;
    size_t max_params; /* bytes; 0: OC_MAX_REQUEST_BYTES */
    /* The members of params that it reads; the rest is not kept. NULL: all are. */
    bool (*knows)(const char *member);
    bool is_pure; /* changes nothing: running it twice is harmless, so its keys are not kept */
    const char *switch_name; /* the owner's switch it needs (node/owner/switches.h); NULL: none */
    /* The switch is about gateways of others: the owner's own (node/link/own_gateway.h) does not
     * need it. It stays declared while the switch is off, so that nobody has to approve it again
     * when it is on. */
    bool is_for_afar;
    const char *helper; /* the program that carries it out (node/helper/helper.h); NULL: none */
    bool (*available)(const struct nd_machine *machine);
    /* An invoke asked for it again by its key, and nothing is started; before the answer. NULL:
     * nobody is told. */
    void (*on_repeat)(struct nd_uplink *uplink, const char *invoke_id);
    /* Answers the call, now or later, exactly once. What goes on after this returns sets call->work
     * and call->cancel. */
    void (*start)(struct nd_call *call);
};

/* All commands there are, and what tells which of them a node has now. */
struct nd_commands {
    const struct nd_command *const *rows; /* sorted by name */
    size_t count;
    const struct nd_machine *machine;
    const struct nd_uplink *uplink; /* NULL: there is no gateway */
};

/* For commands that start programs. */
bool nd_can_run(const struct nd_machine *machine);

/* NULL when there is none, or it is not available here. */
const struct nd_command *nd_command_find(const struct nd_commands *all, const char *name);
/* The switch that keeps a command of this name from being available; NULL when it is not a
 * switch. */
const struct nd_switch *nd_command_switched_off(const struct nd_commands *all, const char *name);
/* Whether some command that needs the switch would be available if it were on: what carries it out
 * is there. */
bool nd_switch_is_able(const struct nd_commands *all, const char *name);
/* What is available, sorted; both must be empty. */
void nd_commands_list(
        const struct nd_commands *all, struct oc_strv *ret_commands, struct oc_strv *ret_caps);

#endif
