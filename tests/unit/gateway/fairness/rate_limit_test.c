#include "gateway/fairness/rate_limit.h"

#include "tests/unit/unit.h"

#define MAX 3
#define WINDOW_MS 60000
#define LOCKOUT_MS 300000
#define IP "192.0.2.1"

struct fixture {
    struct oc_fake_clock clock;
    struct gw_rate_limit *limit;
};

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 1700000000000);
    f->limit = gw_rate_limit_create(&f->clock.clock);
    gw_rate_limit_configure(f->limit, MAX, WINDOW_MS, LOCKOUT_MS);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    gw_rate_limit_destroy(f->limit);
    oc_free(f);
    return 0;
}

static void fail_times(struct fixture *f, const char *ip, int times) {
    for (int i = 0; i < times; i++) {
        gw_rate_limit_failed(f->limit, GW_CRED_SHARED, ip);
    }
}

static int64_t wait_ms(struct fixture *f, const char *ip) {
    return gw_rate_limit_wait_ms(f->limit, GW_CRED_SHARED, ip);
}

static void test_locks_and_unlocks(void **state) {
    struct fixture *f = *state;
    fail_times(f, IP, MAX - 1);
    assert_int_equal(wait_ms(f, IP), 0);
    fail_times(f, IP, 1);
    assert_int_equal(wait_ms(f, IP), LOCKOUT_MS);
    assert_int_equal(wait_ms(f, "192.0.2.2"), 0);
    assert_int_equal(gw_rate_limit_wait_ms(f->limit, GW_CRED_DEVICE, IP), 0);
    oc_fake_clock_advance(&f->clock, LOCKOUT_MS - 1);
    assert_int_equal(wait_ms(f, IP), 1);
    oc_fake_clock_advance(&f->clock, 1);
    assert_int_equal(wait_ms(f, IP), 0);
    fail_times(f, IP, MAX - 1); /* the count starts anew */
    assert_int_equal(wait_ms(f, IP), 0);
}

static void test_window_passes(void **state) {
    struct fixture *f = *state;
    fail_times(f, IP, MAX - 1);
    oc_fake_clock_advance(&f->clock, WINDOW_MS);
    fail_times(f, IP, MAX - 1);
    assert_int_equal(wait_ms(f, IP), 0);
}

static void test_success_forgives(void **state) {
    struct fixture *f = *state;
    fail_times(f, IP, MAX - 1);
    gw_rate_limit_succeeded(f->limit, GW_CRED_SHARED, IP);
    fail_times(f, IP, MAX - 1);
    assert_int_equal(wait_ms(f, IP), 0);
}

static void test_ipv6_counts_by_network(void **state) {
    struct fixture *f = *state;
    fail_times(f, "2001:db8::1", 1);
    fail_times(f, "2001:db8::2", 1);
    fail_times(f, "2001:db8::3", 1);
    assert_int_equal(wait_ms(f, "2001:db8::4"), LOCKOUT_MS);
    assert_int_equal(wait_ms(f, "2001:db8:0:1::4"), 0);
}

/* A flood from everywhere must not push a locked address out of the table. */
static void test_flood_keeps_locks(void **state) {
    struct fixture *f = *state;
    fail_times(f, IP, MAX);
    for (int i = 0; i < 10000; i++) {
        char ip[32];
        snprintf(ip, sizeof(ip), "10.%d.%d.1", i / 250, i % 250);
        fail_times(f, ip, 1);
    }
    assert_int_equal(wait_ms(f, IP), LOCKOUT_MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_locks_and_unlocks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_window_passes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_success_forgives, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ipv6_counts_by_network, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flood_keeps_locks, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
