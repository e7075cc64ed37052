/* Invokes from an operator to a node and back, with everything that can go wrong in between. */
#include "gateway_harness.h"
#include "tests/any_int.h"

struct pair {
    struct client *op, *node;
    struct who who;
    const char *id;
};

/* An approved node with a few commands, and an operator. */
static struct pair join_pair(void) {
    struct pair p = { .op = join(&(struct who){ .client_id = "gateway-client", .mode = "backend" },
                              NULL) };
    p.who = (struct who){
        .id = new_identity(), .role = "node", .commands = "system.run system.which"
    };
    p.id = oc_identity_device_id(p.who.id);
    p.node = join(&p.who, NULL);
    OC_AUTO_JSON cJSON *asked = wait_event(p.op, "node.pair.requested");
    OC_AUTO_FREE char *params = oc_strfmt(
            "{\"requestId\":\"%s\"}", oc_json_get_str(oc_json_get(asked, "payload"), "requestId"));
    cJSON_Delete(call_ok(p.op, "node.pair.approve", params));
    return p;
}

/* Sends node.invoke; the request id is the caller's to free. */
static char *invoke(struct client *op, const char *node_id, const char *command, const char *key,
        const char *params) {
    OC_AUTO_FREE char *text =
            oc_strfmt("{\"nodeId\":\"%s\",\"command\":\"%s\",\"idempotencyKey\":\"%s\"%s%s}",
                    node_id, command, key, params ? ",\"params\":" : "", params ? params : "");
    return oc_strdup(ask(op, "node.invoke", text));
}

/* The payload of the next node.invoke.request. */
static cJSON *next_request(struct client *node) {
    OC_AUTO_JSON cJSON *event = wait_event(node, "node.invoke.request");
    assert_null(oc_json_get(event, "seq"));
    return cJSON_DetachItemFromObjectCaseSensitive(event, "payload");
}

static void answer(const struct pair *p, const cJSON *request, const char *rest) {
    OC_AUTO_FREE char *text = oc_strfmt(
            "{\"id\":\"%s\",\"nodeId\":\"%s\",%s}", oc_json_get_str(request, "id"), p->id, rest);
    OC_AUTO_JSON cJSON *payload = call_ok(p->node, "node.invoke.result", text);
    assert_null(oc_json_get(payload, "ignored"));
}

static void expect_error(struct client *op, const char *id, const char *code, const char *message) {
    OC_AUTO_JSON cJSON *res = wait_res(op, id);
    assert_string_equal(oc_json_get_str(oc_json_get(res, "error"), "code"), code);
    assert_string_equal(oc_json_get_str(oc_json_get(res, "error"), "message"), message);
}

static void test_round_trip(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *id = invoke(p.op, p.id, "system.which", "k1", "{\"bins\":[\"a\\\"b\"]}");
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    assert_string_equal(oc_json_get_str(request, "nodeId"), p.id);
    assert_string_equal(oc_json_get_str(request, "command"), "system.which");
    assert_string_equal(oc_json_get_str(request, "paramsJSON"), "{\"bins\":[\"a\\\"b\"]}");
    /* Whose key it is stays here: the node gets a name for the pair of both. */
    assert_int_equal(strlen(oc_json_get_str(request, "idempotencyKey")), 64);
    assert_int_equal(any_int(request, "timeoutMs", 0), 30000);
    answer(&p, request, "\"ok\":true,\"payloadJSON\":\"{\\\"bins\\\":{}}\"");
    OC_AUTO_JSON cJSON *res = wait_res(p.op, id);
    const cJSON *payload = oc_json_get(res, "payload");
    assert_true(oc_json_get_bool(payload, "ok", false));
    assert_string_equal(oc_json_get_str(payload, "nodeId"), p.id);
    assert_string_equal(oc_json_get_str(payload, "command"), "system.which");
    assert_true(cJSON_IsObject(oc_json_path(payload, "payload.bins")));
    assert_string_equal(oc_json_get_str(payload, "payloadJSON"), "{\"bins\":{}}");
    assert_int_equal(cJSON_GetArraySize(res),
            4); /* nothing else at the top: older clients would drop the frame */
}

static void test_node_error(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *id = invoke(p.op, p.id, "system.run", "k", "{\"command\":[\"x\"]}");
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    answer(&p, request,
            "\"ok\":false,\"error\":{\"code\":\"SYSTEM_RUN_DENIED\",\"message\":\"SYSTEM_RUN_"
            "DENIED: approval required\"}");
    OC_AUTO_JSON cJSON *res = wait_res(p.op, id);
    const cJSON *error = oc_json_get(res, "error");
    assert_string_equal(oc_json_get_str(error, "code"), "UNAVAILABLE");
    assert_string_equal(oc_json_get_str(error, "message"), "SYSTEM_RUN_DENIED: approval required");
    assert_string_equal(
            oc_json_get_str(oc_json_path(error, "details.nodeError"), "code"), "SYSTEM_RUN_DENIED");
    assert_true(oc_json_get_bool(oc_json_get(error, "details"), "nodeCommandDispatched", false));
    assert_string_equal(
            oc_json_get_str(oc_json_get(error, "details"), "gate"), "local exec approvals");
}

static void test_system_run_is_stripped(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *made_up = invoke(p.op, p.id, "system.run", "k1",
            "{\"command\":[\"id\"],\"approved\":true,\"approvalDecision\":\"allow-always\","
            "\"runId\":\"r\"}");
    expect_error(p.op, made_up, "INVALID_REQUEST", "unknown or expired approval id");
    oc_free(invoke(p.op, p.id, "system.run", "k2",
            "{\"command\":[\"id\"],\"approved\":false,\"approvalDecision\":\"no\","
            "\"systemRunPlan\":{},\"runId\":\"r\"}"));
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    assert_string_equal(
            oc_json_get_str(request, "paramsJSON"), "{\"command\":[\"id\"],\"runId\":\"r\"}");
}

static void test_gates(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *a = invoke(p.op, p.id, "no.such", "k1", NULL);
    expect_error(p.op, a, "INVALID_REQUEST",
            "node command not allowed: \"no.such\" is not in the allowlist for platform \"linux\", "
            "and no command that nodes have (gate: gateway command policy)");
    OC_AUTO_FREE char *b = invoke(p.op, p.id, "system.notify", "k2", NULL);
    expect_error(p.op, b, "INVALID_REQUEST",
            "node command not allowed: the node (platform: linux) does not support "
            "\"system.notify\"");
    settle_down();
    assert_null(take_frame(p.node, "event", "event", "node.invoke.request"));
}

static void test_timeout_and_late_result(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *params = oc_strfmt("{\"nodeId\":\"%s\",\"command\":\"system.which\","
                                          "\"idempotencyKey\":\"k\",\"timeoutMs\":1500}",
            p.id);
    OC_AUTO_FREE char *id = oc_strdup(ask(p.op, "node.invoke", params));
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    assert_int_equal(any_int(request, "timeoutMs", 0), 1500);
    advance(1499);
    assert_null(take_frame(p.op, "res", "id", id));
    advance(1);
    expect_error(p.op, id, "UNAVAILABLE", "node invoke timed out");
    OC_AUTO_FREE char *late = oc_strfmt(
            "{\"id\":\"%s\",\"nodeId\":\"%s\",\"ok\":true}", oc_json_get_str(request, "id"), p.id);
    OC_AUTO_JSON cJSON *ignored = call_ok(p.node, "node.invoke.result", late);
    assert_true(oc_json_get_bool(ignored, "ignored", false));
}

static void test_foreign_result(void **state) {
    (void)state;
    struct pair p = join_pair();
    struct who other = { .id = new_identity(), .role = "node" };
    struct client *stranger = join(&other, NULL);
    OC_AUTO_FREE char *id = invoke(p.op, p.id, "system.which", "k", NULL);
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    OC_AUTO_FREE char *forged = oc_strfmt("{\"id\":\"%s\",\"nodeId\":\"%s\",\"ok\":true}",
            oc_json_get_str(request, "id"), oc_identity_device_id(other.id));
    OC_AUTO_JSON cJSON *ignored = call_ok(stranger, "node.invoke.result", forged);
    assert_true(oc_json_get_bool(ignored, "ignored", false));
    OC_AUTO_FREE char *claimed = oc_strfmt(
            "{\"id\":\"%s\",\"nodeId\":\"%s\",\"ok\":true}", oc_json_get_str(request, "id"), p.id);
    call_fails(stranger, "node.invoke.result", claimed, "INVALID_REQUEST", "nodeId mismatch");
    answer(&p, request, "\"ok\":true,\"payload\":7");
    OC_AUTO_JSON cJSON *res = wait_res(p.op, id);
    assert_int_equal(any_int(oc_json_get(res, "payload"), "payload", 0), 7);
}

static void test_node_drops(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *id = invoke(p.op, p.id, "system.which", "k", NULL);
    cJSON_Delete(next_request(p.node));
    oc_ws_destroy(oc_take(&p.node->ws));
    expect_error(p.op, id, "UNAVAILABLE", "node disconnected (system.which)");
}

/* The same device connects again: the newer connection is the node, whatever the older one does
 * afterwards. */
static void test_duplicate_node(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *lost = invoke(p.op, p.id, "system.which", "k1", NULL);
    cJSON_Delete(next_request(p.node));
    struct client *old = p.node;
    p.node = join(&p.who, NULL);
    expect_error(p.op, lost, "UNAVAILABLE", "node disconnected (system.which)");
    wait_closed(old, 1008, "replaced by a newer connection of this device");
    assert_int_equal(gw_node_count(world.gw), 1);
    OC_AUTO_FREE char *id = invoke(p.op, p.id, "system.which", "k2", NULL);
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    answer(&p, request, "\"ok\":true");
    OC_AUTO_JSON cJSON *res = wait_res(p.op, id);
    assert_true(oc_json_get_bool(res, "ok", false));
}

static void test_idempotency(void **state) {
    (void)state;
    struct pair p = join_pair();
    struct client *second =
            join(&(struct who){ 0 }, NULL); /* the same owner on another connection */
    OC_AUTO_FREE char *a = invoke(p.op, p.id, "system.which", "same", "{\"bins\":[]}");
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    OC_AUTO_FREE char *b = invoke(second, p.id, "system.which", "same", "{\"bins\":[]}");
    OC_AUTO_FREE char *other = invoke(second, p.id, "system.which", "same", "{\"bins\":[1]}");
    expect_error(second, other, "INVALID_REQUEST",
            "idempotencyKey already used for a different request");
    answer(&p, request, "\"ok\":true,\"payload\":\"once\"");
    OC_AUTO_JSON cJSON *first = wait_res(p.op, a);
    OC_AUTO_JSON cJSON *joined = wait_res(second, b);
    assert_string_equal(oc_json_get_str(oc_json_get(first, "payload"), "payload"), "once");
    assert_string_equal(oc_json_get_str(oc_json_get(joined, "payload"), "payload"), "once");
    /* Also after the node has gone. */
    oc_ws_destroy(oc_take(&p.node->ws));
    UNTIL(gw_node_count(world.gw) == 0);
    OC_AUTO_FREE char *c = invoke(p.op, p.id, "system.which", "same", "{\"bins\":[]}");
    OC_AUTO_JSON cJSON *remembered = wait_res(p.op, c);
    assert_string_equal(oc_json_get_str(oc_json_get(remembered, "payload"), "payload"), "once");
    OC_AUTO_FREE char *fresh = invoke(p.op, p.id, "system.which", "other", "{\"bins\":[]}");
    expect_error(p.op, fresh, "UNAVAILABLE", "node not connected");
}

static void test_caller_gone(void **state) {
    (void)state;
    struct pair p = join_pair();
    struct client *caller = join(&(struct who){ 0 }, NULL);
    oc_free(invoke(caller, p.id, "system.which", "k", NULL));
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    oc_ws_destroy(oc_take(&caller->ws));
    settle_down();
    answer(&p, request, "\"ok\":true");
    cJSON_Delete(call_ok(p.op, "health", NULL));
}

static void test_too_many_unanswered(void **state) {
    (void)state;
    struct pair p = join_pair();
    char key[32];
    for (int i = 0; i < OC_MAX_REQUESTS_PER_CONN; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        oc_free(invoke(p.op, p.id, "system.which", key, NULL));
    }
    OC_AUTO_FREE char *id = invoke(p.op, p.id, "system.which", "one more", NULL);
    OC_AUTO_JSON cJSON *res = wait_res(p.op, id);
    assert_string_equal(oc_json_get_str(oc_json_get(res, "error"), "code"), "UNAVAILABLE");
    assert_true(any_int(oc_json_get(res, "error"), "retryAfterMs", 0) > 0);
    assert_string_equal(oc_json_get_str(oc_json_path(res, "error.details"), "cause"), "BUSY");
}

/* A payload as large as a message can carry comes out as it went in. */
static void test_twenty_megabytes(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *id = invoke(p.op, p.id, "system.which", "k", NULL);
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    size_t n = (size_t)20 * 1024 * 1024;
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_buf_printf(&b,
            "{\"type\":\"req\",\"id\":\"big\",\"method\":\"node.invoke.result\",\"params\":{\"id\":"
            "\"%s\",\"nodeId\":\"%s\","
            "\"ok\":true,\"payloadJSON\":\"{\\\"format\\\":\\\"png\\\",\\\"base64\\\":\\\"",
            oc_json_get_str(request, "id"), p.id);
    char *at = oc_buf_reserve(&b, n);
    for (size_t i = 0; i < n; i++) {
        at[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(i * 7 +
                                                                                           i / 64) %
                                                                                   64];
    }
    b.len += n;
    OC_AUTO_FREE char *expected = oc_strndup(at, n);
    oc_buf_puts(&b, "\\\"}\"}}");
    assert_false(b.failed);
    assert_int_equal(oc_ws_send(p.node->ws, oc_msg_from_buf(&b)), OC_OK);
    OC_AUTO_JSON cJSON *res = wait_res(p.op, id);
    const cJSON *payload = oc_json_get(res, "payload");
    const char *base64 = oc_json_get_str(oc_json_get(payload, "payload"), "base64");
    assert_int_equal(strlen(base64), n);
    assert_memory_equal(base64, expected, n);
    assert_string_equal(oc_json_get_str(oc_json_get(payload, "payload"), "format"), "png");
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(payload, "payloadJSON")));
    OC_AUTO_JSON cJSON *acknowledged = wait_res(p.node, "big");
    assert_true(oc_json_get_bool(acknowledged, "ok", false));
    /* It is too large to be remembered, and says so rather than run again. */
    OC_AUTO_FREE char *again = invoke(p.op, p.id, "system.which", "k", NULL);
    expect_error(p.op, again, "INVALID_REQUEST",
            "idempotencyKey already used; its result is no longer kept");
}

static void test_shutdown_settles(void **state) {
    (void)state;
    struct pair p = join_pair();
    OC_AUTO_FREE char *id = invoke(p.op, p.id, "system.which", "k", NULL);
    cJSON_Delete(next_request(p.node));
    gw_shutdown(world.gw, "gateway stopping", NULL, NULL);
    expect_error(p.op, id, "UNAVAILABLE", "gateway stopping");
    wait_closed(p.op, 1012, "service restart");
}

static void note_cut_off(void *user, enum oc_log_level level, const char *line) {
    (void)level;
    if (strstr(line, "disconnected") && strstr(line, "slow consumer")) {
        *(bool *)user = true;
    }
}

/* An operator who does not read is cut off; the gateway and everybody else go on. */
static void test_slow_consumer(void **state) {
    (void)state;
    struct pair p = join_pair();
    bool is_cut_off = false;
    oc_log_set_sink(note_cut_off, &is_cut_off);
    int fd = dial_gateway(); /* a socket that is never read after the handshake */
    int small = 4096;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    char head[2048];
    http_exchange(fd,
            "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            head, sizeof(head));
    struct oc_buf frames = OC_BUF_INIT(100000);
    static const char connect_text[] =
            "{\"type\":\"req\",\"id\":\"1\",\"method\":\"connect\",\"params\":{\"minProtocol\":3,"
            "\"maxProtocol\":4,"
            "\"client\":{\"id\":\"test\",\"mode\":\"backend\",\"version\":\"1\",\"platform\":"
            "\"linux\"},"
            "\"scopes\":[\"operator.write\"],\"auth\":{\"token\":\"" TOKEN "\"}}}";
    for (int i = 0; i < 5; i++) {
        OC_AUTO_FREE char *text = i == 0 ? oc_strdup(connect_text)
                                         : oc_strfmt("{\"type\":\"req\",\"id\":\"2\",\"method\":"
                                                     "\"node.invoke\",\"params\":{"
                                                     "\"nodeId\":\"%s\",\"command\":\"system."
                                                     "which\",\"idempotencyKey\":"
                                                     "\"slow-%d\"}}",
                                                   p.id, i);
        size_t len = strlen(text);
        char mask[8] = { (char)0x81, (char)(0x80 | 126), (char)(len >> 8), (char)len, 0, 0, 0, 0 };
        oc_buf_append(&frames, mask, sizeof(mask));
        oc_buf_append(&frames, text, len);
    }
    assert_int_equal(send(fd, frames.data, frames.len, MSG_NOSIGNAL), frames.len);
    oc_buf_finish(&frames);
    size_t n = (size_t)20 * 1024 * 1024;
    for (int i = 0; i < 4; i++) {
        OC_AUTO_JSON cJSON *request = next_request(p.node);
        struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
        oc_buf_printf(&b,
                "{\"type\":\"req\",\"id\":\"big%d\",\"method\":\"node.invoke.result\",\"params\":{"
                "\"id\":\"%s\",\"nodeId\":\"%s\","
                "\"ok\":true,\"payload\":\"",
                i, oc_json_get_str(request, "id"), p.id);
        char *at = oc_buf_reserve(&b, n);
        memset(at, 'x', n);
        b.len += n;
        oc_buf_puts(&b, "\"}}");
        assert_int_equal(oc_ws_send(p.node->ws, oc_msg_from_buf(&b)), OC_OK);
        char id[16];
        snprintf(id, sizeof(id), "big%d", i);
        cJSON_Delete(wait_res(p.node, id));
    }
    cJSON_Delete(call_ok(p.op, "health", NULL));
    advance(5000); /* what is queued does not move: the socket is given up */
    UNTIL(is_cut_off);
    close(fd);
}

/* Bytes that the slow reader still wants to read. */
static size_t appetite;

static bool is_hungry(void *user) {
    (void)user;
    return appetite > 0;
}

static void has_eaten(void *user, size_t bytes) {
    (void)user;
    appetite -= bytes < appetite ? bytes : appetite;
}

static void eat(struct client *c, size_t bytes) {
    appetite = bytes;
    oc_ws_go_on(c->ws);
    settle_down();
}

static struct client *join_slow_reader(void) {
    struct client *c =
            join(&(struct who){ .client_id = "gateway-client", .mode = "backend" }, NULL);
    static const struct oc_ws_events events = { .on_message = client_message,
        .on_closed = client_closed,
        .may_receive = is_hungry,
        .on_received = has_eaten };
    int small = 65536;
    assert_int_equal(setsockopt(oc_ws_fd(c->ws), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
    appetite = 0;
    oc_ws_set_events(c->ws, &events, c);
    return c;
}

/* A large answer over a thin line takes minutes. Whoever takes it bit by bit is alive, and heard
 * meanwhile. */
static void test_slow_reader_gets_its_answer(void **state) {
    (void)state;
    struct pair p = join_pair();
    struct client *slow = join_slow_reader();
    OC_AUTO_FREE char *id = invoke(slow, p.id, "system.which", "large", NULL);
    OC_AUTO_JSON cJSON *request = next_request(p.node);
    size_t n = (size_t)20 * 1024 * 1024, bite = n / 16;
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    oc_buf_puts(&b, "\"ok\":true,\"payload\":\"");
    memset(oc_buf_reserve(&b, n), 'x', n);
    b.len += n;
    oc_buf_puts(&b, "\"");
    answer(&p, request, b.data);
    oc_buf_finish(&b);
    for (int i = 0; i < 8; i++) {
        advance(OC_PING_INTERVAL_MS);
        eat(slow, bite);
        assert_false(slow->is_closed);
    }
    OC_AUTO_FREE char *second = invoke(slow, p.id, "system.which", "meanwhile", NULL);
    assert_non_null(second);
    cJSON_Delete(next_request(p.node));
    eat(slow, SIZE_MAX);
    OC_AUTO_JSON cJSON *res = wait_res(slow, id);
    assert_true(oc_json_get_bool(res, "ok", false));
}

/* Nodes that read nothing, and a caller who sends them more than all may hold: the caller is
 * refused, the nodes stay. */
static void test_what_a_caller_sends_is_not_counted_for_nodes(void **state) {
    (void)state;
    struct pair pairs[3];
    for (size_t i = 0; i < OC_COUNT(pairs); i++) {
        pairs[i] = join_pair();
        static const struct oc_ws_events deaf = {
            .on_message = client_message, .on_closed = client_closed, .may_receive = is_hungry
        };
        oc_ws_set_events(pairs[i].node->ws, &deaf, pairs[i].node);
    }
    appetite = 0;
    struct client *caller = join(&(struct who){ .id = new_identity() }, NULL);
    size_t n = (size_t)20 * 1024 * 1024, refused = 0;
    OC_AUTO_FREE char *large = oc_alloc(n + 16);
    memcpy(large, "{\"bins\":[\"", 10);
    memset(large + 10, 'x', n);
    memcpy(large + 10 + n, "\"]}", 4);
    for (size_t i = 0; i < 2 * OC_COUNT(pairs); i++) {
        char key[8];
        snprintf(key, sizeof(key), "k%zu", i);
        oc_free(invoke(caller, pairs[i % OC_COUNT(pairs)].id, "system.which", key, large));
        cJSON_Delete(call_ok(caller, "health", NULL)); /* it has been looked at */
        cJSON *f = NULL;
        cJSON_ArrayForEach(f, caller->inbox) {
            refused += oc_streq(oc_json_get_str(oc_json_get(f, "error"), "code"), "UNAVAILABLE");
        }
    }
    assert_true(refused > 0);
    appetite = SIZE_MAX;
    for (size_t i = 0; i < OC_COUNT(pairs); i++) {
        oc_ws_go_on(pairs[i].node->ws);
        settle_down();
        assert_false(pairs[i].node->is_closed);
    }
    cJSON_Delete(next_request(pairs[0].node));
    settle_down();
    oc_free(invoke(caller, pairs[0].id, "system.which", "last", large)); /* there is room again */
    cJSON_Delete(next_request(pairs[0].node));
    assert_false(caller->is_closed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_node_error, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_system_run_is_stripped, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_gates, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_timeout_and_late_result, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_foreign_result, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_node_drops, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_duplicate_node, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_idempotency, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_caller_gone, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_too_many_unanswered, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_twenty_megabytes, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_shutdown_settles, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_slow_consumer, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_slow_reader_gets_its_answer, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_what_a_caller_sends_is_not_counted_for_nodes,
                world_setup_started, world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
