/* Requests of connected clients, events, plain HTTP, and the end of a gateway. */
#include "gateway_harness.h"

#include "lib/client/session.h"
#include "tests/any_int.h"

static void test_method_refusals(void **state) {
    (void)state;
    struct client *c = join(&(struct who){ .id = new_identity() }, NULL);
    static const struct {
        const char *method, *params, *code, *message;
    } rows[] = {
        { "nope", "{}", "INVALID_REQUEST", "unknown method: nope" },
        { "connect", "{}", "INVALID_REQUEST", "connect is only valid as the first request" },
        { "node.list", "[]", "INVALID_REQUEST", "invalid node.list params: must be object" },
        { "node.describe", "{\"nodeId\":\"zzz\"}", "INVALID_REQUEST", "unknown nodeId" },
        { "node.describe", "{}", "INVALID_REQUEST",
                "invalid node.describe params: must have required property 'nodeId'" },
        { "node.invoke", "{\"nodeId\":\"zzz\",\"command\":\"system.run\",\"idempotencyKey\":\"k\"}",
                "UNAVAILABLE", "node not connected" },
        { "node.invoke", "{\"nodeId\":\"zzz\",\"command\":\"system.run\"}", "INVALID_REQUEST",
                "invalid node.invoke params: must have required property 'idempotencyKey'" },
        { "node.invoke",
                "{\"nodeId\":\"zzz\",\"command\":\"system.execApprovals.get\",\"idempotencyKey\":"
                "\"k\"}",
                "INVALID_REQUEST",
                "node.invoke does not allow system.execApprovals.*; use exec.approvals.node.*" },
        { "node.invoke.result", "{\"id\":\"x\",\"nodeId\":\"y\",\"ok\":true}", "INVALID_REQUEST",
                "unauthorized role: operator" },
        { "device.pair.approve", "{\"requestId\":\"zz\"}", "INVALID_REQUEST", "unknown requestId" },
        { "device.pair.reject", "{\"requestId\":\"zz\"}", "INVALID_REQUEST", "unknown requestId" },
        { "device.pair.remove", "{\"deviceId\":\"zz\"}", "INVALID_REQUEST", "unknown deviceId" },
        { "device.token.rotate", "{\"deviceId\":\"zz\",\"role\":\"node\"}", "INVALID_REQUEST",
                "unknown deviceId/role" },
        { "device.token.revoke", "{\"deviceId\":\"zz\",\"role\":\"node\"}", "INVALID_REQUEST",
                "unknown deviceId/role" },
        { "node.pair.approve", "{\"requestId\":\"zz\"}", "INVALID_REQUEST", "unknown requestId" },
        { "node.pair.reject", "{\"requestId\":\"zz\"}", "INVALID_REQUEST", "unknown requestId" },
        { "node.pair.remove", "{\"nodeId\":\"zz\"}", "INVALID_REQUEST", "unknown nodeId" },
        { "node.rename", "{\"nodeId\":\"a\",\"displayName\":\"b\"}", "INVALID_REQUEST",
                "unknown nodeId" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        call_fails(c, rows[i].method, rows[i].params, rows[i].code, rows[i].message);
    }
    OC_AUTO_JSON cJSON *verify =
            call_ok(c, "node.pair.verify", "{\"nodeId\":\"a\",\"token\":\"b\"}");
    assert_false(oc_json_get_bool(verify, "ok", true));
}

static void test_garbage_after_connect(void **state) {
    (void)state;
    struct client *c = join(&(struct who){ .id = new_identity() }, NULL);
    send_text(c, "not json");
    send_text(c, "{\"type\":\"event\",\"event\":\"x\"}");
    OC_AUTO_JSON cJSON *res = wait_res(c, "invalid");
    const char *message = oc_json_get_str(oc_json_get(res, "error"), "message");
    assert_true(strncmp(message, "invalid request frame: ", 23) == 0);
    send_text(c, "{\"type\":\"req\",\"id\":5,\"method\":\"health\"}");
    OC_AUTO_JSON cJSON *numeric = wait_res(c, "invalid");
    assert_non_null(strstr(
            oc_json_get_str(oc_json_get(numeric, "error"), "message"), "at /id: must be string"));
    cJSON_Delete(call_ok(c, "health", NULL)); /* it goes on */
}

static void test_missing_scope(void **state) {
    (void)state;
    struct client *v3 = join(&(struct who){ .scopes = "operator.read", .max = 3 }, NULL);
    static const char params[] = "{\"nodeId\":\"zzz\",\"command\":\"x\",\"idempotencyKey\":\"k\"}";
    call_fails(v3, "node.invoke", params, "INVALID_REQUEST", "missing scope: operator.write");
    call_fails(v3, "device.pair.list", "{}", "INVALID_REQUEST", "missing scope: operator.pairing");
    cJSON_Delete(call_ok(v3, "node.list", "{}"));
    struct client *v4 = join(&(struct who){ .scopes = "operator.read" }, NULL);
    OC_AUTO_JSON cJSON *res = call(v4, "node.invoke", params);
    const cJSON *error = oc_json_get(res, "error");
    assert_string_equal(oc_json_get_str(error, "code"), "FORBIDDEN");
    assert_string_equal(oc_json_get_str(oc_json_get(error, "details"), "code"), "MISSING_SCOPE");
    assert_string_equal(
            oc_json_get_str(oc_json_get(error, "details"), "missingScope"), "operator.write");
    assert_int_equal(cJSON_GetArraySize(oc_json_path(error, "details.requiredScopes")), 1);
}

static void test_node_calls(void **state) {
    (void)state;
    struct oc_identity *id = new_identity();
    struct client *c = join(&(struct who){ .id = id, .role = "node", .max = 3 }, NULL);
    cJSON_Delete(wait_event(c, "voicewake.changed"));
    cJSON_Delete(call_ok(c, "health", NULL));
    OC_AUTO_JSON cJSON *bins = call_ok(c, "skills.bins", "{}");
    assert_true(cJSON_IsArray(oc_json_get(bins, "bins")));
    OC_AUTO_FREE char *late =
            oc_strfmt("{\"id\":\"x\",\"nodeId\":\"%s\",\"ok\":true}", oc_identity_device_id(id));
    OC_AUTO_JSON cJSON *ignored = call_ok(c, "node.invoke.result", late);
    assert_true(oc_json_get_bool(ignored, "ok", false));
    assert_true(oc_json_get_bool(ignored, "ignored", false));
    call_fails(c, "node.invoke.result", "{\"id\":\"x\",\"nodeId\":\"other\",\"ok\":true}",
            "INVALID_REQUEST", "nodeId mismatch");
    cJSON_Delete(call_ok(c, "node.event", "{\"event\":\"foo\",\"payload\":{\"a\":1}}"));
    call_fails(c, "node.event", "{\"event\":\"foo\",\"payloadJSON\":null}", "INVALID_REQUEST",
            "invalid node.event params: at /payloadJSON: must be string");
    call_fails(c, "node.event", "{}", "INVALID_REQUEST",
            "invalid node.event params: must have required property 'event'");
    call_fails(c, "node.skills.update", "{}", "INVALID_REQUEST", "unauthorized role: node");

    struct client *v4 = join(&(struct who){ .id = new_identity(), .role = "node" }, NULL);
    call_fails(v4, "node.skills.update", "{}", "INVALID_REQUEST",
            "unknown method: node.skills.update");
    call_fails(v4, "node.list", "{}", "INVALID_REQUEST", "unauthorized role: node");
}

static void test_repeated_unauthorized_calls(void **state) {
    (void)state;
    struct client *c = join(&(struct who){ .id = new_identity(), .role = "node" }, NULL);
    for (int i = 0; i < OC_UNAUTHORIZED_LIMIT; i++) {
        call_fails(c, "node.list", "{}", "INVALID_REQUEST", "unauthorized role: node");
    }
    cJSON_Delete(call_ok(c, "health", "{}")); /* anything else starts the count again */
    for (int i = 0; i <= OC_UNAUTHORIZED_LIMIT; i++) {
        call_fails(c, "node.list", "{}", "INVALID_REQUEST", "unauthorized role: node");
    }
    wait_closed(c, 1008, "repeated unauthorized calls");
}

static void test_http(void **state) {
    (void)state;
    static const struct {
        const char *request, *status, *body;
    } rows[] = {
        { "GET /health", "HTTP/1.1 200 ", "{\"ok\":true,\"status\":\"live\"}" },
        { "GET /healthz?x=1", "HTTP/1.1 200 ", "{\"ok\":true,\"status\":\"live\"}" },
        { "GET /ready", "HTTP/1.1 200 ", "{\"ready\":true,\"failing\":[],\"uptimeMs\":" },
        { "GET /readyz", "HTTP/1.1 200 ", "{\"ready\":true," },
        { "GET /nothing", "HTTP/1.1 404 ", "Not Found" },
        { "POST /health", "HTTP/1.1 405 ", "" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        int fd = dial_gateway();
        OC_AUTO_FREE char *request =
                oc_strfmt("%s HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", rows[i].request);
        char answer[4096];
        size_t n = http_exchange(fd, request, answer, sizeof(answer));
        for (int k = 0; k < 100 && !strstr(answer, rows[i].body); k++) {
            oc_loop_step(world.loop, 10);
            ssize_t more = recv(fd, answer + n, sizeof(answer) - 1 - n, 0);
            n += more > 0 ? (size_t)more : 0;
            answer[n] = '\0';
        }
        if (strncmp(answer, rows[i].status, strlen(rows[i].status)) != 0 ||
                !strstr(answer, rows[i].body)) {
            fail_msg("%s: %s", rows[i].request, answer);
        }
        assert_non_null(strstr(answer, "nosniff"));
        close(fd);
    }
}

static void test_second_gateway_and_taken_port(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error err;
    static const char text[] = "{\"gateway\":{\"auth\":{\"token\":\"t\"}}}";
    assert_int_equal(oc_json_parse(text, strlen(text), &config, &err), OC_OK);
    OC_AUTO_FREE char *dir = oc_strfmt("%s/other", world.dir);
    struct gw_opts opts = { .state_dir = dir, .config = config, .port = gw_port(world.gw) };
    struct gw_gateway *second = NULL;
    assert_int_equal(gw_gateway_create(world.loop, &opts, &second, &err), OC_E_EXISTS);
    assert_null(second);
}

/* What our own client code hears. */
struct heard {
    bool has_hello, has_answer, has_ended;
    uint16_t code;
};
static void heard_hello(void *user, const struct oc_hello *hello, const cJSON *payload) {
    (void)payload;
    struct heard *h = user;
    h->has_hello = hello->protocol == 4 && oc_streq(hello->role, "operator");
}
static void heard_end(void *user, const struct oc_session_end *end) {
    struct heard *h = user;
    h->has_ended = true;
    h->code = end->close_code;
}
static void heard_answer(void *user, const struct oc_reply *reply) {
    struct heard *h = user;
    h->has_answer = reply->ok && reply->payload.len > 0;
}

static void test_own_client_and_shutdown(void **state) {
    (void)state;
    struct oc_connect connect = { .min_protocol = 3,
        .max_protocol = 4,
        .client_id = "cli",
        .mode = "cli",
        .version = "1",
        .platform = "linux",
        .role = "operator",
        .token = TOKEN };
    oc_strv_add(&connect.scopes, "operator.read");
    struct oc_session_opts opts = { .dial = { .host = "127.0.0.1", .port = gw_port(world.gw) },
        .connect = &connect,
        .identity = new_identity() };
    static const struct oc_session_events events = { .on_hello = heard_hello, .on_end = heard_end };
    struct heard h = { 0 };
    struct oc_session *s = oc_session_start(world.loop, &opts, &events, &h);
    UNTIL(h.has_hello);
    oc_session_request(s, "node.list", NULL, 5000, heard_answer, &h);
    UNTIL(h.has_answer);
    gw_shutdown(world.gw, "gateway stopping", NULL, NULL);
    UNTIL(h.has_ended);
    assert_int_equal(h.code, 1012);
    oc_session_destroy(s);
    oc_strv_finish(&connect.scopes);
}

static void note(void *user) {
    *(bool *)user = true;
}

static void test_shutdown(void **state) {
    (void)state;
    struct client *op = join(&(struct who){ 0 }, NULL);
    struct client *stranger = open_client(NULL);
    cJSON_Delete(wait_event(stranger, "connect.challenge"));
    bool is_done = false;
    gw_shutdown(world.gw, "gateway stopping", note, &is_done);
    OC_AUTO_JSON cJSON *event = wait_event(op, "shutdown");
    const cJSON *payload = oc_json_get(event, "payload");
    assert_string_equal(oc_json_get_str(payload, "reason"), "gateway stopping");
    /* The published schema wants an integer or nothing. */
    assert_null(oc_json_get(payload, "restartExpectedMs"));
    wait_closed(op, 1012, "service restart");
    wait_closed(stranger, 1012, "service restart");
    UNTIL(is_done);
}

static void destroy_gateway(void *user) {
    gw_gateway_destroy(oc_take(&world.gw));
    *(bool *)user = true;
}

/* The owner may let go of it in the very call that says it has stopped. */
static void test_destroyed_when_stopped(void **state) {
    (void)state;
    struct client *op = join(&(struct who){ 0 }, NULL);
    bool is_done = false;
    gw_shutdown(world.gw, NULL, destroy_gateway, &is_done);
    UNTIL(is_done);
    UNTIL(op->is_closed);
    /* The same when somebody has to be left behind. */
    start_gateway("{gateway:{auth:{token:'" TOKEN "'}}}");
    int fd = dial_gateway();
    char head[2048];
    http_exchange(fd,
            "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            head, sizeof(head));
    is_done = false;
    gw_shutdown(world.gw, NULL, destroy_gateway, &is_done);
    advance(700);
    UNTIL(is_done);
    close(fd);
}

/* A client that does not answer the close does not hold the gateway up. */
static void test_shutdown_does_not_wait_for_ever(void **state) {
    (void)state;
    struct client *op = join(&(struct who){ 0 }, NULL);
    int fd = dial_gateway();
    char head[2048];
    http_exchange(fd,
            "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            head, sizeof(head));
    bool is_done = false;
    gw_shutdown(world.gw, NULL, note, &is_done);
    UNTIL(op->is_closed);
    settle_down();
    assert_false(is_done);
    advance(700);
    UNTIL(is_done);
    close(fd);
}

static void test_ticks_pings_and_seq(void **state) {
    (void)state;
    struct client *v3 = join(&(struct who){ .max = 3 }, NULL);
    struct client *v4 = join(&(struct who){ 0 }, NULL);
    for (int i = 1; i <= 2; i++) {
        advance(OC_TICK_INTERVAL_MS);
        OC_AUTO_JSON cJSON *a = wait_event(v3, "tick");
        OC_AUTO_JSON cJSON *b = wait_event(v4, "tick");
        assert_true(any_int(oc_json_get(a, "payload"), "ts", 0) > 0);
        assert_true(any_int(a, "seq", 0) >= i);
        assert_true(any_int(b, "seq", 0) >= i);
    }
    OC_AUTO_JSON cJSON *health = wait_event(v4, "health"); /* the one after connect has no seq */
    assert_null(oc_json_get(health, "seq"));
    OC_AUTO_JSON cJSON *again = wait_event(v4, "health");
    assert_non_null(oc_json_get(again, "seq"));
    assert_non_null(oc_json_path(again, "stateVersion.presence"));
    assert_true(oc_json_get_bool(oc_json_get(again, "payload"), "ok", false));
    /* Both answered the pings that went out meanwhile, so both are still here. */
    assert_false(v3->is_closed || v4->is_closed);
}

/* One masked text frame, as a client without any library would send it. */
static void send_frame(int fd, const char *text) {
    size_t len = strlen(text);
    assert_true(len > 125 && len < 60000);
    uint8_t head[8] = { 0x81, 0x80 | 126, (uint8_t)(len >> 8), (uint8_t)len, 0, 0, 0,
        0 }; /* mask of zeros */
    assert_int_equal(send(fd, head, sizeof(head), MSG_NOSIGNAL), sizeof(head));
    assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), len);
}

/* Everything that has arrived on fd, appended to b. False at the end of the stream. */
static bool drain(int fd, struct oc_buf *b) {
    char piece[4096];
    ssize_t n;
    while ((n = recv(fd, piece, sizeof(piece), 0)) > 0) {
        oc_buf_append(b, piece, (size_t)n);
    }
    return n < 0 && errno == EAGAIN;
}

static void test_silent_peer_is_dropped(void **state) {
    (void)state;
    int fd = dial_gateway();
    char head[2048];
    http_exchange(fd,
            "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            head, sizeof(head));
    send_frame(fd,
            "{\"type\":\"req\",\"id\":\"1\",\"method\":\"connect\",\"params\":{\"minProtocol\":3,"
            "\"maxProtocol\":4,"
            "\"client\":{\"id\":\"cli\",\"mode\":\"cli\",\"version\":\"1\",\"platform\":\"linux\"},"
            "\"auth\":{\"token\":\"" TOKEN "\"}}}");
    OC_AUTO_BUF struct oc_buf got = OC_BUF_INIT(1000000);
    oc_buf_puts(&got, "");
    UNTIL(drain(fd, &got) && strstr(got.data, "hello-ok"));
    advance(OC_PING_INTERVAL_MS);
    advance(OC_PING_INTERVAL_MS);
    assert_true(drain(fd, &got));
    assert_non_null(memmem(got.data, got.len, "\x89\0", 2)); /* a ping, which we leave unanswered */
    advance(OC_PING_INTERVAL_MS);
    UNTIL(!drain(fd, &got));
    close(fd);
}

static void test_presence(void **state) {
    (void)state;
    struct client *watch =
            join(&(struct who){ .client_id = "gateway-client", .mode = "backend" }, NULL);
    struct client *node =
            join(&(struct who){ .id = new_identity(), .role = "node", .name = "Box" }, NULL);
    struct client *cli = join(&(struct who){ 0 }, NULL); /* not somebody being here */
    OC_AUTO_JSON cJSON *list = call_ok(watch, "system-presence", NULL);
    assert_int_equal(cJSON_GetArraySize(list), 3);
    const cJSON *box = cJSON_GetArrayItem(list, 1);
    assert_string_equal(oc_json_get_str(box, "host"), "Box");
    assert_string_equal(oc_json_get_str(box, "reason"), "connect");
    oc_ws_close(node->ws, 0, "");
    oc_ws_close(cli->ws, 0, "");
    UNTIL(node->is_closed && cli->is_closed && gw_node_count(world.gw) == 0);
    advance(200);
    OC_AUTO_JSON cJSON *event = wait_event(watch, "presence");
    box = cJSON_GetArrayItem(oc_json_path(event, "payload.presence"), 1);
    assert_string_equal(oc_json_get_str(box, "reason"), "disconnect");
    assert_non_null(oc_json_path(event, "stateVersion.health"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_method_refusals, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_garbage_after_connect, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_missing_scope, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_node_calls, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_repeated_unauthorized_calls, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_http, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_second_gateway_and_taken_port, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_own_client_and_shutdown, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_shutdown, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_shutdown_does_not_wait_for_ever, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_destroyed_when_stopped, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_ticks_pings_and_seq, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_silent_peer_is_dropped, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_presence, world_setup_started, world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
