/* Reserved addresses, row by row: the table against itself, and against a list of what must come
 * out. */
#include "lib/address/address_class.h"

#include "lib/base/mem.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static enum oc_address_class class_of(const char *text) {
    struct in6_addr v6;
    struct in_addr v4;
    if (inet_pton(AF_INET, text, &v4) == 1) {
        return oc_address_class_v4(ntohl(v4.s_addr));
    }
    assert_int_equal(inet_pton(AF_INET6, text, &v6), 1);
    return oc_address_class_v6(&v6);
}

/* First, last, and an address before and after: of each row of both registries, and of the further
 * ones. */
static void reserved_addresses_are_what_the_registries_say(void **state) {
    (void)state;
    enum { NO = OC_ADDRESS_NOWHERE, LINK = OC_ADDRESS_LINK, HERE = OC_ADDRESS_MACHINE };
    enum { NET = OC_ADDRESS_PRIVATE, PUB = OC_ADDRESS_PUBLIC };
    static const struct {
        const char *first, *last;
        int class;
        const char *before, *after; /* public ones; NULL: the neighbour is reserved, too */
    } cases[] = {
        { "0.0.0.0", "0.255.255.255", HERE, NULL, "1.0.0.0" },
        { "10.0.0.0", "10.255.255.255", NET, "9.255.255.255", "11.0.0.0" },
        { "100.64.0.0", "100.127.255.255", NET, "100.63.255.255", "100.128.0.0" },
        { "100.100.100.200", "100.100.100.200", NO, NULL, NULL },
        { "127.0.0.0", "127.255.255.255", HERE, "126.255.255.255", "128.0.0.0" },
        { "168.63.129.16", "168.63.129.16", NO, "168.63.129.15", "168.63.129.17" },
        { "169.254.0.0", "169.254.255.255", LINK, "169.253.255.255", "169.255.0.0" },
        { "172.16.0.0", "172.31.255.255", NET, "172.15.255.255", "172.32.0.0" },
        { "192.0.0.0", "192.0.0.255", NO, "191.255.255.255", "192.0.1.0" },
        { "192.0.0.170", "192.0.0.171", NO, NULL, NULL },
        { "192.0.2.0", "192.0.2.255", NO, "192.0.1.255", "192.0.3.0" },
        { "192.31.196.0", "192.31.196.255", NO, "192.31.195.255", "192.31.197.0" },
        { "192.52.193.0", "192.52.193.255", NO, "192.52.192.255", "192.52.194.0" },
        { "192.88.99.0", "192.88.99.255", NO, "192.88.98.255", "192.88.100.0" },
        { "192.168.0.0", "192.168.255.255", NET, "192.167.255.255", "192.169.0.0" },
        { "192.175.48.0", "192.175.48.255", NO, "192.175.47.255", "192.175.49.0" },
        { "198.18.0.0", "198.19.255.255", NET, "198.17.255.255", "198.20.0.0" },
        { "198.51.100.0", "198.51.100.255", NO, "198.51.99.255", "198.51.101.0" },
        { "203.0.113.0", "203.0.113.255", NO, "203.0.112.255", "203.0.114.0" },
        { "224.0.0.0", "239.255.255.255", NO, "223.255.255.255", NULL },
        { "240.0.0.0", "255.255.255.255", NO, NULL, NULL },
        { "::", "::1", HERE, NULL, NULL },
        { "::2", "::ffff:ffff", NO, NULL, NULL },
        { "::127.0.0.1", "::169.254.169.254", NO, NULL, NULL },
        { "::ffff:127.0.0.1", "::ffff:127.255.255.255", HERE, "::ffff:126.0.0.1",
                "::ffff:8.8.8.8" },
        { "::ffff:169.254.169.254", "::ffff:169.254.0.1", LINK, NULL, NULL },
        { "::ffff:10.0.0.1", "::ffff:192.168.1.1", NET, NULL, NULL },
        { "::ffff:0:0:0", "::ffff:0:ffff:ffff", NO, NULL, NULL },
        { "::ffff:0:8.8.8.8", "::ffff:0:127.0.0.1", NO, NULL, NULL },
        { "64:ff9b::10.0.0.1", "64:ff9b::192.168.0.1", NET, "64:ff9b::8.8.8.8",
                "64:ff9b::1.1.1.1" },
        { "64:ff9b::127.0.0.1", "64:ff9b::0.0.0.0", HERE, NULL, NULL },
        { "64:ff9b::169.254.169.254", "64:ff9b::169.254.0.0", LINK, NULL, NULL },
        { "64:ff9b::192.0.2.1", "64:ff9b::255.255.255.255", NO, NULL, NULL },
        { "64:ff9b:0:0:0:1::", "64:ff9b:0:ffff::8.8.8.8", NO, NULL, NULL },
        { "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", NO, NULL, NULL },
        { "64:ff9b:1::8.8.8.8", "64:ff9b:1::10.0.0.1", NO, NULL, NULL },
        { "100::", "100::ffff:ffff:ffff:ffff", NO, NULL, NULL },
        { "100:0:0:1::", "100::1:ffff:ffff:ffff:ffff", NO, NULL, NULL },
        { "200::", "1fff::1", NO, NULL, NULL },
        { "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", NO, "2000:ffff::", NULL },
        { "2001:1::1", "2001:1::3", NO, NULL, NULL },
        { "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", NO, NULL, NULL },
        { "2001:3::", "2001:3:ffff::", NO, NULL, NULL },
        { "2001:4:112::", "2001:4:112:ffff::", NO, NULL, NULL },
        { "2001:10::", "2001:1f:ffff::", NO, NULL, NULL },
        { "2001:20::", "2001:2f:ffff::", NO, NULL, NULL },
        { "2001:30::", "2001:3f:ffff::", NO, NULL, NULL },
        { "2001:1ff::", "2001:1ff:ffff::", NO, NULL, "2001:200::" },
        { "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", NO,
                "2001:db7:ffff::", "2001:db9::" },
        { "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NO, "2001:ffff::", "2003::" },
        { "2002:808:808::1", "2002:7f00:1::", NO, NULL, NULL },
        { "2620:4f:8000::", "2620:4f:8000:ffff::", NO, "2620:4f:7fff::", "2620:4f:8001::" },
        { "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", NO, "3ffe:ffff::", "3fff:1000::" },
        { "4000::", "5eff::", NO, "2a00::1", "2606:4700::1111" },
        { "5f00::", "5f00:ffff::", NO, NULL, NULL },
        { "6000::", "fbff:ffff::", NO, NULL, NULL },
        { "fc00::", "fdff:ffff::", NET, NULL, NULL },
        { "fd00:ec2::254", "fd00:ec2:ffff::", NO, NULL, NULL },
        { "fd20:ce::254", "fd20:ce:ffff::", NO, NULL, NULL },
        { "fe00::", "fe7f:ffff::", NO, NULL, NULL },
        { "fe80::", "febf:ffff::", LINK, NULL, NULL },
        { "fec0::", "feff:ffff::", NET, NULL, NULL },
        { "ff00::", "ffff:ffff::", NO, NULL, NULL },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        const char *const inside[] = { cases[i].first, cases[i].last };
        const char *const outside[] = { cases[i].before, cases[i].after };
        for (size_t k = 0; k < 2; k++) {
            if ((int)class_of(inside[k]) != cases[i].class) {
                fail_msg("%s is %d", inside[k], (int)class_of(inside[k]));
            }
            if (outside[k] && (int)class_of(outside[k]) != PUB) {
                fail_msg("%s is %d", outside[k], (int)class_of(outside[k]));
            }
        }
    }
}

static bool is_before(size_t row, const struct in6_addr *address, int family) {
    unsigned bits;
    const char *source, *net;
    enum oc_address_class class;
    for (size_t i = 0; i < row; i++) {
        struct in6_addr at;
        net = oc_address_class_row(i, &bits, &source, &class);
        if (inet_pton(family, net, &at) == 1 && memcmp(&at, address, (bits + 7) / 8) == 0) {
            return true;
        }
    }
    return false;
}

/* Every row is reached by its own first address (no row hides another), has a source, and no bits
 * behind its length. */
static void every_row_counts_and_has_a_source(void **state) {
    (void)state;
    unsigned bits;
    const char *source, *net;
    enum oc_address_class class;
    size_t n = 0;
    for (; (net = oc_address_class_row(n, &bits, &source, &class)) != NULL; n++) {
        struct in6_addr at = { 0 };
        int family = strchr(net, ':') ? AF_INET6 : AF_INET;
        assert_int_equal(inet_pton(family, net, &at), 1);
        assert_true(strlen(source) > 5);
        assert_true(bits <= (family == AF_INET ? 32 : 128));
        for (unsigned bit = bits; bit < 128; bit++) {
            if (at.s6_addr[bit / 8] & (0x80 >> bit % 8)) {
                fail_msg("%s/%u has bits behind its length", net, bits);
            }
        }
        if (!is_before(n, &at, family) && !strstr(source, "mapped") && !strstr(source, "NAT64") &&
                class_of(net) != class) {
            fail_msg("%s/%u: another row is taken for it", net, bits);
        }
    }
    assert_true(n > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserved_addresses_are_what_the_registries_say),
        cmocka_unit_test(every_row_counts_and_has_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
