/* Is an address one of this machine's? For those who reach addresses on behalf of somebody who is
 * not trusted: an interface may have any address, also a public one. */
#ifndef LIB_ADDRESS_ADDRESS_OWN_H
#define LIB_ADDRESS_ADDRESS_OWN_H

#include "lib/address/address_class.h"

#include <stdbool.h>
#include <sys/socket.h>

/* One that an interface of this machine has. IPv4 in IPv6 (::ffff:a.b.c.d) is the same as IPv4.
 * True also when it cannot be found out: who cannot tell does not go there. */
bool oc_address_is_own(const struct sockaddr *sa);
/* Its class, which is OC_ADDRESS_MACHINE for an own address; what nobody may reach stays that.
 * OC_ADDRESS_NOWHERE when it cannot be found out: a stranger's name must not pass for this
 * machine's either. */
enum oc_address_class oc_address_reach(const struct sockaddr *sa);

#endif
