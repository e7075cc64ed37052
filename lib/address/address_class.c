#include "lib/address/address_class.h"

#include "lib/base/mem.h"

#include <arpa/inet.h>
#include <string.h>

enum { IN_LAST_BITS = -1 }; /* as the IPv4 address in the last 32 bits */

/* Both IANA special-purpose address registries (IPv4 and IPv6, as of 2025-10), what else RFCs have
 * set aside, and addresses that clouds use. The first row that fits counts, so parts stand before
 * the whole. Rows that the registries call globally reachable are nevertheless refused where only
 * protocols live there, and no server of anybody's. */
static const struct {
    const char *net;
    unsigned bits;
    int class; /* enum oc_address_class or IN_LAST_BITS */
    const char *source;
} rows[] = {
    { "168.63.129.16", 32, OC_ADDRESS_NOWHERE, "Azure: the machine's host" },
    { "100.100.100.200", 32, OC_ADDRESS_NOWHERE, "Alibaba Cloud: metadata" },
    { "192.0.0.192", 32, OC_ADDRESS_NOWHERE, "Oracle Cloud: metadata" },
    { "0.0.0.0", 8, OC_ADDRESS_MACHINE, "RFC 791, RFC 1122: this network; Linux: this machine" },
    { "10.0.0.0", 8, OC_ADDRESS_PRIVATE, "RFC 1918" },
    { "100.64.0.0", 10, OC_ADDRESS_PRIVATE, "RFC 6598: carriers' NAT; also Tailscale" },
    { "127.0.0.0", 8, OC_ADDRESS_MACHINE, "RFC 1122: loopback" },
    { "169.254.0.0", 16, OC_ADDRESS_LINK, "RFC 3927: link-local" },
    { "172.16.0.0", 12, OC_ADDRESS_PRIVATE, "RFC 1918" },
    { "192.0.0.0", 24, OC_ADDRESS_NOWHERE,
            "RFC 6890: protocols (RFC 6333, 7600, 7723, 8155, 7534, 8880)" },
    { "192.0.2.0", 24, OC_ADDRESS_NOWHERE, "RFC 5737: documentation" },
    { "192.31.196.0", 24, OC_ADDRESS_NOWHERE, "RFC 7535: AS112, answers about private names" },
    { "192.52.193.0", 24, OC_ADDRESS_NOWHERE, "RFC 7450: AMT, multicast relays" },
    { "192.88.99.0", 24, OC_ADDRESS_NOWHERE, "RFC 7526: 6to4 relays, no more" },
    { "192.168.0.0", 16, OC_ADDRESS_PRIVATE, "RFC 1918" },
    { "192.175.48.0", 24, OC_ADDRESS_NOWHERE, "RFC 7534: AS112, answers about private names" },
    { "198.18.0.0", 15, OC_ADDRESS_PRIVATE, "RFC 2544: benchmarks; also tunnels of VPNs" },
    { "198.51.100.0", 24, OC_ADDRESS_NOWHERE, "RFC 5737: documentation" },
    { "203.0.113.0", 24, OC_ADDRESS_NOWHERE, "RFC 5737: documentation" },
    { "224.0.0.0", 4, OC_ADDRESS_NOWHERE, "RFC 5771: multicast" },
    { "240.0.0.0", 4, OC_ADDRESS_NOWHERE, "RFC 1112: reserved; RFC 8190, RFC 919: broadcast" },

    { "::", 128, OC_ADDRESS_MACHINE, "RFC 4291: unspecified; Linux: this machine" },
    { "::1", 128, OC_ADDRESS_MACHINE, "RFC 4291: loopback" },
    { "::ffff:0:0", 96, IN_LAST_BITS, "RFC 4291: IPv4-mapped" },
    { "::ffff:0:0:0", 96, OC_ADDRESS_NOWHERE, "RFC 2765: IPv4-translated, no more" },
    { "::", 96, OC_ADDRESS_NOWHERE, "RFC 4291: IPv4-compatible, no more" },
    { "64:ff9b::", 96, IN_LAST_BITS, "RFC 6052: NAT64" },
    { "64:ff9b:1::", 48, OC_ADDRESS_NOWHERE,
            "RFC 8215: NAT64 of one's own; nobody else knows which bits are the IPv4 address" },
    { "100::", 64, OC_ADDRESS_NOWHERE, "RFC 6666: discarded" },
    { "100:0:0:1::", 64, OC_ADDRESS_NOWHERE, "RFC 9780: dummy" },
    { "2001::", 32, OC_ADDRESS_NOWHERE, "RFC 4380: Teredo, a tunnel through IPv4" },
    { "2001:2::", 48, OC_ADDRESS_NOWHERE, "RFC 5180: benchmarks" },
    { "2001:10::", 28, OC_ADDRESS_NOWHERE, "RFC 4843: ORCHID, no more" },
    { "2001:20::", 28, OC_ADDRESS_NOWHERE, "RFC 7343: ORCHIDv2, not routed" },
    { "2001:30::", 28, OC_ADDRESS_NOWHERE, "RFC 9374: drones' tags, not routed" },
    { "2001::", 23, OC_ADDRESS_NOWHERE,
            "RFC 2928: protocols (RFC 7723, 8155, 9665, 7450, 7535 among them)" },
    { "2001:db8::", 32, OC_ADDRESS_NOWHERE, "RFC 3849: documentation" },
    { "2002::", 16, OC_ADDRESS_NOWHERE,
            "RFC 3056: 6to4, ends at an IPv4 address of its writer's choice" },
    { "2620:4f:8000::", 48, OC_ADDRESS_NOWHERE, "RFC 7534: AS112, answers about private names" },
    { "3fff::", 20, OC_ADDRESS_NOWHERE, "RFC 9637: documentation" },
    { "2000::", 3, OC_ADDRESS_PUBLIC, "RFC 4291: global unicast" },
    { "5f00::", 16, OC_ADDRESS_NOWHERE, "RFC 9602: segments of SRv6" },
    { "fd00:ec2::", 32, OC_ADDRESS_NOWHERE, "Amazon: metadata" },
    { "fd20:ce::", 32, OC_ADDRESS_NOWHERE, "Google Cloud: metadata" },
    { "fc00::", 7, OC_ADDRESS_PRIVATE, "RFC 4193: unique local" },
    { "fe80::", 10, OC_ADDRESS_LINK, "RFC 4291: link-local" },
    { "fec0::", 10, OC_ADDRESS_PRIVATE, "RFC 3879: site-local, no more" },
    { "ff00::", 8, OC_ADDRESS_NOWHERE, "RFC 4291: multicast" },
    { "::", 0, OC_ADDRESS_NOWHERE, "RFC 4291: not given out" },
};

static bool is_in(const uint8_t *address, const uint8_t *net, unsigned bits) {
    unsigned whole = bits / 8, rest = bits % 8;
    return memcmp(address, net, whole) == 0 &&
           (rest == 0 || ((address[whole] ^ net[whole]) >> (8 - rest)) == 0);
}

/* The bytes are in network order. */
static int address_class_find(int family, const uint8_t *address) {
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        uint8_t net[16];
        if (inet_pton(family, rows[i].net, net) == 1 && is_in(address, net, rows[i].bits)) {
            return rows[i].class;
        }
    }
    return OC_ADDRESS_PUBLIC;
}

enum oc_address_class oc_address_class_v4(uint32_t address) {
    uint32_t raw = htonl(address);
    return (enum oc_address_class)address_class_find(AF_INET, (const uint8_t *)&raw);
}

enum oc_address_class oc_address_class_v6(const struct in6_addr *address) {
    int class = address_class_find(AF_INET6, address->s6_addr);
    return (enum oc_address_class)(
            class == IN_LAST_BITS ? address_class_find(AF_INET, address->s6_addr + 12) : class);
}

const char *oc_address_class_row(
        size_t i, unsigned *ret_bits, const char **ret_source, enum oc_address_class *ret_class) {
    if (i >= OC_COUNT(rows)) {
        return NULL;
    }
    *ret_bits = rows[i].bits;
    *ret_source = rows[i].source;
    *ret_class = rows[i].class == IN_LAST_BITS ? OC_ADDRESS_PUBLIC
                                               : (enum oc_address_class)rows[i].class;
    return rows[i].net;
}
