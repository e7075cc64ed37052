#include "gateway/handshake/refusal.h"

#include "tests/any_int.h"
#include "tests/unit/unit.h"

static void test_pairing(void **state) {
    (void)state;
    static const struct {
        const char *reason;
        int protocol;
        const char *message, *close_suffix;
    } rows[] = {
        { "not-paired", 3, "pairing required", "" },
        { "role-upgrade", 3, "pairing required", "" },
        { "not-paired", 4, "pairing required: device is not approved yet", " (requestId: req-1)" },
        { "role-upgrade", 4,
                "pairing required: device is asking for a higher role than currently approved",
                " (requestId: req-1)" },
        { "scope-upgrade", 4,
                "pairing required: device is asking for more scopes than currently approved",
                " (requestId: req-1)" },
        { "metadata-upgrade", 4,
                "pairing required: device identity changed and must be re-approved",
                " (requestId: req-1)" },
    };
    OC_AUTO_JSON cJSON *request = cJSON_CreateObject();
    oc_json_set_str(request, "requestId", "req-1");
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct gw_refusal r = { 0 };
        struct oc_connect c = { .role = "node", .device_id = "dev" };
        assert_false(gw_refuse_pairing(&r, rows[i].protocol, rows[i].reason, request, NULL, &c));
        assert_string_equal(r.code, "NOT_PAIRED");
        assert_string_equal(r.message, rows[i].message);
        assert_string_equal(r.close_suffix, rows[i].close_suffix);
        assert_int_equal(r.close_code, 1008);
        assert_string_equal(oc_json_get_str(r.details, "code"), "PAIRING_REQUIRED");
        assert_string_equal(oc_json_get_str(r.details, "requestId"), "req-1");
        assert_string_equal(oc_json_get_str(r.details, "reason"), rows[i].reason);
        assert_string_equal(oc_json_get_str(r.details, "recommendedNextStep"), "wait_then_retry");
        assert_true(oc_json_get_bool(r.details, "retryable", false));
        assert_false(oc_json_get_bool(r.details, "pauseReconnect", true));
        assert_string_equal(oc_json_get_str(r.details, "gate"), "device pairing");
        assert_string_equal(oc_json_get_str(r.details, "fix"), "openclaw nodes approve req-1");
        assert_int_equal(oc_json_get(r.details, "deviceId") != NULL, rows[i].protocol == 4);
        gw_refusal_finish(&r);
    }
}

static void test_device_codes(void **state) {
    (void)state;
    struct gw_refusal r = { 0 };
    gw_refuse_device(&r, GW_DEVICE_NONCE_MISMATCH, 3);
    assert_string_equal(r.message, "device nonce mismatch");
    assert_string_equal(oc_json_get_str(r.details, "code"), "DEVICE_AUTH_INVALID");
    assert_string_equal(oc_json_get_str(r.details, "reason"), "device-nonce-mismatch");
    gw_refusal_finish(&r);
    gw_refuse_device(&r, GW_DEVICE_NONCE_MISMATCH, 4);
    assert_string_equal(oc_json_get_str(r.details, "code"), "DEVICE_AUTH_NONCE_MISMATCH");
    assert_string_equal(oc_json_get_str(r.details, "cause"), "BAD_PROOF");
    gw_refusal_finish(&r);
}

static void test_protocol(void **state) {
    (void)state;
    struct gw_refusal r = { 0 };
    gw_refuse_protocol(&r, 1, 2);
    assert_int_equal(r.close_code, 1002);
    assert_int_equal(any_int(r.details, "expectedProtocol", 0), 3);
    gw_refusal_finish(&r);
    gw_refuse_protocol(&r, 99, 99);
    assert_int_equal(any_int(r.details, "expectedProtocol", 0), 4);
    assert_string_equal(oc_json_get_str(r.details, "code"), "PROTOCOL_MISMATCH");
    assert_string_equal(oc_json_get_str(r.details, "cause"), "PROTOCOL_MISMATCH");
    gw_refusal_finish(&r);
}

static void test_crowd(void **state) {
    (void)state;
    struct gw_refusal r = { 0 };
    gw_refuse_crowd(&r, true, 8);
    assert_int_equal(r.close_code, 1013);
    assert_string_equal(oc_json_get_str(r.details, "code"), "TOO_MANY_CONNECTIONS");
    assert_string_equal(oc_json_get_str(r.details, "cause"), "CROWDED");
    gw_refusal_finish(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairing),
        cmocka_unit_test(test_device_codes),
        cmocka_unit_test(test_protocol),
        cmocka_unit_test(test_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
