#include "tests/unit/unit.h"

#include "lib/protocol/connect.h"
#include "lib/protocol/limits.h"

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &v, NULL), OC_OK);
    return v;
}

static void full(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v =
            parse("{\"type\":\"hello-ok\",\"protocol\":4,\"server\":{\"version\":\"2026.9.6\","
                  "\"connId\":\"c\"},"
                  "\"auth\":{\"deviceToken\":\"t\",\"role\":\"node\",\"scopes\":[\"a\",\"b\"]},"
                  "\"policy\":{\"maxPayload\":1000000,\"tickIntervalMs\":15000}}");
    struct oc_hello h;
    assert_int_equal(oc_hello_decode(v, &h, NULL), OC_OK);
    assert_true(h.protocol == 4 && h.tick_interval_ms == 15000 && h.max_payload == 1000000);
    assert_string_equal(h.server_version, "2026.9.6");
    assert_string_equal(h.conn_id, "c");
    assert_string_equal(h.device_token, "t");
    assert_string_equal(h.role, "node");
    assert_int_equal(h.scopes.count, 2);
    assert_false(h.is_native);
    oc_hello_finish(&h);
    OC_AUTO_JSON cJSON *ours = parse("{\"type\":\"hello-ok\",\"features\":{\"methods\":[1,"
                                     "\"exec.audit.list\"]}}");
    assert_int_equal(oc_hello_decode(ours, &h, NULL), OC_OK);
    assert_true(h.is_native);
    oc_hello_finish(&h);
}

static void bare(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v =
            parse("{\"type\":\"hello-ok\",\"policy\":5,\"auth\":[],\"server\":\"x\"}");
    struct oc_hello h;
    assert_int_equal(oc_hello_decode(v, &h, NULL), OC_OK);
    assert_true(h.protocol == 3 && h.tick_interval_ms == OC_TICK_INTERVAL_MS);
    assert_true(h.max_payload == OC_MAX_MESSAGE_BYTES);
    assert_null(h.device_token);
    oc_hello_finish(&h);
}

static void unreasonable_policy_is_clamped(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *low =
            parse("{\"type\":\"hello-ok\",\"policy\":{\"tickIntervalMs\":1,\"maxPayload\":-5}}");
    OC_AUTO_JSON cJSON *high = parse(
            "{\"type\":\"hello-ok\",\"policy\":{\"tickIntervalMs\":1e15,\"maxPayload\":1e15}}");
    struct oc_hello h;
    assert_int_equal(oc_hello_decode(low, &h, NULL), OC_OK);
    assert_true(h.tick_interval_ms == 1000 && h.max_payload == 1);
    oc_hello_finish(&h);
    assert_int_equal(oc_hello_decode(high, &h, NULL), OC_OK);
    assert_true(h.tick_interval_ms == 86400000 && h.max_payload == OC_MAX_MESSAGE_BYTES);
    oc_hello_finish(&h);
}

static void something_else(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v = parse("{\"type\":\"hello\"}"), *s = parse("\"hello-ok\"");
    struct oc_hello h;
    struct oc_error err;
    assert_int_equal(oc_hello_decode(v, &h, &err), OC_E_INVALID);
    assert_int_equal(oc_hello_decode(s, &h, &err), OC_E_INVALID);
    assert_int_equal(oc_hello_decode(NULL, &h, &err), OC_E_INVALID);
    oc_hello_finish(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full),
        cmocka_unit_test(bare),
        cmocka_unit_test(unreasonable_policy_is_clamped),
        cmocka_unit_test(something_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
