#include "canvas/web_reach.h"

#include "base/mem.h"

#include <string.h>

enum oc_web_reach oc_web_reach_v4(uint32_t address) {
    static const struct {
        uint32_t net;
        unsigned bits;
        enum oc_web_reach reach;
    } special[] = {
        { 0xa9fe0000, 16, OC_REACH_NEVER },   /* 169.254/16: link-local; metadata of most clouds */
        { 0xa83f8110, 32, OC_REACH_NEVER },   /* 168.63.129.16: Azure's host */
        { 0x646464c8, 32, OC_REACH_NEVER },   /* 100.100.100.200: Alibaba's metadata */
        { 0xc00000c0, 32, OC_REACH_NEVER },   /* 192.0.0.192: Oracle's metadata */
        { 0x00000000, 8, OC_REACH_MACHINE },  /* 0/8: Linux takes it for loopback */
        { 0x7f000000, 8, OC_REACH_MACHINE },  /* 127/8 */
        { 0x0a000000, 8, OC_REACH_PRIVATE },  /* 10/8 */
        { 0x64400000, 10, OC_REACH_PRIVATE }, /* 100.64/10: carriers, Tailscale */
        { 0xac100000, 12, OC_REACH_PRIVATE }, /* 172.16/12 */
        { 0xc0a80000, 16, OC_REACH_PRIVATE }, /* 192.168/16 */
        { 0xc6120000, 15, OC_REACH_PRIVATE }, /* 198.18/15: benchmarks, and tunnels of VPNs */
    };
    for (size_t i = 0; i < OC_COUNT(special); i++) {
        if ((address ^ special[i].net) >> (32 - special[i].bits) == 0) {
            return special[i].reach;
        }
    }
    return OC_REACH_PUBLIC;
}

static enum oc_web_reach embedded(const uint8_t *b) {
    return oc_web_reach_v4(
            (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3]);
}

enum oc_web_reach oc_web_reach_v6(const struct in6_addr *address) {
    static const uint8_t nat64[12] = { 0x00, 0x64, 0xff, 0x9b };
    static const uint8_t amazon[4] = { 0xfd, 0x00, 0x0e, 0xc2 }; /* fd00:ec2::254 */
    static const uint8_t google[4] = { 0xfd, 0x20, 0x00, 0xce }; /* fd20:ce::254 */
    const uint8_t *b = address->s6_addr;
    if (IN6_IS_ADDR_UNSPECIFIED(address) || IN6_IS_ADDR_LOOPBACK(address)) {
        return OC_REACH_MACHINE;
    }
    if (IN6_IS_ADDR_V4MAPPED(address) || IN6_IS_ADDR_V4COMPAT(address) ||
            memcmp(b, nat64, sizeof(nat64)) == 0) {
        return embedded(b + 12);
    }
    if (b[0] == 0x20 && b[1] == 0x02) { /* 6to4 */
        return embedded(b + 2);
    }
    if (IN6_IS_ADDR_LINKLOCAL(address) || memcmp(b, amazon, 4) == 0 || memcmp(b, google, 4) == 0) {
        return OC_REACH_NEVER;
    }
    return (b[0] & 0xfe) == 0xfc ? OC_REACH_PRIVATE : OC_REACH_PUBLIC;
}
