#include "tests/unit/unit.h"

#include "lib/protocol/errors.h"

static void expect(cJSON *take_v, const char *want) {
    OC_AUTO_FREE char *text = oc_json_print(take_v, false);
    cJSON_Delete(take_v);
    assert_string_equal(text, want);
}

static void every_code_has_a_wire_code(void **state) {
    (void)state;
    for (int c = OC_OK; c <= OC_E_INTERNAL; c++) {
        struct oc_error err = { .code = (enum oc_code)c };
        assert_true(strlen(oc_wire_code(&err)) > 0);
    }
    struct oc_error err;
    oc_fail(&err, OC_E_INVALID, "x");
    assert_string_equal(oc_wire_code(&err), "INVALID_REQUEST");
    oc_fail(&err, OC_E_TIMEOUT, "x");
    assert_string_equal(oc_wire_code(&err), "UNAVAILABLE");
    oc_fail_wire(&err, OC_E_TIMEOUT, "SYSTEM_RUN_DENIED", "x");
    assert_string_equal(oc_wire_code(&err), "SYSTEM_RUN_DENIED");
}

static void error_objects(void **state) {
    (void)state;
    cJSON *details = cJSON_CreateObject();
    oc_json_set_str(details, "code", "X");
    expect(oc_wire_error("NOT_PAIRED", "pairing required", details, -1),
            "{\"code\":\"NOT_PAIRED\",\"message\":\"pairing "
            "required\",\"details\":{\"code\":\"X\"}}");
    expect(oc_wire_error("UNAVAILABLE", "gateway starting", NULL, 500),
            "{\"code\":\"UNAVAILABLE\",\"message\":\"gateway "
            "starting\",\"retryable\":true,\"retryAfterMs\":500}");
    struct oc_error err;
    oc_fail(&err, OC_E_NOT_FOUND, "unknown nodeId");
    expect(oc_wire_error_from(&err),
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"unknown nodeId\"}");
    oc_fail_cause(&err, OC_E_NOT_FOUND, OC_CAUSE_UNKNOWN_NODE, "unknown nodeId");
    expect(oc_wire_error_from(&err),
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"unknown nodeId\",\"details\":{"
            "\"cause\":\"UNKNOWN_NODE\"}}");
    /* What helps is worth saying without a cause, too. */
    oc_fail(&err, OC_E_INVALID, "no");
    err.grounds.remedy = OC_REMEDY_NEW_ID;
    expect(oc_wire_error_from(&err),
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"no\",\"details\":{"
            "\"remedy\":\"new-id\",\"fix\":\"ask again with a new id, or with none\"}}");
}

static void code_and_message_are_never_empty(void **state) {
    (void)state;
    static const char *const texts[] = { NULL, "" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        OC_AUTO_JSON cJSON *e = oc_wire_error(texts[i], texts[i], NULL, -1);
        assert_true(strlen(oc_json_get_str(e, "code")) > 0);
        assert_true(strlen(oc_json_get_str(e, "message")) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_wire_code),
        cmocka_unit_test(error_objects),
        cmocka_unit_test(code_and_message_are_never_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
