/* The time that a person has to answer the desktop's question. */
#include "tests/unit/unit.h"

#include "node/owner/consent_time.h"
#include "tests/any_int.h"

static void a_person_has_time_within_the_callers(void **state) {
    (void)state;
    static const struct {
        int64_t timeout_ms, capture_ms, wanted_ms;
    } cases[] = {
        { 0, 60000, 30000 },     /* a caller that waits as long as it takes */
        { 90000, 10000, 30000 }, /* or long enough */
        { 20000, 3000, 12000 },  /* time for the capture and for telling it */
        { 4000, 3000, 1000 },    /* never none at all */
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
        assert_int_equal(nd_consent_time_add(params, cases[i].timeout_ms, cases[i].capture_ms),
                cases[i].wanted_ms);
        assert_int_equal(any_int(params, "consentMs", 0), cases[i].wanted_ms);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_person_has_time_within_the_callers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
