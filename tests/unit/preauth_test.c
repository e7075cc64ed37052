#include "gateway/preauth.h"

#include "tests/unit/unit.h"

static void test_per_address(void **state) {
    (void)state;
    struct oc_preauth *p = oc_preauth_create();
    for (int i = 0; i < OC_MAX_PREAUTH_PER_IP; i++) {
        assert_true(oc_preauth_enter(p, "192.0.2.1", false));
    }
    assert_false(oc_preauth_enter(p, "192.0.2.1", false));
    assert_true(oc_preauth_enter(p, "192.0.2.2", false));
    oc_preauth_leave(p, "192.0.2.1", false);
    assert_true(oc_preauth_enter(p, "192.0.2.1", false));
    assert_false(oc_preauth_enter(p, "192.0.2.1", false));
    oc_preauth_destroy(p);
}

static void test_in_all(void **state) {
    (void)state;
    struct oc_preauth *p = oc_preauth_create();
    char ip[32];
    for (int i = 0; i < OC_MAX_PREAUTH_REMOTE; i++) {
        snprintf(ip, sizeof(ip), "10.0.%d.%d", i / 250, i % 250);
        assert_true(oc_preauth_enter(p, ip, false));
    }
    assert_false(oc_preauth_enter(p, "192.0.2.1", false));
    /* Strangers do not lock the owner out. */
    for (int i = 0; i < OC_MAX_PREAUTH_LOCAL; i++) {
        assert_true(oc_preauth_enter(p, "127.0.0.1", true));
    }
    assert_false(oc_preauth_enter(p, "127.0.0.1", true));
    oc_preauth_leave(p, "127.0.0.1", true);
    assert_true(oc_preauth_enter(p, "::1", true));
    oc_preauth_leave(p, "10.0.0.0", false);
    assert_true(oc_preauth_enter(p, "192.0.2.1", false));
    oc_preauth_destroy(p);
}

static void test_one_ipv6_network_is_one_stranger(void **state) {
    (void)state;
    struct oc_preauth *p = oc_preauth_create();
    char ip[48];
    for (int i = 0; i < OC_MAX_PREAUTH_PER_IP; i++) {
        snprintf(ip, sizeof(ip), "2001:db8::%x", i + 1);
        assert_true(oc_preauth_enter(p, ip, false));
    }
    assert_false(oc_preauth_enter(p, "2001:db8::ffff", false));
    assert_true(oc_preauth_enter(p, "2001:db8:0:1::1", false));
    oc_preauth_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_per_address),
        cmocka_unit_test(test_in_all),
        cmocka_unit_test(test_one_ipv6_network_is_one_stranger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
