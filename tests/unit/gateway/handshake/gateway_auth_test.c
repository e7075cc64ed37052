#include "gateway/handshake/auth.h"

#include "tests/unit/unit.h"

static const struct gw_config token_mode = { .auth_mode = GW_AUTH_TOKEN,
    .secret = (char *)"s3cret" };
static const struct gw_config password_mode = { .auth_mode = GW_AUTH_PASSWORD,
    .secret = (char *)"s3cret" };
static const struct gw_config no_auth = { .auth_mode = GW_AUTH_NONE };

static void test_check(void **state) {
    (void)state;
    static const struct {
        const struct gw_config *cfg;
        struct gw_auth_sent sent;
        int protocol;
        enum gw_auth_result expected;
    } rows[] = {
        { &token_mode, { .token = "s3cret" }, 3, GW_AUTH_OK },
        { &token_mode, { .token = "s3cre" }, 3, GW_AUTH_TOKEN_MISMATCH },
        { &token_mode, { .token = "s3crets" }, 3, GW_AUTH_TOKEN_MISMATCH },
        { &token_mode, { .token = "" }, 3, GW_AUTH_TOKEN_MISSING },
        { &token_mode, { 0 }, 3, GW_AUTH_TOKEN_MISSING },
        { &token_mode, { .password = "s3cret" }, 3, GW_AUTH_TOKEN_MISSING },
        { &token_mode, { .password = "s3cret" }, 4, GW_AUTH_OK },
        { &token_mode, { .password = "x" }, 4, GW_AUTH_TOKEN_MISMATCH },
        { &token_mode, { .token = "x", .password = "s3cret" }, 4, GW_AUTH_TOKEN_MISMATCH },
        { &token_mode, { .device_token = "s3cret" }, 3, GW_AUTH_TOKEN_MISSING },
        { &password_mode, { .password = "s3cret" }, 3, GW_AUTH_OK },
        { &password_mode, { .password = "S3cret" }, 3, GW_AUTH_PASSWORD_MISMATCH },
        { &password_mode, { .token = "s3cret" }, 3, GW_AUTH_PASSWORD_MISSING },
        { &password_mode, { .token = "s3cret" }, 4, GW_AUTH_OK },
        { &no_auth, { 0 }, 3, GW_AUTH_OK },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        enum gw_auth_result r = gw_auth_check(rows[i].cfg, rows[i].protocol, &rows[i].sent);
        if (r != rows[i].expected) {
            fail_msg("row %zu: %d instead of %d", i, (int)r, (int)rows[i].expected);
        }
    }
}

static void test_texts(void **state) {
    (void)state;
    static const struct {
        enum gw_auth_result result;
        int protocol;
        const char *client_id, *mode, *message, *code, *reason;
    } rows[] = {
        { GW_AUTH_TOKEN_MISSING, 3, "cli", "cli",
                "unauthorized: gateway token missing (set gateway.remote.token to match "
                "gateway.auth.token)",
                "AUTH_TOKEN_MISSING", "token_missing" },
        { GW_AUTH_TOKEN_MISMATCH, 3, "node-host", "node",
                "unauthorized: gateway token mismatch (provide gateway auth token)",
                "AUTH_TOKEN_MISMATCH", "token_mismatch" },
        { GW_AUTH_TOKEN_MISMATCH, 3, "openclaw-control-ui", "ui",
                "unauthorized: gateway token mismatch (open the dashboard URL and paste the token "
                "in Control UI "
                "settings)",
                "AUTH_TOKEN_MISMATCH", "token_mismatch" },
        { GW_AUTH_TOKEN_MISMATCH, 4, "cli", "cli",
                "unauthorized: gateway token mismatch (use this gateway's gateway.auth.token or "
                "pair the "
                "device)",
                "AUTH_TOKEN_MISMATCH", "token_mismatch" },
        { GW_AUTH_PASSWORD_MISMATCH, 3, "cli", "cli",
                "unauthorized: gateway password mismatch (set gateway.remote.password to match "
                "gateway.auth.password)",
                "AUTH_PASSWORD_MISMATCH", "password_mismatch" },
        { GW_AUTH_DEVICE_TOKEN_MISMATCH, 3, "node-host", "node",
                "unauthorized: device token mismatch (rotate/reissue device token)",
                "AUTH_DEVICE_TOKEN_MISMATCH", "device_token_mismatch" },
        { GW_AUTH_RATE_LIMITED, 4, "cli", "cli",
                "unauthorized: too many failed authentication attempts (retry later)",
                "AUTH_RATE_LIMITED", "rate_limited" },
    };
    struct gw_auth_sent sent = { .token = "x" };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct gw_auth_refusal r = gw_auth_refuse(
                rows[i].result, rows[i].protocol, rows[i].client_id, rows[i].mode, true, &sent);
        assert_string_equal(r.message, rows[i].message);
        assert_string_equal(oc_json_get_str(r.details, "code"), rows[i].code);
        assert_string_equal(oc_json_get_str(r.details, "authReason"), rows[i].reason);
        assert_int_equal(
                oc_json_get(r.details, "recommendedNextStep") != NULL, rows[i].protocol == 4);
        cJSON_Delete(r.details);
    }
}

/* Who decides what to do next looks at the cause. */
static void test_causes(void **state) {
    (void)state;
    static const struct {
        enum gw_auth_result result;
        const char *cause;
    } rows[] = {
        { GW_AUTH_TOKEN_MISSING, "WRONG_TOKEN" },
        { GW_AUTH_TOKEN_MISMATCH, "WRONG_TOKEN" },
        { GW_AUTH_PASSWORD_MISSING, "WRONG_PASSWORD" },
        { GW_AUTH_PASSWORD_MISMATCH, "WRONG_PASSWORD" },
        { GW_AUTH_DEVICE_TOKEN_MISMATCH, "DEVICE_TOKEN_MISMATCH" },
        { GW_AUTH_RATE_LIMITED, "LOCKED_OUT" },
        { GW_AUTH_BOOTSTRAP_INVALID, "BAD_SETUP_CODE" },
    };
    struct gw_auth_sent sent = { .token = "x" };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct gw_auth_refusal r = gw_auth_refuse(rows[i].result, 3, "cli", "cli", true, &sent);
        assert_string_equal(oc_json_get_str(r.details, "cause"), rows[i].cause);
        cJSON_Delete(r.details);
    }
}

/* Newer clients try their device token by themselves when they are told that it may help. */
static void test_next_step(void **state) {
    (void)state;
    struct gw_auth_sent token = { .token = "x" }, both = { .token = "x", .device_token = "y" };
    struct gw_auth_refusal r =
            gw_auth_refuse(GW_AUTH_TOKEN_MISMATCH, 4, "cli", "cli", true, &token);
    assert_true(oc_json_get_bool(r.details, "canRetryWithDeviceToken", false));
    assert_string_equal(
            oc_json_get_str(r.details, "recommendedNextStep"), "retry_with_device_token");
    cJSON_Delete(r.details);
    r = gw_auth_refuse(GW_AUTH_TOKEN_MISMATCH, 4, "cli", "cli", false, &token);
    assert_false(oc_json_get_bool(r.details, "canRetryWithDeviceToken", true));
    assert_string_equal(
            oc_json_get_str(r.details, "recommendedNextStep"), "update_auth_credentials");
    cJSON_Delete(r.details);
    r = gw_auth_refuse(GW_AUTH_TOKEN_MISMATCH, 4, "cli", "cli", true, &both);
    assert_false(oc_json_get_bool(r.details, "canRetryWithDeviceToken", true));
    cJSON_Delete(r.details);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_next_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
