#include "tests/unit/unit.h"

#include "lib/base/error.h"
#include "lib/base/utf8.h"

static void fail_sets_everything(void **state) {
    (void)state;
    struct oc_error err = { .wire = "OLD", .grounds = { .gate = OC_GATE_LOCAL } };
    assert_int_equal(oc_fail(&err, OC_E_IO, "open '%s'", "x"), OC_E_IO);
    assert_int_equal(err.code, OC_E_IO);
    assert_null(err.wire);
    assert_int_equal(err.grounds.gate, OC_GATE_NONE);
    assert_string_equal(err.text, "open 'x'");
    assert_int_equal(oc_fail_wire(&err, OC_E_DENIED, "SYSTEM_RUN_DENIED", "no"), OC_E_DENIED);
    assert_string_equal(err.wire, "SYSTEM_RUN_DENIED");
    assert_int_equal(oc_fail_cause(&err, OC_E_IO, OC_CAUSE_NO_TLS, "no"), OC_E_IO);
    assert_int_equal(err.grounds.cause, OC_CAUSE_NO_TLS);
    assert_int_equal(oc_fail(NULL, OC_E_TIMEOUT, "nobody reads this"), OC_E_TIMEOUT);
}

static void text_may_wrap_itself(void **state) {
    (void)state;
    struct oc_error err;
    oc_fail(&err, OC_E_IO, "disk full");
    oc_fail(&err, OC_E_IO, "saving failed: %s", err.text);
    assert_string_equal(err.text, "saving failed: disk full");
}

static void prefix_keeps_all_but_the_text(void **state) {
    (void)state;
    struct oc_error err;
    oc_fail_wire(&err, OC_E_INVALID, "X", "bad");
    err.grounds.cause = OC_CAUSE_RUN_DENIED;
    oc_error_prefix(&err, "file %d", 7);
    assert_string_equal(err.text, "file 7: bad");
    assert_int_equal(err.code, OC_E_INVALID);
    assert_string_equal(err.wire, "X");
    assert_int_equal(err.grounds.cause, OC_CAUSE_RUN_DENIED);
    oc_error_prefix(NULL, "ignored");
}

static void long_text_is_cut_at_a_character(void **state) {
    (void)state;
    char long_text[1000];
    for (size_t i = 0; i + 2 < sizeof(long_text); i += 2) {
        memcpy(long_text + i, "ü", 2);
    }
    long_text[998] = '\0';
    struct oc_error err;
    oc_fail(&err, OC_E_INVALID, "x%s", long_text);
    size_t len = strlen(err.text);
    assert_in_range(len, sizeof(err.text) - 4, sizeof(err.text) - 1);
    assert_true(oc_utf8_valid(err.text, len));
}

static void a_setting_stands_in_front_of_why(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(
            oc_fail_setting(&err, OC_E_INVALID, "gateway.port", "must be %d", 1), OC_E_INVALID);
    assert_string_equal(err.text, "gateway.port: must be 1");
    assert_string_equal(oc_error_why(&err), "must be 1");
    assert_int_equal(err.grounds.cause, OC_CAUSE_BAD_SETTING);
    assert_string_equal(err.grounds.subject, "gateway.port");
    oc_error_prefix(&err, "config");
    assert_string_equal(err.text, "config: gateway.port: must be 1");
    assert_string_equal(oc_error_why(&err), "must be 1");
    char name[600];
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    (void)oc_fail_setting(&err, OC_E_INVALID, name, "no");
    assert_string_equal(oc_error_why(&err), "");
    (void)oc_fail(&err, OC_E_INVALID, "plain");
    assert_string_equal(oc_error_why(&err), "plain");
    (void)oc_fail_setting(NULL, OC_E_INVALID, "a", "b");
}

static void busy_says_what_helps(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(oc_fail_busy(&err, OC_REMEDY_TRY_LATER, "too many"), OC_E_UNAVAILABLE);
    assert_int_equal(err.code, OC_E_UNAVAILABLE);
    assert_int_equal(err.grounds.cause, OC_CAUSE_BUSY);
    assert_int_equal(err.grounds.remedy, OC_REMEDY_TRY_LATER);
}

static void a_missing_program_names_its_package(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(oc_fail_not_installed(&err, "openclaw-web", "no %s", "web"), OC_E_UNAVAILABLE);
    assert_string_equal(err.text, "no web");
    assert_int_equal(err.grounds.cause, OC_CAUSE_NOT_INSTALLED);
    assert_int_equal(err.grounds.remedy, OC_REMEDY_INSTALL_PACKAGE);
    assert_string_equal(err.grounds.subject, "openclaw-web");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_sets_everything),
        cmocka_unit_test(text_may_wrap_itself),
        cmocka_unit_test(prefix_keeps_all_but_the_text),
        cmocka_unit_test(long_text_is_cut_at_a_character),
        cmocka_unit_test(a_setting_stands_in_front_of_why),
        cmocka_unit_test(busy_says_what_helps),
        cmocka_unit_test(a_missing_program_names_its_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
