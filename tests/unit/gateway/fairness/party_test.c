#include "gateway/fairness/party.h"

#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

static bool enter(struct oc_parties *p, const char *ip, bool is_here) {
    struct oc_party *party = oc_party_of_address(p, ip, is_here);
    bool ok = oc_party_enter(party);
    oc_party_unref(party); /* the test keeps none; the counters stay */
    return ok;
}

static void leave(struct oc_parties *p, const char *ip, bool is_here) {
    struct oc_party *party = oc_party_of_address(p, ip, is_here);
    oc_party_leave(party);
    oc_party_unref(party);
}

static void test_per_address(void **state) {
    (void)state;
    struct oc_parties *p = oc_parties_create();
    for (int i = 0; i < OC_MAX_PREAUTH_PER_IP; i++) {
        assert_true(enter(p, "192.0.2.1", false));
    }
    assert_false(enter(p, "192.0.2.1", false));
    assert_true(enter(p, "192.0.2.2", false));
    leave(p, "192.0.2.1", false);
    assert_true(enter(p, "192.0.2.1", false));
    assert_false(enter(p, "192.0.2.1", false));
    oc_parties_destroy(p);
}

static void test_addresses_in_all(void **state) {
    (void)state;
    struct oc_parties *p = oc_parties_create();
    char ip[32];
    for (int i = 0; i < OC_MAX_PREAUTH_REMOTE; i++) {
        snprintf(ip, sizeof(ip), "10.0.%d.%d", i / 250, i % 250);
        assert_true(enter(p, ip, false));
    }
    assert_false(enter(p, "192.0.2.1", false));
    /* Strangers do not lock the owner out. */
    for (int i = 0; i < OC_MAX_PREAUTH_LOCAL; i++) {
        assert_true(enter(p, "127.0.0.1", true));
    }
    assert_false(enter(p, "127.0.0.1", true));
    leave(p, "127.0.0.1", true);
    assert_true(enter(p, "::1", true));
    leave(p, "10.0.0.0", false);
    assert_true(enter(p, "192.0.2.1", false));
    oc_parties_destroy(p);
}

/* Programs of other users may not fill what the gateway's own user comes in by. */
static void test_places_of_this_machine_are_kept_for_the_owner(void **state) {
    (void)state;
    struct oc_parties *p = oc_parties_create();
    struct oc_party *here = oc_party_of_address(p, "127.0.0.1", true);
    unsigned for_all = 0, kept = 0;
    for (; !oc_party_is_crowded(here); for_all++) {
        assert_true(oc_party_enter(here));
    }
    for (; oc_party_enter(here); kept++) {
        assert_true(oc_party_is_crowded(here));
    }
    assert_int_equal(for_all + kept, OC_MAX_PREAUTH_LOCAL);
    assert_in_range(kept, 32, for_all);
    for (unsigned i = 0; i < kept; i++) {
        assert_true(oc_party_is_crowded(here));
        oc_party_leave(here);
    }
    assert_true(oc_party_is_crowded(here));
    oc_party_leave(here);
    assert_false(oc_party_is_crowded(here));
    oc_party_unref(here);

    /* Nothing is kept of a stranger's: the owner is not there. */
    struct oc_party *stranger = oc_party_of_address(p, "192.0.2.1", false);
    for (int i = 0; i < OC_MAX_PREAUTH_PER_IP; i++) {
        assert_false(oc_party_is_crowded(stranger));
        assert_true(oc_party_enter(stranger));
    }
    assert_true(oc_party_is_crowded(stranger));
    oc_parties_destroy(p);
}

static void test_one_ipv6_network_is_one_stranger(void **state) {
    (void)state;
    struct oc_parties *p = oc_parties_create();
    char ip[48];
    for (int i = 0; i < OC_MAX_PREAUTH_PER_IP; i++) {
        snprintf(ip, sizeof(ip), "2001:db8::%x", i + 1);
        assert_true(enter(p, ip, false));
    }
    assert_false(enter(p, "2001:db8::ffff", false));
    assert_true(enter(p, "2001:db8:0:1::1", false));
    oc_parties_destroy(p);
}

static void test_one_device_however_many_connections(void **state) {
    (void)state;
    struct oc_parties *p = oc_parties_create();
    struct oc_party *a = oc_party_of_device(p, "a"), *b = oc_party_of_device(p, "b");
    struct oc_party *owner = oc_party_of_secret(p);
    assert_ptr_equal(a, oc_party_of_device(p, "a"));
    assert_string_equal(owner->name, "shared-secret");
    for (int i = 0; i < OC_MAX_CONNS_PER_DEVICE; i++) {
        assert_true(oc_party_enter(a));
    }
    assert_false(oc_party_enter(a));
    assert_true(oc_party_enter(b));
    assert_true(oc_party_enter(owner));
    oc_party_leave(a);
    assert_true(oc_party_enter(a));
    oc_parties_destroy(p);
}

static void test_who_comes_back_finds_its_counters(void **state) {
    (void)state;
    struct oc_parties *p = oc_parties_create();
    struct oc_party *a = oc_party_of_device(p, "a");
    assert_true(oc_party_enter(a));
    oc_party_unref(a);
    char id[16];
    for (int i = 0; i < OC_MAX_IDLE_PARTIES - 1; i++) {
        snprintf(id, sizeof(id), "d%d", i);
        oc_party_unref(oc_party_of_device(p, id));
    }
    struct oc_party *again = oc_party_of_device(p, "a");
    assert_int_equal(again->connections, 1);
    oc_party_unref(again);
    /* Then it is forgotten: so many others have been here. */
    for (int i = 0; i < OC_MAX_IDLE_PARTIES; i++) {
        snprintf(id, sizeof(id), "e%d", i);
        oc_party_unref(oc_party_of_device(p, id));
    }
    again = oc_party_of_device(p, "a");
    assert_int_equal(again->connections, 0);
    oc_parties_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_per_address),
        cmocka_unit_test(test_addresses_in_all),
        cmocka_unit_test(test_places_of_this_machine_are_kept_for_the_owner),
        cmocka_unit_test(test_one_ipv6_network_is_one_stranger),
        cmocka_unit_test(test_one_device_however_many_connections),
        cmocka_unit_test(test_who_comes_back_finds_its_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
