/* The desktop of this machine's owner: what the node shows and asks there. node/commands/host.c
 * fills it. */
#ifndef NODE_OWNER_DESKTOP_H
#define NODE_OWNER_DESKTOP_H

#include "node/helper/helper.h"
#include "node/link/uplink.h"
#include "node/machine.h"

struct nd_announcer; /* node/owner/announce.c */
struct nd_notices;   /* node/owner/notices.h */

struct nd_desktop {
    const struct nd_machine *machine;
    const struct nd_uplink *uplink; /* its gateway is named */
    struct nd_helpers *helpers;
    struct nd_notices *notices;     /* shown; NULL: none yet */
    struct nd_announcer *announcer; /* NULL: nothing was captured yet */
};

#endif
