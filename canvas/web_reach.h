/* Where an address is, as far as web content is concerned: pages may be of this machine (the gateway's canvas host is), of its
 * private network and of the Internet, but a name keeps to the one that it was of first. */
#ifndef CANVAS_WEB_REACH_H
#define CANVAS_WEB_REACH_H

#include <netinet/in.h>
#include <stdint.h>

enum oc_web_reach {
    OC_REACH_NEVER, /* link-local, and where clouds keep the keys of a machine */
    OC_REACH_MACHINE,
    OC_REACH_PRIVATE,
    OC_REACH_PUBLIC,
};

enum oc_web_reach oc_web_reach_v4(uint32_t address); /* host byte order */
/* An IPv4 address in an IPv6 one (mapped, NAT64, 6to4) is taken as what it is. */
enum oc_web_reach oc_web_reach_v6(const struct in6_addr *address);

#endif
