#include "gateway/fairness/write_budget.h"

#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

static void counts_by_client(void **state) {
    (void)state;
    struct gw_write_budget *b = gw_write_budget_create();
    for (int i = 0; i < OC_MAX_CONFIG_WRITES; i++) {
        assert_int_equal(gw_write_budget_take(b, "a", 1000 + i), 0);
    }
    assert_int_equal(gw_write_budget_take(b, "a", 2000), OC_CONFIG_WRITE_WINDOW_MS - 1000);
    assert_int_equal(gw_write_budget_take(b, "b", 2000), 0);
    assert_int_equal(gw_write_budget_take(b, "a", 999 + OC_CONFIG_WRITE_WINDOW_MS), 1);
    assert_int_equal(gw_write_budget_take(b, "a", 1000 + OC_CONFIG_WRITE_WINDOW_MS), 0);
    gw_write_budget_destroy(b);
}

/* Many clients do not set the youngest one free. */
static void a_full_table_drops_the_oldest(void **state) {
    (void)state;
    struct gw_write_budget *b = gw_write_budget_create();
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof(name), "c%d", i);
        assert_int_equal(gw_write_budget_take(b, name, i), 0);
    }
    assert_int_equal(gw_write_budget_take(b, "c99", 100), 0);
    assert_int_equal(gw_write_budget_take(b, "c99", 100), 0);
    assert_true(gw_write_budget_take(b, "c99", 100) > 0);
    gw_write_budget_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_client),
        cmocka_unit_test(a_full_table_drops_the_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
