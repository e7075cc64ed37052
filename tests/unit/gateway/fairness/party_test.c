#include "gateway/fairness/party.h"

#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

static bool enter(struct gw_parties *p, const char *ip, bool is_here) {
    struct gw_party *party = gw_party_of_address(p, ip, is_here);
    bool ok = gw_party_enter(party);
    gw_party_unref(party); /* the test keeps none; the counters stay */
    return ok;
}

static void leave(struct gw_parties *p, const char *ip, bool is_here) {
    struct gw_party *party = gw_party_of_address(p, ip, is_here);
    gw_party_leave(party);
    gw_party_unref(party);
}

static void test_per_address(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    for (int i = 0; i < OC_MAX_PREAUTH_PER_IP; i++) {
        assert_true(enter(p, "192.0.2.1", false));
    }
    assert_false(enter(p, "192.0.2.1", false));
    assert_true(enter(p, "192.0.2.2", false));
    leave(p, "192.0.2.1", false);
    assert_true(enter(p, "192.0.2.1", false));
    assert_false(enter(p, "192.0.2.1", false));
    gw_parties_destroy(p);
}

static void test_addresses_in_all(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
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
    gw_parties_destroy(p);
}

/* Programs of other users may not fill what the gateway's own user comes in by. */
static void test_places_of_this_machine_are_kept_for_the_owner(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    struct gw_party *here = gw_party_of_address(p, "127.0.0.1", true);
    unsigned for_all = 0, kept = 0;
    for (; !gw_party_is_crowded(here); for_all++) {
        assert_true(gw_party_enter(here));
    }
    for (; gw_party_enter(here); kept++) {
        assert_true(gw_party_is_crowded(here));
    }
    assert_int_equal(for_all + kept, OC_MAX_PREAUTH_LOCAL);
    assert_in_range(kept, 32, for_all);
    for (unsigned i = 0; i < kept; i++) {
        assert_true(gw_party_is_crowded(here));
        gw_party_leave(here);
    }
    assert_true(gw_party_is_crowded(here));
    gw_party_leave(here);
    assert_false(gw_party_is_crowded(here));
    gw_party_unref(here);

    /* Nothing is kept of a stranger's: the owner is not there. */
    struct gw_party *stranger = gw_party_of_address(p, "192.0.2.1", false);
    for (int i = 0; i < OC_MAX_PREAUTH_PER_IP; i++) {
        assert_false(gw_party_is_crowded(stranger));
        assert_true(gw_party_enter(stranger));
    }
    assert_true(gw_party_is_crowded(stranger));
    gw_parties_destroy(p);
}

static void test_one_ipv6_network_is_one_stranger(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    char ip[48];
    for (int i = 0; i < OC_MAX_PREAUTH_PER_IP; i++) {
        snprintf(ip, sizeof(ip), "2001:db8::%x", i + 1);
        assert_true(enter(p, ip, false));
    }
    assert_false(enter(p, "2001:db8::ffff", false));
    assert_true(enter(p, "2001:db8:0:1::1", false));
    gw_parties_destroy(p);
}

static void test_one_device_however_many_connections(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    struct gw_party *a = gw_party_of_device(p, "a"), *b = gw_party_of_device(p, "b");
    struct gw_party *owner = gw_party_of_secret(p);
    assert_ptr_equal(a, gw_party_of_device(p, "a"));
    assert_string_equal(owner->name, "shared-secret");
    for (int i = 0; i < OC_MAX_CONNS_PER_DEVICE; i++) {
        assert_true(gw_party_enter(a));
    }
    assert_false(gw_party_enter(a));
    assert_true(gw_party_enter(b));
    assert_true(gw_party_enter(owner));
    gw_party_leave(a);
    assert_true(gw_party_enter(a));
    gw_parties_destroy(p);
}

static void test_who_comes_back_finds_its_counters(void **state) {
    (void)state;
    struct gw_parties *p = gw_parties_create();
    struct gw_party *a = gw_party_of_device(p, "a");
    assert_true(gw_party_enter(a));
    gw_party_unref(a);
    char id[16];
    for (int i = 0; i < OC_MAX_IDLE_PARTIES - 1; i++) {
        snprintf(id, sizeof(id), "d%d", i);
        gw_party_unref(gw_party_of_device(p, id));
    }
    struct gw_party *again = gw_party_of_device(p, "a");
    assert_int_equal(again->connections, 1);
    gw_party_unref(again);
    /* Then it is forgotten: so many others have been here. */
    for (int i = 0; i < OC_MAX_IDLE_PARTIES; i++) {
        snprintf(id, sizeof(id), "e%d", i);
        gw_party_unref(gw_party_of_device(p, id));
    }
    again = gw_party_of_device(p, "a");
    assert_int_equal(again->connections, 0);
    gw_parties_destroy(p);
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
