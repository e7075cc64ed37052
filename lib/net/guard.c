#include "lib/net/guard.h"

#include "lib/address/address_class.h"
#include "lib/address/address_own.h"

bool oc_addr_is_public(const struct oc_addr *a) {
    struct oc_addr v = *a;
    oc_addr_unmap(&v);
    if (v.u.any.sa_family == AF_INET6) {
        return oc_address_class_v6(&v.u.v6.sin6_addr) == OC_ADDRESS_PUBLIC;
    }
    return v.u.any.sa_family == AF_INET &&
           oc_address_class_v4(ntohl(v.u.v4.sin_addr.s_addr)) == OC_ADDRESS_PUBLIC;
}

bool oc_addr_is_own(const struct oc_addr *a) {
    return oc_address_is_own(&a->u.any);
}
