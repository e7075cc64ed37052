/* What a helper says about why it failed, and how little of it is believed. */
#include "lib/helper/failure.h"

#include "lib/base/mem.h"
#include "tests/unit/unit.h"

#include <string.h>

static void read_answer(const char *answer, struct oc_grounds *ret) {
    OC_AUTO_JSON cJSON *o = NULL;
    assert_int_equal(oc_json_parse(answer, strlen(answer), &o, NULL), OC_OK);
    oc_failure_read(o, ret);
}

static void what_was_put_is_read(void **state) {
    (void)state;
    struct oc_grounds g = { .cause = OC_CAUSE_BUSY, .remedy = OC_REMEDY_TRY_LATER }, got;
    OC_AUTO_JSON cJSON *answer = cJSON_CreateObject();
    oc_grounds_set_subject(&g, "/dev/video0");
    oc_failure_put(answer, &g);
    oc_failure_read(answer, &got);
    assert_int_equal(got.cause, OC_CAUSE_BUSY);
    assert_int_equal(got.remedy, OC_REMEDY_TRY_LATER);
    assert_string_equal(got.subject, "/dev/video0");
    OC_AUTO_JSON cJSON *none = cJSON_CreateObject();
    oc_failure_put(none, &(struct oc_grounds){ 0 });
    assert_null(none->child);
}

static void little_is_believed(void **state) {
    (void)state;
    static const struct {
        const char *answer;
        struct oc_grounds grounds;
    } cases[] = {
        { "{\"cause\":\"NOT_INSTALLED\",\"remedy\":\"install-package\","
          "\"subject\":\"gstreamer1.0-libav\"}",
                { .cause = OC_CAUSE_NOT_INSTALLED,
                        .remedy = OC_REMEDY_INSTALL_PACKAGE,
                        .subject = "gstreamer1.0-libav" } },
        /* Not every package, */
        { "{\"cause\":\"NOT_INSTALLED\",\"remedy\":\"install-package\",\"subject\":\"netcat\"}",
                { .cause = OC_CAUSE_NOT_INSTALLED } },
        { "{\"cause\":\"NOT_INSTALLED\",\"remedy\":\"install-package\"}",
                { .cause = OC_CAUSE_NOT_INSTALLED } },
        /* not every remedy, though it is one of a node, */
        { "{\"cause\":\"BUSY\",\"remedy\":\"security-full\"}", { .cause = OC_CAUSE_BUSY } },
        { "{\"cause\":\"BUSY\",\"remedy\":\"enable-switch\",\"subject\":\"camera\"}",
                { .cause = OC_CAUSE_BUSY, .subject = "camera" } },
        /* not every cause, and no gate, */
        { "{\"cause\":\"APPROVAL_REQUIRED\",\"remedy\":\"try-later\"}", { 0 } },
        { "{\"cause\":\"BUSY\",\"gate\":\"local switch\"}", { .cause = OC_CAUSE_BUSY } },
        /* nothing that is in no list, */
        { "{\"cause\":\"TIRED\",\"remedy\":\"sleep\"}", { 0 } },
        { "{\"cause\":5,\"remedy\":[],\"subject\":{}}", { 0 } },
        { "{\"remedy\":\"try-later\",\"subject\":\"x\"}", { 0 } },
        /* and nothing that cannot be shown. */
        { "{\"cause\":\"BUSY\",\"subject\":\"\\u001b[2J\"}", { .cause = OC_CAUSE_BUSY } },
        { "{\"cause\":\"BUSY\",\"subject\":\"a\\u202eb\"}", { .cause = OC_CAUSE_BUSY } },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct oc_grounds got;
        read_answer(cases[i].answer, &got);
        assert_int_equal(got.cause, cases[i].grounds.cause);
        assert_int_equal(got.gate, OC_GATE_NONE);
        assert_int_equal(got.remedy, cases[i].grounds.remedy);
        assert_string_equal(got.subject, cases[i].grounds.subject);
    }
}

static void a_long_subject_is_left_out(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *answer = cJSON_CreateObject();
    struct oc_grounds got;
    char much[OC_MAX_SUBJECT + 2];
    memset(much, 'x', sizeof(much) - 1);
    much[sizeof(much) - 1] = '\0';
    oc_json_set_str(answer, "cause", "BUSY");
    oc_json_set_str(answer, "subject", much);
    oc_failure_read(answer, &got);
    assert_int_equal(got.cause, OC_CAUSE_BUSY);
    assert_string_equal(got.subject, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_read),
        cmocka_unit_test(little_is_believed),
        cmocka_unit_test(a_long_subject_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
