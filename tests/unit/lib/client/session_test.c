/* A session from dialling to its end: connect, refusals, what a gateway may leave out, life
 * signs. */
#include "tests/unit/lib/client/session_testing.h"

static void test_signed_connect(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    assert_string_equal(f->device_token, "dt");
    const cJSON *device = oc_json_get(f->connect, "device");
    assert_int_equal(any_int(f->connect, "minProtocol", 0), 3);
    assert_int_equal(any_int(f->connect, "maxProtocol", 0), 4);
    assert_string_equal(oc_json_get_str(oc_json_get(f->connect, "auth"), "token"), "secret-token");
    assert_string_equal(oc_json_get_str(device, "id"),
            "56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c");
    assert_string_equal(
            oc_json_get_str(device, "publicKey"), "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg");
    assert_string_equal(oc_json_get_str(device, "nonce"), "n-1");
    assert_true(any_int(device, "signedAt", 0) == 1700000000000); /* the gateway's, not ours */
    assert_true(oc_signature_verify(oc_json_get_str(device, "publicKey"),
            "v3|56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c|node-host|node|"
            "node||"
            "1700000000000|secret-token|n-1|linux|",
            oc_json_get_str(device, "signature")));
    assert_int_equal(f->ends, 0);
}

static void test_device_token_is_signed_without_a_token(void **state) {
    struct fixture *f = *state;
    f->params.token = NULL;
    f->params.device_token = "dev-tok";
    f->params.client_id = "cli";
    f->params.mode = "cli";
    f->params.role = NULL;
    f->params.platform = " Darwin ";
    f->params.device_family = "Mac";
    oc_strv_add(&f->params.scopes, "operator.read");
    oc_strv_add(&f->params.scopes, "operator.admin");
    /* without ts our own clock is used */
    f->challenge =
            "{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"nonce\":\"n-2\"}}";
    start_and_greet(f);
    const cJSON *device = oc_json_get(f->connect, "device");
    assert_true(oc_signature_verify(oc_json_get_str(device, "publicKey"),
            "v3|56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c|cli|cli|operator|"
            "operator.read,operator.admin|1700000005000|dev-tok|n-2|darwin|mac",
            oc_json_get_str(device, "signature")));
}

/* Passed on by somebody who has no TLS, or a certificate of their own. */
static void test_a_challenge_of_another_gateway_is_not_signed(void **state) {
    struct fixture *f = *state;
    f->challenge =
            "{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"ts\":1700000000000,"
            "\"nonce\":\"n-1.tls-0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"
            "cdef\"}}";
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_AUTH);
    assert_non_null(strstr(f->end_message, "one of another gateway"));
    assert_null(f->connect);
}

static void test_without_identity(void **state) {
    struct fixture *f = *state;
    struct oc_identity *kept = oc_take(&f->identity);
    start_and_greet(f);
    assert_null(oc_json_get(f->connect, "device"));
    f->identity = kept;
}

static void test_options_are_copied(void **state) {
    struct fixture *f = *state;
    char *host = oc_strdup("127.0.0.1"), *token = oc_strdup("short-lived");
    struct oc_connect *params = oc_new(struct oc_connect);
    *params = f->params;
    params->token = token;
    struct oc_session_opts opts = { .dial = { .host = host, .port = oc_server_port(f->server) },
        .connect = params };
    f->session = oc_session_start(f->loop, &opts, &events, f);
    memset(host, 'x', strlen(host));
    memset(token, 'x', strlen(token));
    oc_free(host);
    oc_free(token);
    oc_free(params);
    STEP_UNTIL(f->loop, f->hellos == 1);
    assert_string_equal(oc_json_get_str(oc_json_get(f->connect, "auth"), "token"), "short-lived");
}

/* Refusals. */

static void expect_refusal(
        struct fixture *f, const char *error, uint16_t close_code, enum oc_code code) {
    f->refusal = error;
    f->refusal_code = close_code;
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, code);
    assert_int_equal(f->end.close_code, close_code);
    assert_false(f->end.had_hello);
    assert_int_equal(f->hellos, 0);
    oc_session_destroy(oc_take(&f->session));
    oc_ws_destroy(oc_take(&f->gw));
    cJSON_Delete(oc_take(&f->connect));
    f->ends = 0;
}

static void test_refusals(void **state) {
    struct fixture *f = *state;
    expect_refusal(f,
            "{\"code\":\"NOT_PAIRED\",\"message\":\"pairing "
            "required\",\"details\":{\"code\":\"PAIRING_REQUIRED\","
            "\"requestId\":\"r1\"},\"retryAfterMs\":1500}",
            1008, OC_E_DENIED);
    assert_string_equal(f->end_message, "pairing required");
    assert_string_equal(f->end_error, "NOT_PAIRED");
    assert_string_equal(f->detail_code, "PAIRING_REQUIRED");
    assert_string_equal(f->end_reason, "node");
    assert_int_equal(f->end.retry_after_ms, 1500);
    expect_refusal(f,
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"unauthorized: gateway token mismatch\","
            "\"details\":{\"code\":\"AUTH_TOKEN_MISMATCH\"}}",
            1008, OC_E_AUTH);
    assert_int_equal(f->end.retry_after_ms, -1);
    expect_refusal(f,
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"no\","
            "\"details\":{\"cause\":\"LOCKED_OUT\"}}",
            1008, OC_E_AUTH);
    expect_refusal(f,
            "{\"code\":\"INVALID_REQUEST\",\"message\":\"protocol "
            "mismatch\",\"details\":{\"expectedProtocol\":5}}",
            1002, OC_E_UNSUPPORTED);
    expect_refusal(f,
            "{\"code\":\"UNAVAILABLE\",\"message\":\"gateway starting; retry "
            "shortly\",\"retryAfterMs\":500,"
            "\"retryable\":true}",
            1013, OC_E_UNAVAILABLE);
    assert_int_equal(f->end.retry_after_ms, 500);
    expect_refusal(
            f, "{\"code\":\"INVALID_REQUEST\",\"message\":\"invalid role\"}", 1008, OC_E_INVALID);
    expect_refusal(f, "{}", 1008, OC_E_CLOSED);
    assert_string_equal(f->end_message, "the gateway refused the connection");
}

static void test_refusal_without_close(void **state) {
    struct fixture *f = *state;
    f->refusal = "{\"code\":\"NOT_PAIRED\",\"message\":\"pairing required\"}";
    start(f);
    STEP_UNTIL(f->loop, f->connect);
    STEP_UNTIL(f->loop, (oc_fake_clock_advance(&f->clock, 100), f->ends == 1));
    assert_int_equal(f->end.code, OC_E_DENIED);
    assert_int_equal(f->gw_closed, 1008);
}

/* What a gateway may leave out. */

static void test_no_challenge(void **state) {
    struct fixture *f = *state;
    f->challenge = NULL;
    f->destroy_on_end = true;
    start(f);
    STEP_UNTIL(f->loop, f->gw);
    STEP_UNTIL(f->loop, (oc_fake_clock_advance(&f->clock, 100), f->ends == 1));
    assert_int_equal(f->end.code, OC_E_TIMEOUT);
    assert_int_equal(f->gw_closed, 1008);
    assert_string_equal(f->gw_reason, "connect challenge timeout");
}

static void test_challenge_without_nonce(void **state) {
    struct fixture *f = *state;
    f->challenge =
            "{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"nonce\":\" \"}}";
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_INVALID);
    assert_string_equal(f->gw_reason, "connect challenge missing nonce");
    assert_null(f->connect);
}

static void test_no_hello(void **state) {
    struct fixture *f = *state;
    f->hello = NULL;
    start(f);
    STEP_UNTIL(f->loop, f->connect);
    oc_fake_clock_advance(&f->clock, 15000);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_TIMEOUT);
    assert_int_equal(f->gw_closed, 4000);
    assert_string_equal(f->gw_reason, "connect timeout");
}

static void test_hello_that_is_none(void **state) {
    struct fixture *f = *state;
    f->hello = "{\"type\":\"something-else\"}";
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->hellos, 0);
    assert_int_equal(f->end.code, OC_E_INVALID);
}

static void test_params_the_gateway_would_refuse(void **state) {
    struct fixture *f = *state;
    f->params.client_id = "unheard-of";
    start(f);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_INVALID);
    assert_non_null(strstr(f->end_message, "invalid connect params"));
}

static void test_dial_fails(void **state) {
    struct fixture *f = *state;
    f->destroy_on_end = true;
    oc_server_stop_listening(f->server);
    start(f);
    assert_int_equal(f->ends, 0);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_IO);
    assert_int_equal(f->end.close_code, 0);
    assert_non_null(strstr(f->end_message, "connection refused"));
    assert_null(f->session);
}

/* Life signs. */

static void test_silent_gateway(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    for (int i = 0; i < 5; i++) {
        oc_fake_clock_advance(&f->clock, 30000);
        oc_ws_ping(f->gw); /* any traffic counts */
        int before = f->gw_activity;
        STEP_UNTIL(f->loop, f->gw_activity > before); /* the pong is back */
    }
    assert_int_equal(f->ends, 0);
    for (int i = 0; i < 2; i++) {
        oc_fake_clock_advance(&f->clock, 30000);
        step_some(f->loop);
        assert_int_equal(f->gw_closed, 0);
    }
    oc_fake_clock_advance(&f->clock, 30000);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->gw_closed, 4000);
    assert_string_equal(f->gw_reason, "tick timeout");
    assert_int_equal(f->end.code, OC_E_TIMEOUT);
    assert_int_equal(f->end.close_code, 4000);
    assert_true(f->end.had_hello);
}

static void test_lost_connection(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    oc_ws_abort(f->gw);
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->end.code, OC_E_CLOSED);
    assert_int_equal(f->end.close_code, 1006);
    assert_string_equal(f->end_message, "the connection to the gateway was lost");
}

static void test_close(void **state) {
    struct fixture *f = *state;
    start_and_greet(f);
    oc_session_close(f->session, 0, NULL);
    oc_session_close(f->session, 1000, "again");
    STEP_UNTIL(f->loop, f->ends == 1);
    assert_int_equal(f->gw_closed, 1005); /* an empty close frame */
    assert_int_equal(f->end.code, OC_E_CANCELLED);
    oc_session_close(f->session, 1000, "too late");
}

static void test_close_while_dialling(void **state) {
    struct fixture *f = *state;
    start(f);
    oc_session_close(f->session, 1000, "");
    assert_int_equal(f->ends, 0);
    step_some(f->loop);
    assert_int_equal(f->ends, 1);
    assert_int_equal(f->end.code, OC_E_CANCELLED);
    oc_session_destroy(oc_take(&f->session));
    start(f);
    oc_session_destroy(oc_take(&f->session));
    step_some(f->loop);
    assert_int_equal(f->ends, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_signed_connect),
        TEST(test_device_token_is_signed_without_a_token),
        TEST(test_a_challenge_of_another_gateway_is_not_signed),
        TEST(test_without_identity),
        TEST(test_options_are_copied),
        TEST(test_refusals),
        TEST(test_refusal_without_close),
        TEST(test_no_challenge),
        TEST(test_challenge_without_nonce),
        TEST(test_no_hello),
        TEST(test_hello_that_is_none),
        TEST(test_params_the_gateway_would_refuse),
        TEST(test_dial_fails),
        TEST(test_silent_gateway),
        TEST(test_lost_connection),
        TEST(test_close),
        TEST(test_close_while_dialling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
