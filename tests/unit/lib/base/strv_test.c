#include "tests/unit/unit.h"

#include "lib/base/str.h"

static void expect(const struct oc_strv *v, const char *joined) {
    OC_AUTO_FREE char *s = oc_strv_join(v, ",");
    assert_string_equal(s, joined);
}

static void adds_and_finds(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv v = { 0 };
    expect(&v, "");
    oc_strv_add(&v, "b");
    oc_strv_add(&v, "a");
    oc_strv_add_unique(&v, "b");
    oc_strv_add(&v, "b");
    expect(&v, "b,a,b");
    assert_true(oc_strv_has(&v, "a"));
    assert_false(oc_strv_has(&v, "A"));
    oc_strv_sort_unique(&v);
    expect(&v, "a,b");
    oc_strv_remove(&v, "a");
    oc_strv_remove(&v, "zz");
    expect(&v, "b");
}

static void covering(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv v = { 0 }, sub = { 0 };
    assert_true(oc_strv_covers(&v, &sub));
    assert_true(oc_strv_equal(&v, &sub));
    oc_strv_add(&sub, "x");
    assert_false(oc_strv_equal(&v, &sub));
    assert_false(oc_strv_covers(&v, &sub));
    oc_strv_copy(&v, &sub);
    assert_true(oc_strv_equal(&v, &sub));
    oc_strv_add(&v, "y");
    assert_false(oc_strv_equal(&v, &sub));
    assert_true(oc_strv_covers(&v, &sub));
    assert_false(oc_strv_covers(&sub, &v));
}

static void vectors(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv v = { 0 };
    OC_AUTO_FREE const char **none = oc_strv_vector(&v, 0);
    assert_null(none[0]);
    oc_strv_add(&v, "a");
    OC_AUTO_FREE const char **skipped = oc_strv_vector(&v, 2);
    assert_null(skipped[0]);
    assert_ptr_equal(skipped[2], v.items[0]);
    assert_null(skipped[3]);
}

/* Shrinking and growing again must not lose the capacity that add relies on. */
static void grows_after_shrinking(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv v = { 0 };
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < round + 3; i++) {
            OC_AUTO_FREE char *s = oc_strfmt("%d", i % 5);
            oc_strv_add(&v, s);
        }
        if (round % 3 == 0) {
            oc_strv_sort_unique(&v);
            assert_in_range(v.count, 3, 5);
        } else if (round % 3 == 1) {
            oc_strv_remove(&v, "2");
        }
    }
    assert_false(v.count == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_and_finds),
        cmocka_unit_test(covering),
        cmocka_unit_test(vectors),
        cmocka_unit_test(grows_after_shrinking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
