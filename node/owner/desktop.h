/* The desktop of this machine's owner: what the node shows and asks there. node/commands/host.c fills it. */
#ifndef NODE_OWNER_DESKTOP_H
#define NODE_OWNER_DESKTOP_H

#include "node/helper/helper.h"
#include "node/link/uplink.h"
#include "node/machine.h"

struct oc_announcer; /* node/owner/announce.c */
struct oc_notices;   /* node/owner/notices.h */

struct oc_desktop {
    const struct oc_machine *machine;
    const struct oc_uplink *uplink; /* its gateway is named */
    struct oc_helpers *helpers;
    struct oc_notices *notices;     /* shown; NULL: none yet */
    struct oc_announcer *announcer; /* NULL: nothing was captured yet */
};

#endif
