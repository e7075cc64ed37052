/* Which addresses may be reached on behalf of somebody who is not trusted. */
#ifndef LIB_NET_GUARD_H
#define LIB_NET_GUARD_H

#include "lib/net/addr.h"

/* A global unicast address, not one of this machine, of a private network, for documentation, or a
 * tunnel to such. */
bool oc_addr_is_public(const struct oc_addr *a);
/* One that an interface of this machine has. */
bool oc_addr_is_own(const struct oc_addr *a);

#endif
