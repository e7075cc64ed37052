#include "gateway/run_outcome.h"

#include "base/mem.h"
#include "tests/unit/unit.h"

static void expect(enum oc_payload_kind kind, const char *payload, const char *wanted) {
    struct oc_answer a = {
        .ok = true, .payload_kind = kind, .payload = { payload, payload ? strlen(payload) : 0 }
    };
    OC_AUTO_JSON cJSON *o = oc_run_outcome_of(&a);
    OC_AUTO_FREE char *text = oc_json_print(o, false);
    assert_string_equal(text, wanted);
}

static void results(void **state) {
    (void)state;
    expect(OC_PAYLOAD_RAW,
            "{\"exitCode\":0,\"timedOut\":false,\"stdout\":\"a\\n\\u00e4\",\"stderr\":\"\"}",
            "{\"outcome\":\"exited\",\"exitCode\":0,\"bytes\":4}");
    expect(OC_PAYLOAD_ESCAPED, "{\\\"exitCode\\\":7,\\\"stdout\\\":\\\"\\\\n\\\"}",
            "{\"outcome\":\"exited\",\"exitCode\":7,\"bytes\":1}");
    expect(OC_PAYLOAD_RAW, "{\"timedOut\":true,\"stdout\":\"x\"}",
            "{\"outcome\":\"timed-out\",\"bytes\":1}");
    expect(OC_PAYLOAD_RAW, "{\"signal\":9,\"error\":null}",
            "{\"outcome\":\"killed\",\"signal\":9,\"bytes\":0}");
    expect(OC_PAYLOAD_RAW, "{\"error\":\"spawn x ENOENT\\u001b\"}",
            "{\"outcome\":\"not-started\",\"bytes\":0,\"reason\":\"spawn x ENOENT\\\\x1b\"}");
}

static void answers_that_say_nothing(void **state) {
    (void)state;
    const char *unread =
            "{\"outcome\":\"unknown\",\"reason\":\"the node's answer could not be read\"}";
    expect(OC_PAYLOAD_NONE, NULL, unread);
    expect(OC_PAYLOAD_RAW, "[1]", unread);
    expect(OC_PAYLOAD_UNPARSED, "{", unread);
}

static void refusals(void **state) {
    (void)state;
    struct oc_answer a = { .node_code = "SYSTEM_RUN_DENIED", .message = "SYSTEM_RUN_DENIED: no" };
    OC_AUTO_JSON cJSON *refused = oc_run_outcome_of(&a);
    assert_string_equal(oc_json_get_str(refused, "outcome"), "refused");
    struct oc_answer lost = { .node_code = "NOT_CONNECTED", .message = "node disconnected" };
    OC_AUTO_JSON cJSON *unknown = oc_run_outcome_of(&lost);
    assert_string_equal(oc_json_get_str(unknown, "outcome"), "unknown");
    assert_string_equal(oc_json_get_str(unknown, "reason"), "node disconnected");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results),
        cmocka_unit_test(answers_that_say_nothing),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
