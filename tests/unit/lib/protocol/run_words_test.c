#include "tests/unit/unit.h"

#include "lib/protocol/run_words.h"

static void outcomes(void **state) {
    (void)state;
    for (int i = 1; i < OC_OUTCOME_COUNT; i++) {
        assert_int_equal(oc_outcome_named(oc_outcome_name((enum oc_outcome)i)), i);
    }
    assert_null(oc_outcome_name(OC_OUTCOME_NONE));
    assert_int_equal(oc_outcome_named(NULL), OC_OUTCOME_NONE);
    assert_int_equal(oc_outcome_named("Exited"), OC_OUTCOME_NONE);
    /* As they stand in logs and databases of before. */
    assert_int_equal(oc_outcome_named("timed-out"), OC_OUTCOME_TIMED_OUT);
    assert_int_equal(oc_outcome_named("not-started"), OC_OUTCOME_NOT_STARTED);
    assert_int_equal(oc_outcome_named("node-stopped"), OC_OUTCOME_NODE_STOPPED);
}

/* What a gateway says itself, no node makes it write down. */
static void outcomes_that_a_node_reports(void **state) {
    (void)state;
    assert_true(oc_outcome_is_of_node(OC_OUTCOME_EXITED));
    assert_true(oc_outcome_is_of_node(OC_OUTCOME_REPEATED));
    assert_false(oc_outcome_is_of_node(OC_OUTCOME_NONE));
    assert_false(oc_outcome_is_of_node(OC_OUTCOME_STARTED));
    assert_false(oc_outcome_is_of_node(OC_OUTCOME_FAILED));
    assert_false(oc_outcome_is_of_node(OC_OUTCOME_UNKNOWN));
}

static void decisions(void **state) {
    (void)state;
    for (int i = 1; i < OC_DECISION_COUNT; i++) {
        assert_int_equal(oc_decision_named(oc_decision_name((enum oc_decision)i)), i);
    }
    assert_null(oc_decision_name(OC_DECISION_NONE));
    static const char *const none[] = { NULL, "", "allow", "allow-once ", "Deny" };
    for (size_t i = 0; i < OC_COUNT(none); i++) {
        assert_int_equal(oc_decision_named(none[i]), OC_DECISION_NONE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes),
        cmocka_unit_test(outcomes_that_a_node_reports),
        cmocka_unit_test(decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
