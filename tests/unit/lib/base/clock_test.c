#include "tests/unit/unit.h"

#include "lib/base/clock.h"

static void fake_clock_stands_still(void **state) {
    (void)state;
    struct oc_fake_clock fc;
    oc_fake_clock_init(&fc, 1700000000000);
    int64_t mono = oc_mono_ms(&fc.clock);
    assert_true(oc_wall_ms(&fc.clock) == 1700000000000);
    assert_true(oc_mono_ms(&fc.clock) == mono);
    oc_fake_clock_advance(&fc, 250);
    assert_true(oc_wall_ms(&fc.clock) == 1700000000250);
    assert_true(oc_mono_ms(&fc.clock) == mono + 250);
}

static void system_clock_makes_sense(void **state) {
    (void)state;
    int64_t a = oc_mono_ms(&oc_clock_system), b = oc_mono_ms(&oc_clock_system);
    assert_true(a > 0 && b >= a);
    assert_true(oc_wall_ms(&oc_clock_system) > 1700000000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fake_clock_stands_still),
        cmocka_unit_test(system_clock_makes_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
