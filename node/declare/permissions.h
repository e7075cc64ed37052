/* What the owner of this machine allows, as far as it can be said in advance: connect tells it to
 * the gateway, so that people see the closed gate before they run into it. Only a hint: the
 * decision is made for every command. */
#ifndef NODE_DECLARE_PERMISSIONS_H
#define NODE_DECLARE_PERMISSIONS_H

#include "lib/base/str.h"
#include "lib/json/json.h"
#include "node/call/command.h"
#include "node/owner/desktop.h"

/* What is looked at for it; borrowed. */
struct nd_permissions_of {
    const struct nd_machine *machine;
    const struct nd_commands *all;
    const struct nd_desktop *desktop;
    const struct oc_strv *commands; /* that connect declares */
};

/* Which sandbox is in force and whether it has a network. {"system.run": false} when nothing may be
 * executed, {"system.run.denied": false} when some programs or all may; left out when this node
 * does not offer the command. The switches as lib/protocol/switches.h has them, for those that a
 * command here needs. NULL when there is nothing to say. Caller frees. */
cJSON *nd_permissions(const struct nd_permissions_of *of);

#endif
