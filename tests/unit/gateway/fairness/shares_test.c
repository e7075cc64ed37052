#include "gateway/fairness/shares.h"

#include "tests/unit/unit.h"

#define PLACES 12

static size_t take_all(struct gw_shares *s, const char *actor) {
    size_t n = 0;
    while (gw_shares_may_take(s, actor)) {
        gw_shares_take(s, actor);
        n++;
    }
    return n;
}

static void test_one_alone_leaves_room(void **state) {
    (void)state;
    struct gw_shares *s = gw_shares_create(PLACES);
    assert_int_equal(take_all(s, "greedy"), PLACES / 2);
    assert_int_equal(take_all(s, "greedy"), 0);
    assert_int_equal(take_all(s, "other"), PLACES / 4);
    assert_true(gw_shares_may_take(s, "third"));
    gw_shares_destroy(s);
}

static void test_who_gives_back_may_take_again(void **state) {
    (void)state;
    struct gw_shares *s = gw_shares_create(PLACES);
    take_all(s, "a");
    assert_false(gw_shares_may_take(s, "a"));
    gw_shares_give_back(s, "a");
    assert_int_equal(gw_shares_held(s, "a"), PLACES / 2 - 1);
    assert_true(gw_shares_may_take(s, "a"));
    while (gw_shares_held(s, "a") > 0) {
        gw_shares_give_back(s, "a");
    }
    assert_int_equal(gw_shares_taken(s), 0);
    gw_shares_give_back(s, "a"); /* has nothing: nothing happens */
    assert_int_equal(gw_shares_taken(s), 0);
    gw_shares_destroy(s);
}

static void test_never_more_than_there_are(void **state) {
    (void)state;
    struct gw_shares *s = gw_shares_create(PLACES);
    char actor[8];
    for (int i = 0; i < 2 * PLACES; i++) {
        snprintf(actor, sizeof(actor), "a%d", i);
        take_all(s, actor);
    }
    assert_int_equal(gw_shares_taken(s), PLACES);
    assert_false(gw_shares_may_take(s, "late"));
    gw_shares_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_alone_leaves_room),
        cmocka_unit_test(test_who_gives_back_may_take_again),
        cmocka_unit_test(test_never_more_than_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
