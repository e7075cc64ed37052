#include "tests/unit/unit.h"

#include "lib/protocol/invoke.h"
#include "lib/protocol/limits.h"

static void calls(void **state) {
    (void)state;
    struct oc_invoke_call c;
    struct oc_error err;
    assert_int_equal(
            oc_invoke_call_decode(
                    SLICE("{\"nodeId\":\"n\",\"command\":\"system.run\",\"params\":{\"x\":[ 1 ]},"
                          "\"timeoutMs\":5000,\"idempotencyKey\":\"k\",\"sessionKey\":\"s\"}"),
                    &c, &err),
            OC_OK);
    assert_string_equal(c.node_id, "n");
    assert_string_equal(c.command, "system.run");
    assert_string_equal(c.idempotency_key, "k");
    assert_true(oc_slice_eq(c.params, "{\"x\":[ 1 ]}"));
    assert_true(c.timeout_ms == 5000);
    oc_invoke_call_finish(&c);
    assert_int_equal(
            oc_invoke_call_decode(
                    SLICE("{\"nodeId\":\"n\",\"command\":\"c\",\"params\":null,\"timeoutMs\":1e15,"
                          "\"idempotencyKey\":\"k\"}"),
                    &c, &err),
            OC_OK);
    assert_true(c.params.len == 0 && c.timeout_ms == OC_MAX_INVOKE_MS);
    oc_invoke_call_finish(&c);
}

static void call_errors(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        { "", "must be object" },
        { "[]", "must be object" },
        { "{\"nodeId\":\"n\",\"command\":\"c\"}", "must have required property 'idempotencyKey'" },
        { "{\"nodeId\":\"\",\"command\":7,\"idempotencyKey\":\"k\"}",
                "at /nodeId: must NOT have fewer than 1 characters; at /command: must be string" },
        { "{\"nodeId\":\"n\",\"command\":\"c\",\"idempotencyKey\":\"k\",\"timeoutMs\":\"5\"}",
                "at /timeoutMs: must be integer" },
        { "{\"nodeId\":\"n\",\"command\":\"c\",\"idempotencyKey\":\"k\",\"command\":\"d\"}",
                "at root: duplicate property 'command'" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct oc_invoke_call c;
        struct oc_error err;
        struct oc_slice text = { cases[i][0], strlen(cases[i][0]) };
        assert_int_equal(oc_invoke_call_decode(text, &c, &err), OC_E_INVALID);
        assert_string_equal(err.text, cases[i][1]);
        oc_invoke_call_finish(&c);
    }
}

static void requests(void **state) {
    (void)state;
    struct oc_invoke_request r;
    struct oc_error err;
    assert_int_equal(
            oc_invoke_request_decode(SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"command\":\"c\","
                                           "\"paramsJSON\":\"{\\\"a\\\":\\\"\\\\u00e4\\\"}\","
                                           "\"timeoutMs\":14991,\"idempotencyKey\":\"k\"}"),
                    &r, &err),
            OC_OK);
    assert_string_equal(r.id, "i");
    assert_string_equal(r.params_json->data, "{\"a\":\"\\u00e4\"}");
    assert_true(r.timeout_ms == 14991);
    assert_string_equal(r.idempotency_key, "k");
    oc_invoke_request_finish(&r);
    assert_int_equal(
            oc_invoke_request_decode(
                    SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"command\":\"c\",\"paramsJSON\":null,"
                          "\"idempotencyKey\":null}"),
                    &r, &err),
            OC_OK);
    assert_true(!r.params_json && r.timeout_ms == -1 && !r.idempotency_key);
    oc_invoke_request_finish(&r);
    assert_int_equal(
            oc_invoke_request_decode(
                    SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"command\":\"c\",\"params\":{\"a\":1}}"),
                    &r, &err),
            OC_OK);
    assert_string_equal(r.params_json->data, "{\"a\":1}");
    oc_invoke_request_finish(&r);
    assert_int_equal(
            oc_invoke_request_decode(
                    SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"command\":\"c\",\"paramsJSON\":{}}"),
                    &r, &err),
            OC_E_INVALID);
    assert_string_equal(err.text, "at /paramsJSON: must be string");
    oc_invoke_request_finish(&r);
    assert_int_equal(oc_invoke_request_decode(
                             SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"command\":\"c\",\"caller\":{"
                                   "\"id\":\"me\"},"
                                   "\"paramsJSON\":\"{\\\"caller\\\":{\\\"id\\\":\\\"you\\\"}}\"}"),
                             &r, &err),
            OC_OK);
    assert_string_equal(oc_json_get_str(r.caller, "id"), "me");
    oc_invoke_request_finish(&r);
    assert_int_equal(
            oc_invoke_request_decode(
                    SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"command\":\"c\",\"caller\":\"me\"}"),
                    &r, &err),
            OC_OK);
    assert_null(r.caller); /* one that makes no sense is nobody */
    oc_invoke_request_finish(&r);
}

static void results(void **state) {
    (void)state;
    struct oc_invoke_result r;
    struct oc_error err;
    assert_int_equal(
            oc_invoke_result_decode(SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,"
                                          "\"payloadJSON\":\"{\\\"a\\\":1}\",\"error\":null}"),
                    &r, &err),
            OC_OK);
    assert_true(r.ok && r.has_payload_json && r.payload.len == 0 && !r.error_code);
    assert_true(oc_slice_eq(r.payload_json_body, "{\\\"a\\\":1}"));
    oc_invoke_result_finish(&r);
    assert_int_equal(oc_invoke_result_decode(SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,"
                                                   "\"payload\":[1],\"payloadJSON\":null}"),
                             &r, &err),
            OC_OK);
    assert_true(!r.has_payload_json && oc_slice_eq(r.payload, "[1]"));
    oc_invoke_result_finish(&r);
    assert_int_equal(
            oc_invoke_result_decode(
                    SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,\"payloadJSON\":{\"a\":1}}"),
                    &r, &err),
            OC_OK);
    assert_true(!r.has_payload_json && oc_slice_eq(r.payload, "{\"a\":1}"));
    oc_invoke_result_finish(&r);
    assert_int_equal(
            oc_invoke_result_decode(
                    SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,\"error\":{\"code\":\"X\","
                          "\"message\":\"a\\nb\",\"more\":1}}"),
                    &r, &err),
            OC_OK);
    assert_false(r.ok);
    assert_string_equal(r.error_code, "X");
    assert_string_equal(r.error_message, "a\nb");
    oc_invoke_result_finish(&r);
}

static void result_errors(void **state) {
    (void)state;
    struct oc_invoke_result r;
    struct oc_error err;
    assert_int_equal(oc_invoke_result_decode(
                             SLICE("{\"id\":\"i\",\"ok\":\"yes\",\"error\":\"x\"}"), &r, &err),
            OC_E_INVALID);
    assert_string_equal(err.text, "must have required property 'nodeId'; at /ok: must be boolean; "
                                  "at /error: must be object");
    oc_invoke_result_finish(&r);
    assert_int_equal(oc_invoke_result_decode(SLICE("{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,"
                                                   "\"error\":{\"code\":5,\"message\":\"\"}}"),
                             &r, &err),
            OC_OK);
    assert_true(!r.error_code && !r.error_message);
    oc_invoke_result_finish(&r);
}

/* A node's error text is cut, not refused: its code still has to reach the caller. */
static void long_error_text_is_cut(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1 << 20);
    oc_buf_puts(&text, "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,\"error\":{\"code\":\"X\","
                       "\"message\":\"a");
    for (int i = 0; i < 100000; i++) {
        oc_buf_puts(&text, i % 2 ? "ü" : "\\u00fc");
    }
    oc_buf_puts(&text, "\"}}");
    struct oc_invoke_result r;
    assert_int_equal(
            oc_invoke_result_decode((struct oc_slice){ text.data, text.len }, &r, NULL), OC_OK);
    assert_string_equal(r.error_code, "X");
    size_t len = strlen(r.error_message);
    assert_in_range(len, 65000, 65536);
    assert_memory_equal(r.error_message + len - 2, "ü", 2);
    oc_invoke_result_finish(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),
        cmocka_unit_test(call_errors),
        cmocka_unit_test(requests),
        cmocka_unit_test(results),
        cmocka_unit_test(result_errors),
        cmocka_unit_test(long_error_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
