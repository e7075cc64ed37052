#include "lib/address/address_own.h"

#include <ifaddrs.h>
#include <string.h>

/* As IPv6, IPv4 mapped; false: neither. */
static bool read_any(const struct sockaddr *sa, struct in6_addr *ret) {
    if (sa && sa->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, sa, sizeof(v6));
        *ret = v6.sin6_addr;
        return true;
    }
    if (sa && sa->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, sa, sizeof(v4));
        *ret = (struct in6_addr){ .s6_addr = { [10] = 0xff, [11] = 0xff } };
        memcpy(&ret->s6_addr[12], &v4.sin_addr, sizeof(v4.sin_addr));
        return true;
    }
    return false;
}

/* False: cannot be found out. */
static bool look_up(const struct in6_addr *wanted, bool *ret_is_own) {
    struct in6_addr one;
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) {
        return false;
    }
    *ret_is_own = false;
    for (const struct ifaddrs *i = all; i && !*ret_is_own; i = i->ifa_next) {
        *ret_is_own = read_any(i->ifa_addr, &one) && IN6_ARE_ADDR_EQUAL(&one, wanted);
    }
    freeifaddrs(all);
    return true;
}

bool oc_address_is_own(const struct sockaddr *sa) {
    struct in6_addr address;
    bool is_own;
    return !read_any(sa, &address) || !look_up(&address, &is_own) || is_own;
}

enum oc_address_class oc_address_reach(const struct sockaddr *sa) {
    struct in6_addr address;
    bool is_own;
    if (!read_any(sa, &address) || !look_up(&address, &is_own)) {
        return OC_ADDRESS_NOWHERE;
    }
    enum oc_address_class class = oc_address_class_v6(&address); /* a mapped one as what it is */
    bool is_never = class == OC_ADDRESS_NOWHERE || class == OC_ADDRESS_LINK;
    return is_own && !is_never ? OC_ADDRESS_MACHINE : class;
}
