/* Who is let in, and what everybody else is told. The rows carry the names of what was recorded
 * from the reference. */
#include "gateway_harness.h"
#include "tests/any_int.h"

#define FAR "Host: gateway.lan:18789\r\n"
#define ORIGIN_TEXT                                                                 \
    "origin not allowed (open the Control UI from the gateway host or allow it in " \
    "gateway.controlUi.allowedOrigins)"
#define MISMATCH_V3 \
    "unauthorized: gateway token mismatch (set gateway.remote.token to match gateway.auth.token)"
#define MISMATCH_V4                                                                            \
    "unauthorized: gateway token mismatch (use this gateway's gateway.auth.token or pair the " \
    "device)"
#define MISSING_V3 \
    "unauthorized: gateway token missing (set gateway.remote.token to match gateway.auth.token)"
#define DEVICE_TOKEN "unauthorized: device token mismatch (rotate/reissue device token)"
#define BAD_PARAMS "invalid connect params: "

static void bad_client_id(cJSON *p) {
    cJSON *client = cJSON_GetObjectItem(p, "client");
    oc_json_set_str(client, "id", "my-node");
}
static void bad_client_mode(cJSON *p) {
    cJSON *client = cJSON_GetObjectItem(p, "client");
    oc_json_set_str(client, "mode", "operator");
}
static void no_version(cJSON *p) {
    cJSON_DeleteItemFromObject(cJSON_GetObjectItem(p, "client"), "version");
}
static void bad_signature(cJSON *p) {
    char text[87];
    memset(text, 'A', 86);
    text[86] = '\0';
    cJSON *device = cJSON_GetObjectItem(p, "device");
    oc_json_set_str(device, "signature", text);
}
static void bad_id(cJSON *p) {
    char text[65];
    memset(text, 'f', 64);
    text[64] = '\0';
    cJSON *device = cJSON_GetObjectItem(p, "device");
    oc_json_set_str(device, "id", text);
}
static void bad_key(cJSON *p) {
    cJSON *device = cJSON_GetObjectItem(p, "device");
    oc_json_set_str(device, "publicKey", "nonsense");
}
static void more_scopes(cJSON *p) {
    cJSON_AddItemToArray(
            cJSON_GetObjectItem(p, "scopes"), cJSON_CreateString("operator.everything"));
}
static void unknown_fields(cJSON *p) {
    cJSON *client = cJSON_GetObjectItem(p, "client");
    oc_json_set_int(p, "foo", 1);
    oc_json_set_str(client, "buildId", "x");
}

enum device { NO_DEVICE, OWN_DEVICE };

struct refusal_row {
    const char *name;
    struct who who;
    const char *code, *message, *detail_code, *detail_reason;
    enum device device;
    uint16_t close_code; /* 0: 1008 */
};

static const struct refusal_row refusals[] = {
    { "protocol-too-old", { .min = 1, .max = 2 }, "INVALID_REQUEST", "protocol mismatch",
            "PROTOCOL_MISMATCH", NULL, OWN_DEVICE, 1002 },
    { "protocol-too-new", { .min = 99, .max = 99 }, "INVALID_REQUEST", "protocol mismatch",
            "PROTOCOL_MISMATCH", NULL, OWN_DEVICE, 1002 },
    { "bad-role", { .role = "boss" }, "INVALID_REQUEST", "invalid role", NULL, NULL, OWN_DEVICE,
            0 },
    { "bad-client-id", { .mutate = bad_client_id }, "INVALID_REQUEST",
            BAD_PARAMS
            "at /client/id: must be equal to constant; at /client/id: must match a schema in anyOf",
            NULL, NULL, OWN_DEVICE, 0 },
    { "bad-client-mode", { .mutate = bad_client_mode }, "INVALID_REQUEST",
            BAD_PARAMS "at /client/mode: must be equal to constant; at /client/mode: must match a "
                       "schema in anyOf",
            NULL, NULL, OWN_DEVICE, 0 },
    { "missing-version", { .mutate = no_version }, "INVALID_REQUEST",
            BAD_PARAMS "at /client: must have required property 'version'", NULL, NULL, OWN_DEVICE,
            0 },
    { "no-device-node-token", { .role = "node" }, "NOT_PAIRED", "device identity required",
            "DEVICE_IDENTITY_REQUIRED", NULL, NO_DEVICE, 0 },
    { "no-device-bad-token", { .token = "bad", .max = 3 }, "INVALID_REQUEST", MISMATCH_V3,
            "AUTH_TOKEN_MISMATCH", NULL, NO_DEVICE, 0 },
    { "no-device-bad-token v4", { .token = "bad" }, "INVALID_REQUEST", MISMATCH_V4,
            "AUTH_TOKEN_MISMATCH", NULL, NO_DEVICE, 0 },
    { "no-device-no-auth", { .no_token = true }, "NOT_PAIRED", "device identity required",
            "DEVICE_IDENTITY_REQUIRED", NULL, NO_DEVICE, 0 },
    { "wrong-token", { .token = "wrong", .max = 3 }, "INVALID_REQUEST", MISMATCH_V3,
            "AUTH_TOKEN_MISMATCH", NULL, OWN_DEVICE, 0 },
    { "no-device, far", { .headers = FAR }, "NOT_PAIRED", "device identity required",
            "DEVICE_IDENTITY_REQUIRED", NULL, NO_DEVICE, 0 },
    { "no-auth", { .no_token = true, .max = 3 }, "INVALID_REQUEST", MISSING_V3,
            "AUTH_TOKEN_MISSING", NULL, OWN_DEVICE, 0 },
    { "password-on-token-gw", { .no_token = true, .password = "x", .max = 3 }, "INVALID_REQUEST",
            MISSING_V3, "AUTH_TOKEN_MISSING", NULL, OWN_DEVICE, 0 },
    { "password-on-token-gw v4", { .no_token = true, .password = "x" }, "INVALID_REQUEST",
            MISMATCH_V4, "AUTH_TOKEN_MISMATCH", NULL, OWN_DEVICE, 0 },
    { "bad-device-token", { .no_token = true, .device_token = "nope" }, "INVALID_REQUEST",
            DEVICE_TOKEN, "AUTH_DEVICE_TOKEN_MISMATCH", NULL, OWN_DEVICE, 0 },
    { "bad-sig", { .mutate = bad_signature, .max = 3 }, "INVALID_REQUEST",
            "device signature invalid", "DEVICE_AUTH_INVALID", "device-signature", OWN_DEVICE, 0 },
    { "bad-sig v4", { .mutate = bad_signature }, "INVALID_REQUEST", "device signature invalid",
            "DEVICE_AUTH_SIGNATURE_INVALID", "device-signature", OWN_DEVICE, 0 },
    { "scopes changed after signing", { .mutate = more_scopes }, "INVALID_REQUEST",
            "device signature invalid", "DEVICE_AUTH_SIGNATURE_INVALID", "device-signature",
            OWN_DEVICE, 0 },
    { "bad-id", { .mutate = bad_id, .max = 3 }, "INVALID_REQUEST", "device identity mismatch",
            "DEVICE_AUTH_INVALID", "device-id-mismatch", OWN_DEVICE, 0 },
    { "bad-key", { .mutate = bad_key }, "INVALID_REQUEST", "device public key invalid",
            "DEVICE_AUTH_PUBLIC_KEY_INVALID", "device-public-key", OWN_DEVICE, 0 },
    { "stale", { .skew_ms = -130000, .max = 3 }, "INVALID_REQUEST", "device signature expired",
            "DEVICE_AUTH_INVALID", "device-signature-stale", OWN_DEVICE, 0 },
    { "future", { .skew_ms = 130000 }, "INVALID_REQUEST", "device signature expired",
            "DEVICE_AUTH_SIGNATURE_EXPIRED", "device-signature-stale", OWN_DEVICE, 0 },
    { "bad-nonce", { .nonce = "00000000-0000-0000-0000-000000000000", .max = 3 }, "INVALID_REQUEST",
            "device nonce mismatch", "DEVICE_AUTH_INVALID", "device-nonce-mismatch", OWN_DEVICE,
            0 },
    { "empty-nonce", { .nonce = " " }, "INVALID_REQUEST", "device nonce required",
            "DEVICE_AUTH_NONCE_REQUIRED", "device-nonce-missing", OWN_DEVICE, 0 },
    { "remote-host-not-paired", { .headers = FAR, .max = 3 }, "NOT_PAIRED", "pairing required",
            "PAIRING_REQUIRED", "not-paired", OWN_DEVICE, 0 },
    { "remote-host-node-not-paired", { .headers = FAR, .role = "node", .max = 3 }, "NOT_PAIRED",
            "pairing required", "PAIRING_REQUIRED", "not-paired", OWN_DEVICE, 0 },
    { "behind a proxy", { .headers = "X-Forwarded-For: 192.0.2.1\r\n", .max = 3 }, "NOT_PAIRED",
            "pairing required", "PAIRING_REQUIRED", "not-paired", OWN_DEVICE, 0 },
    { "origin-evil", { .headers = "Origin: http://evil.example\r\n", .max = 3 }, "INVALID_REQUEST",
            ORIGIN_TEXT, NULL, NULL, OWN_DEVICE, 0 },
    { "origin-evil v4", { .headers = "Origin: http://evil.example\r\n" }, "INVALID_REQUEST",
            ORIGIN_TEXT, "CONTROL_UI_ORIGIN_NOT_ALLOWED", "origin not allowed", OWN_DEVICE, 0 },
    { "control-ui-no-origin", { .client_id = "openclaw-control-ui", .mode = "ui", .max = 3 },
            "INVALID_REQUEST", ORIGIN_TEXT, NULL, NULL, OWN_DEVICE, 0 },
    { "control-ui without device",
            { .client_id = "openclaw-control-ui",
                    .mode = "ui",
                    .headers = "Origin: http://localhost:1\r\n" },
            "NOT_PAIRED",
            "control ui requires device identity (use HTTPS or localhost secure context)",
            "CONTROL_UI_DEVICE_IDENTITY_REQUIRED", NULL, NO_DEVICE, 0 },
    { "page of this machine, not a UI",
            { .headers = "Origin: http://localhost:1234\r\n", .max = 3 }, "NOT_PAIRED",
            "pairing required", "PAIRING_REQUIRED", "not-paired", OWN_DEVICE, 0 },
};

/* NULL: it is for people alone. */
static const char *cause_of(const char *detail_code) {
    static const char *const rows[][2] = {
        { "AUTH_DEVICE_TOKEN", "DEVICE_TOKEN_MISMATCH" },
        { "AUTH_TOKEN", "WRONG_TOKEN" },
        { "CONTROL_UI_DEVICE", "DEVICE_REQUIRED" },
        { "DEVICE_AUTH", "BAD_PROOF" },
        { "DEVICE_IDENTITY", "DEVICE_REQUIRED" },
        { "PAIRING_REQUIRED", "NOT_PAIRED" },
        { "PROTOCOL_MISMATCH", "PROTOCOL_MISMATCH" },
    };
    for (size_t i = 0; detail_code && i < OC_COUNT(rows); i++) {
        if (oc_starts_with(detail_code, rows[i][0])) {
            return rows[i][1];
        }
    }
    return NULL;
}

static void test_refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < OC_COUNT(refusals); i++) {
        const struct refusal_row *row = &refusals[i];
        struct who w = row->who;
        w.id = row->device == OWN_DEVICE ? new_identity() : NULL;
        struct client *c = NULL;
        OC_AUTO_JSON cJSON *error = join_refused(&w, &c);
        const cJSON *details = oc_json_get(error, "details");
        bool ok = oc_streq(oc_json_get_str(error, "code"), row->code) &&
                  oc_streq(oc_json_get_str(error, "message"), row->message) &&
                  oc_streq(oc_json_get_str(details, "code"), row->detail_code) &&
                  oc_streq(oc_json_get_str(details, "cause"), cause_of(row->detail_code)) &&
                  (!row->detail_reason ||
                          oc_streq(oc_json_get_str(details, "reason"), row->detail_reason)) &&
                  c->code == (row->close_code ? row->close_code : 1008) &&
                  strncmp(c->reason, row->message,
                          strlen(row->message) < 120 ? strlen(row->message) : 120) == 0;
        if (!ok) {
            OC_AUTO_FREE char *text = oc_json_print(error, false);
            fail_msg("%s: %s; close %u '%s'", row->name, text, c->code, c->reason);
        }
    }
}

static void test_welcomes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct who who;
        int protocol;
        enum device device;
    } rows[] = {
        { "ok-v3", { 0 }, 4, OWN_DEVICE },
        { "ok-v2", { .signature_version = 2 }, 4, OWN_DEVICE },
        { "protocol 3 only", { .max = 3 }, 3, OWN_DEVICE },
        { "protocol 4 only", { .min = 4 }, 4, OWN_DEVICE },
        { "extra-field", { .mutate = unknown_fields }, 4, OWN_DEVICE },
        { "no-device-operator-token", { .max = 3 }, 3, NO_DEVICE },
        { "no-device, least scope", { .scopes = "operator.read" }, 4, NO_DEVICE },
        { "no-device, far, for health", { .headers = FAR, .scopes = "" }, 4, NO_DEVICE },
        { "origin-loopback",
                { .headers = "Origin: http://localhost:1234\r\n",
                        .client_id = "webchat-ui",
                        .mode = "webchat" },
                4, OWN_DEVICE },
        { "local node", { .role = "node" }, 4, OWN_DEVICE },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct who w = rows[i].who;
        w.id = rows[i].device == OWN_DEVICE ? new_identity() : NULL;
        OC_AUTO_JSON cJSON *hello = NULL;
        struct client *c = join(&w, &hello);
        assert_string_equal(oc_json_get_str(hello, "type"), "hello-ok");
        assert_int_equal(any_int(hello, "protocol", 0), rows[i].protocol);
        const cJSON *auth = oc_json_get(hello, "auth");
        assert_string_equal(oc_json_get_str(auth, "role"), w.role ? w.role : "operator");
        assert_true(cJSON_IsArray(oc_json_get(auth, "scopes")));
        const char *token = oc_json_get_str(auth, "deviceToken");
        assert_int_equal(token ? strlen(token) : 0, w.id ? 43 : 0);
        const cJSON *policy = oc_json_get(hello, "policy");
        assert_int_equal(any_int(policy, "maxPayload", 0), 26214400);
        assert_int_equal(any_int(policy, "tickIntervalMs", 0), 30000);
        assert_non_null(oc_json_path(hello, "snapshot.stateVersion"));
        assert_true(cJSON_GetArraySize(oc_json_path(hello, "features.methods")) > 20);
        oc_ws_close(c->ws, 0, "");
        UNTIL(c->is_closed);
    }
}

/* A node has no scopes, whatever it asks for, and a device only those it was approved for. */
static void test_scopes_are_the_servers(void **state) {
    (void)state;
    struct who node = { .id = new_identity(), .role = "node", .scopes = "operator.admin" };
    OC_AUTO_JSON cJSON *hello = NULL;
    join(&node, &hello);
    assert_int_equal(cJSON_GetArraySize(oc_json_path(hello, "auth.scopes")), 0);

    struct who reader = { .id = new_identity(), .scopes = "operator.read" };
    join(&reader, NULL);
    struct who greedy = reader;
    greedy.scopes = ALL_SCOPES;
    greedy.headers = FAR;
    OC_AUTO_JSON cJSON *error = join_refused(&greedy, NULL);
    assert_string_equal(oc_json_get_str(oc_json_get(error, "details"), "reason"), "scope-upgrade");
}

static void test_raw_first_messages(void **state) {
    (void)state;
    static const struct {
        const char *text, *res_message;
        uint16_t code;
        const char *reason;
    } rows[] = {
        { "{\"type\":\"req\",\"id\":\"1\",\"method\":\"health\"}",
                "invalid handshake: first request must be connect", 1008,
                "invalid handshake: first request must be connect" },
        { "hello", NULL, 1000, "" },
        { "{\"hello\":1}", NULL, 1008, "invalid request frame" },
        { "{\"type\":\"req\",\"method\":\"connect\"}", NULL, 1008, "invalid request frame" },
        { "{\"type\":\"event\",\"event\":\"x\"}", NULL, 1008, "invalid request frame" },
        { "{\"type\":\"req\",\"id\":\"1\",\"method\":\"connect\"}",
                "invalid connect params: must be object", 1008,
                "invalid connect params: must be object" },
        { "{\"type\":\"req\",\"id\":\"1\",\"method\":\"connect\",\"params\":[]}",
                "invalid connect params: must be object", 1008,
                "invalid connect params: must be object" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct client *c = open_client(NULL);
        cJSON_Delete(wait_event(c, "connect.challenge"));
        send_text(c, rows[i].text);
        wait_closed(c, rows[i].code, rows[i].reason);
        OC_AUTO_JSON cJSON *res = take_frame(c, "res", "id", "1");
        assert_true(oc_streq(
                oc_json_get_str(oc_json_get(res, "error"), "message"), rows[i].res_message));
        assert_int_equal(cJSON_GetArraySize(c->inbox), 0);
    }
}

static void test_silence_before_connect(void **state) {
    (void)state;
    struct client *c = open_client(NULL);
    cJSON_Delete(wait_event(c, "connect.challenge"));
    advance(OC_HANDSHAKE_TIMEOUT_MS - 1);
    assert_false(c->is_closed);
    advance(1);
    wait_closed(c, 1000, "");
}

static void test_large_first_message(void **state) {
    (void)state;
    struct client *c = open_client(NULL);
    cJSON_Delete(wait_event(c, "connect.challenge"));
    OC_AUTO_FREE char *text = oc_alloc(OC_MAX_PREAUTH_BYTES + 2);
    memset(text, 'x', OC_MAX_PREAUTH_BYTES + 1);
    send_text(c, text);
    UNTIL(c->is_closed);
    assert_int_equal(c->code, 1009);
}

static void test_rate_limit(void **state) {
    (void)state;
    start_gateway(
            "{gateway:{auth:{token:'" TOKEN "',rateLimit:{maxAttempts:3,exemptLoopback:false}}}}");
    struct who paired = { .id = new_identity() };
    OC_AUTO_JSON cJSON *hello = NULL;
    join(&paired, &hello);
    for (int i = 0; i < 3; i++) {
        struct who wrong = { .token = "wrong" };
        OC_AUTO_JSON cJSON *error = join_refused(&wrong, NULL);
        assert_string_equal(
                oc_json_get_str(oc_json_get(error, "details"), "code"), "AUTH_TOKEN_MISMATCH");
    }
    struct who right = { 0 };
    OC_AUTO_JSON cJSON *locked = join_refused(&right, NULL);
    assert_string_equal(
            oc_json_get_str(oc_json_get(locked, "details"), "code"), "AUTH_RATE_LIMITED");
    assert_true(any_int(locked, "retryAfterMs", 0) > 0);
    /* A device that was let in before has a token of its own and is not locked out with the
     * rest. */
    struct who by_device_token = { .id = paired.id,
        .no_token = true,
        .device_token = oc_json_get_str(oc_json_get(hello, "auth"), "deviceToken") };
    join(&by_device_token, NULL);
    advance(300000);
    join(&right, NULL);
}

static void test_password_and_none(void **state) {
    (void)state;
    start_gateway("{gateway:{auth:{password:'pw'}}}");
    struct who right = { .no_token = true, .password = "pw" };
    join(&right, NULL);
    struct who wrong = { .no_token = true, .password = "no", .max = 3 };
    OC_AUTO_JSON cJSON *error = join_refused(&wrong, NULL);
    assert_string_equal(oc_json_get_str(error, "message"),
            "unauthorized: gateway password mismatch (set gateway.remote.password to match "
            "gateway.auth.password)");
    stop_gateway();
    start_gateway("{gateway:{auth:{mode:'none'}}}");
    struct who device = { .id = new_identity(), .no_token = true };
    join(&device, NULL);
    struct who nobody = { .no_token = true };
    OC_AUTO_JSON cJSON *refused = join_refused(&nobody, NULL);
    assert_string_equal(oc_json_get_str(refused, "message"), "device identity required");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refusals, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_welcomes, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_scopes_are_the_servers, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_raw_first_messages, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_silence_before_connect, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_large_first_message, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_rate_limit, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(test_password_and_none, world_setup, world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
