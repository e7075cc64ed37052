/* Where an Internet address leads, by what it is reserved for: one table for everything that is
 * reached on behalf of somebody who is not trusted (pictures of a canvas, web pages). */
#ifndef LIB_ADDRESS_ADDRESS_CLASS_H
#define LIB_ADDRESS_ADDRESS_CLASS_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

enum oc_address_class {
    OC_ADDRESS_NOWHERE, /* nobody's, not one machine's, a way into IPv4 that cannot be followed, or
                           a cloud's keys */
    OC_ADDRESS_LINK,    /* of a link, where most clouds keep a machine's keys */
    OC_ADDRESS_MACHINE, /* this machine */
    OC_ADDRESS_PRIVATE, /* of somebody's own network */
    OC_ADDRESS_PUBLIC,
};

enum oc_address_class oc_address_class_v4(uint32_t address); /* host byte order */
/* An IPv4 address in an IPv6 one (mapped, NAT64) is taken as what it is. */
enum oc_address_class oc_address_class_v6(const struct in6_addr *address);

/* The table, for tests: NULL after the last row. */
const char *oc_address_class_row(
        size_t i, unsigned *ret_bits, const char **ret_source, enum oc_address_class *ret_class);

#endif
