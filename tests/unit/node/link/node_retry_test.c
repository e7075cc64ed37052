/* What a node makes of every way a connection can end. */
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/protocol/grounds.h"
#include "node/link/retry.h"

/* As lib/client/session.c does. */
static void read_refusal(struct oc_session_end *end) {
    struct oc_told_error told = { .is_of_handshake = true,
        .code = end->error_code,
        .message = end->message,
        .details = end->details };
    enum oc_cause cause = end->grounds.cause;
    oc_free(oc_grounds_read(&told, &end->grounds));
    end->grounds.cause = cause ? cause : end->grounds.cause;
}

static struct nd_retry_plan decide(
        const char *details, struct oc_session_end end, bool has_secret) {
    OC_AUTO_JSON cJSON *tree = NULL;
    if (details) {
        assert_int_equal(oc_json_parse(details, strlen(details), &tree, NULL), OC_OK);
        end.details = tree;
        end.error_code = end.error_code ? end.error_code : "INVALID_REQUEST";
        end.close_code = 1008;
    }
    end.message = end.message ? end.message : "some text";
    end.close_reason = end.close_reason ? end.close_reason : "";
    if (details) {
        read_refusal(&end);
    }
    struct nd_retry_means means = { .has_shared_secret = has_secret };
    return nd_retry_decide(&end, &means);
}

static const struct oc_session_end plain = { .code = OC_E_CLOSED, .retry_after_ms = -1 };

static void hopeless_answers(void **state) {
    (void)state;
    static const struct {
        const char *details, *fix;
    } cases[] = {
        { "{\"code\":\"AUTH_TOKEN_MISSING\"}", "OPENCLAW_GATEWAY_TOKEN" },
        { "{\"code\":\"AUTH_TOKEN_MISMATCH\"}", "OPENCLAW_GATEWAY_TOKEN" },
        { "{\"code\":\"AUTH_PASSWORD_MISSING\"}", "OPENCLAW_GATEWAY_PASSWORD" },
        { "{\"code\":\"AUTH_PASSWORD_MISMATCH\"}", "OPENCLAW_GATEWAY_PASSWORD" },
        { "{\"code\":\"CLIENT_VERSION_MISMATCH\"}", "version" },
        { "{\"code\":\"PROTOCOL_MISMATCH\"}", "protocol" },
        { "{\"code\":\"AUTH_BOOTSTRAP_TOKEN_INVALID\"}", "join-code" },
        { "{\"code\":\"AUTH_IDENTITY_HEADER_REQUIRED\"}", "proxy" },
        { "{\"cause\":\"WRONG_TOKEN\"}", "OPENCLAW_GATEWAY_TOKEN" },
        { "{\"cause\":\"WRONG_PASSWORD\"}", "OPENCLAW_GATEWAY_PASSWORD" },
        { "{\"cause\":\"BAD_SETUP_CODE\"}", "join-code" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct nd_retry_plan p = decide(cases[i].details, plain, true);
        assert_int_equal(p.action, ND_RETRY_NEVER);
        assert_non_null(strstr(p.fix, cases[i].fix));
        assert_false(p.forgets_device_token);
    }
    struct oc_session_end old = plain; /* 2026.2.26: no details.code */
    old.grounds.cause = OC_CAUSE_PROTOCOL_MISMATCH;
    assert_int_equal(decide("{\"expectedProtocol\":5}", old, true).action, ND_RETRY_NEVER);
    struct oc_session_end close = plain;
    close.close_code = 1002;
    close.grounds.cause = OC_CAUSE_PROTOCOL_MISMATCH;
    assert_int_equal(decide(NULL, close, true).action, ND_RETRY_NEVER);
}

static void a_token_of_our_own_is_tried(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *details = cJSON_CreateObject();
    oc_json_set_str(details, "code", "AUTH_TOKEN_MISMATCH");
    oc_json_set_bool(details, "canRetryWithDeviceToken", true);
    struct oc_session_end end = plain;
    end.details = details;
    end.error_code = "INVALID_REQUEST";
    read_refusal(&end);
    struct nd_retry_means means = { .has_shared_secret = true, .has_device_token = true };
    struct nd_retry_plan p = nd_retry_decide(&end, &means);
    assert_int_equal(p.action, ND_RETRY_LATER);
    assert_true(p.uses_device_token);
    means.has_device_token = false;
    assert_int_equal(nd_retry_decide(&end, &means).action, ND_RETRY_NEVER);
    means.has_device_token = true;
    cJSON_DeleteItemFromObject(details, "canRetryWithDeviceToken"); /* not offered */
    assert_int_equal(nd_retry_decide(&end, &means).action, ND_RETRY_NEVER);
}

/* A gateway that moved while this node was away: one line, one command. */
static void who_was_away_is_told_what_to_do(void **state) {
    (void)state;
    static const struct {
        enum oc_cause cause;
        const char *fix;
    } cases[] = {
        { OC_CAUSE_NEEDS_TLS, "openclaw node run --pair -" },
        { OC_CAUSE_UNKNOWN_CERTIFICATE, "openclaw devices join-code" },
        { OC_CAUSE_CERTIFICATE_CHANGED, "replaced on purpose: on the gateway run: openclaw" },
        { OC_CAUSE_NO_TLS, "openclaw node run --no-tls" },
        { OC_CAUSE_CLOSED_EARLY, NULL },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct oc_session_end end = plain;
        end.grounds.cause = cases[i].cause;
        struct nd_retry_plan p = decide(NULL, end, true);
        assert_int_equal(p.action, ND_RETRY_LATER);
        if (cases[i].fix) {
            assert_non_null(strstr(p.fix, cases[i].fix));
        } else {
            assert_null(p.fix);
        }
        end.error_code = "UNAVAILABLE"; /* a gateway that is there cannot say so */
        assert_null(decide(NULL, end, true).fix);
    }
}

static void everything_else_is_tried_again(void **state) {
    (void)state;
    static const char *const details[] = { "{}", "{\"code\":\"AUTH_REQUIRED\"}",
        "{\"code\":\"AUTH_TOKEN_NOT_CONFIGURED\"}",
        "{\"code\":\"DEVICE_AUTH_INVALID\",\"reason\":\"device-signature-stale\"}",
        "{\"code\":\"SOMETHING_NEW\"}" };
    for (size_t i = 0; i < OC_COUNT(details); i++) {
        struct nd_retry_plan p = decide(details[i], plain, false);
        assert_int_equal(p.action, ND_RETRY_LATER);
        assert_int_equal(p.delay_ms, -1);
    }
    static const uint16_t codes[] = { 0, 1000, 1001, 1006, 1008, 1009, 1011, 1012, 4000, 4001 };
    for (size_t i = 0; i < OC_COUNT(codes); i++) {
        struct oc_session_end end = plain;
        end.close_code = codes[i];
        assert_int_equal(decide(NULL, end, false).action, ND_RETRY_LATER);
    }
}

static void delays_the_gateway_asks_for(void **state) {
    (void)state;
    struct oc_session_end end = plain;
    end.retry_after_ms = 500;
    assert_int_equal(decide("{\"reason\":\"startup-sidecars\"}", end, true).delay_ms, 500);
    end.retry_after_ms = 0;
    assert_int_equal(decide("{}", end, true).delay_ms, 100);
    end.retry_after_ms = INT64_MAX;
    assert_int_equal(decide("{}", end, true).delay_ms, 30000);
    end = plain;
    end.close_code = 1013;
    end.close_reason = "gateway starting";
    assert_int_equal(decide(NULL, end, true).delay_ms, 500);
    assert_int_equal(decide("{\"code\":\"AUTH_RATE_LIMITED\"}", plain, true).delay_ms, 30000);
    assert_int_equal(
            decide("{\"code\":\"AUTH_RATE_LIMITED\"}", plain, true).action, ND_RETRY_LATER);
    assert_int_equal(decide("{\"cause\":\"LOCKED_OUT\"}", plain, true).delay_ms, 30000);
}

static void pairing_is_waited_for(void **state) {
    (void)state;
    struct oc_session_end end = plain;
    end.error_code = "NOT_PAIRED";
    assert_int_equal(
            decide("{\"code\":\"PAIRING_REQUIRED\",\"requestId\":\"r\"}", end, true).action,
            ND_RETRY_AFTER_APPROVAL);
    /* Also without shared secret: the device token proved enough to be asked for more. */
    assert_int_equal(
            decide("{\"code\":\"PAIRING_REQUIRED\",\"reason\":\"role-upgrade\"}", end, false)
                    .action,
            ND_RETRY_AFTER_APPROVAL);
    assert_int_equal(
            decide("{\"cause\":\"NOT_PAIRED\"}", end, true).action, ND_RETRY_AFTER_APPROVAL);
}

static void stale_device_tokens(void **state) {
    (void)state;
    struct nd_retry_plan p = decide("{\"code\":\"AUTH_DEVICE_TOKEN_MISMATCH\"}", plain, true);
    assert_int_equal(p.action, ND_RETRY_LATER);
    assert_true(p.forgets_device_token);
    p = decide("{\"code\":\"AUTH_DEVICE_TOKEN_MISMATCH\"}", plain, false);
    assert_int_equal(p.action, ND_RETRY_NEVER);
    assert_true(p.forgets_device_token);
    assert_non_null(strstr(p.fix, "OPENCLAW_GATEWAY_TOKEN"));
    struct oc_session_end live = plain;
    live.close_code = 1008;
    live.grounds.cause = OC_CAUSE_DEVICE_TOKEN_MISMATCH;
    live.had_hello = true;
    p = decide(NULL, live, true);
    assert_int_equal(p.action, ND_RETRY_LATER);
    assert_true(p.forgets_device_token);
}

static void backoff(void **state) {
    (void)state;
    static const int64_t steps[] = { 1000, 2000, 4000, 8000, 16000, 30000, 30000 };
    for (uint32_t random = 0; random < 50000; random += 7919) {
        struct nd_backoff b = { 0 };
        for (size_t i = 0; i < OC_COUNT(steps); i++) {
            int64_t ms = nd_backoff_next(&b, random);
            assert_in_range(ms, steps[i] * 8 / 10, steps[i] * 12 / 10);
        }
    }
    struct nd_backoff low = { 0 }, high = { 0 };
    assert_int_equal(nd_backoff_next(&low, 0), 800);
    assert_int_equal(nd_backoff_next(&high, 400), 1200);
    struct nd_backoff long_ago = { .failures = UINT32_MAX };
    assert_in_range(nd_backoff_next(&long_ago, 1), 24000, 36000);
}

static void approval_delays(void **state) {
    (void)state;
    struct nd_backoff b = { 0 };
    static const int64_t steps[] = { 1000, 2000, 4000, 5000, 5000 };
    for (size_t i = 0; i < OC_COUNT(steps); i++) {
        assert_in_range(nd_approval_delay(&b, (uint32_t)i * 7919), steps[i] * 79 / 100, steps[i]);
    }
    for (int i = 0; i < 500; i++) {
        assert_in_range(nd_approval_delay(&b, (uint32_t)i), 3000, 15000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hopeless_answers),
        cmocka_unit_test(who_was_away_is_told_what_to_do),
        cmocka_unit_test(everything_else_is_tried_again),
        cmocka_unit_test(a_token_of_our_own_is_tried),
        cmocka_unit_test(delays_the_gateway_asks_for),
        cmocka_unit_test(pairing_is_waited_for),
        cmocka_unit_test(stale_device_tokens),
        cmocka_unit_test(backoff),
        cmocka_unit_test(approval_delays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
