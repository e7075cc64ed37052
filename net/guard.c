#include "net/guard.h"

#include "base/mem.h"

#include <ifaddrs.h>
#include <string.h>

/* IANA's special-purpose registry, as of what nobody on the Internet can be. */
static bool is_public_v4(uint32_t ip) {
    static const struct {
        uint32_t net;
        unsigned bits;
    } special[] = {
        { 0x00000000, 8 },  /* 0/8: this machine */
        { 0x0a000000, 8 },  /* 10/8 */
        { 0x64400000, 10 }, /* 100.64/10: carriers, Tailscale; some clouds' metadata */
        { 0x7f000000, 8 },  /* 127/8 */
        { 0xa9fe0000, 16 }, /* 169.254/16: link-local; metadata of most clouds */
        { 0xac100000, 12 }, /* 172.16/12 */
        { 0xc0000000, 24 }, /* 192.0.0/24 */
        { 0xc0000200, 24 }, /* 192.0.2/24: documentation */
        { 0xc0586300, 24 }, /* 192.88.99/24: 6to4 relays */
        { 0xc0a80000, 16 }, /* 192.168/16 */
        { 0xc6120000, 15 }, /* 198.18/15: benchmarks */
        { 0xc6336400, 24 }, /* 198.51.100/24: documentation */
        { 0xcb007100, 24 }, /* 203.0.113/24: documentation */
        { 0xe0000000, 4 },  /* 224/4: multicast */
        { 0xf0000000, 4 },  /* 240/4: reserved, broadcast */
        { 0xa83f8110, 32 }, /* 168.63.129.16: Azure's host */
    };
    for (size_t i = 0; i < OC_COUNT(special); i++) {
        if (((ip ^ special[i].net) >> (32 - special[i].bits)) == 0) {
            return false;
        }
    }
    return true;
}

static uint32_t embedded_v4(const uint8_t *b) {
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static bool is_public_v6(const uint8_t *b) {
    static const uint8_t nat64[12] = { 0x00, 0x64, 0xff, 0x9b };
    if (memcmp(b, nat64, sizeof(nat64)) == 0) { /* how IPv6-only networks reach IPv4 */
        return is_public_v4(embedded_v4(b + 12));
    }
    if ((b[0] & 0xe0) != 0x20) { /* only 2000::/3 is given out */
        return false;
    }
    if (b[0] == 0x20 && b[1] == 0x02) { /* 6to4 ends at an IPv4 address of its sender's choice */
        return false;
    }
    if (b[0] == 0x20 && b[1] == 0x01 && (b[2] & 0xfe) == 0) { /* Teredo and other protocols */
        return false;
    }
    if (b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == 0xb8) { /* documentation */
        return false;
    }
    return !(b[0] == 0x3f && b[1] == 0xff && (b[2] & 0xf0) == 0); /* documentation */
}

bool oc_addr_is_public(const struct oc_addr *a) {
    struct oc_addr v = *a;
    oc_addr_unmap(&v);
    if (v.u.any.sa_family == AF_INET6) {
        return is_public_v6(v.u.v6.sin6_addr.s6_addr);
    }
    return v.u.any.sa_family == AF_INET && is_public_v4(ntohl(v.u.v4.sin_addr.s_addr));
}

static bool is_same(const struct sockaddr *sa, const struct oc_addr *a) {
    if (!sa || sa->sa_family != a->u.any.sa_family) {
        return false;
    }
    if (sa->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, sa, sizeof(v6));
        return memcmp(&v6.sin6_addr, &a->u.v6.sin6_addr, sizeof(v6.sin6_addr)) == 0;
    }
    struct sockaddr_in v4;
    memcpy(&v4, sa, sizeof(v4));
    return sa->sa_family == AF_INET && v4.sin_addr.s_addr == a->u.v4.sin_addr.s_addr;
}

bool oc_addr_is_own(const struct oc_addr *a) {
    struct oc_addr v = *a;
    struct ifaddrs *all = NULL;
    bool found = false;
    oc_addr_unmap(&v);
    if (getifaddrs(&all) != 0) {
        return true; /* who cannot tell does not go there */
    }
    for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
        found = is_same(i->ifa_addr, &v);
    }
    freeifaddrs(all);
    return found;
}
