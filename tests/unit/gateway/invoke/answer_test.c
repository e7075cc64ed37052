#include "gateway/invoke/answer.h"

#include "lib/json/json.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

/* The whole message; caller frees. */
static char *read_all(struct oc_msg *take_msg, size_t *ret_len) {
    struct oc_buf b = OC_BUF_INIT((size_t)OC_MAX_MESSAGE_BYTES * 2);
    char piece[1000];
    size_t expected = oc_msg_size(take_msg), n;
    while ((n = oc_msg_read(take_msg, piece, sizeof(piece))) > 0) {
        oc_buf_append(&b, piece, n);
    }
    oc_msg_destroy(take_msg);
    assert_int_equal(b.len, expected);
    *ret_len = b.len;
    return oc_buf_take(&b);
}

static char *relay(const char *params) {
    struct oc_blob *blob = oc_blob_copy(params, strlen(params));
    struct oc_invoke_result r;
    struct oc_error err;
    struct oc_slice text = { blob->data, blob->len };
    assert_true(oc_json_valid(text.ptr, text.len, OC_MAX_FRAME_DEPTH));
    assert_int_equal(oc_invoke_result_decode(text, &r, &err), OC_OK);
    struct gw_answer a = gw_answer_from_result(&r, blob, "node-1", "a.b");
    size_t len;
    char *out = read_all(gw_answer_msg(&a, "req\"1"), &len);
    assert_true(oc_json_valid(out, len, OC_MAX_FRAME_DEPTH));
    oc_invoke_result_finish(&r);
    oc_blob_unref(blob);
    return out;
}

static void test_success(void **state) {
    (void)state;
    static const struct {
        const char *params, *expected;
    } rows[] = {
        { "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,\"payloadJSON\":\"{\\\"a\\\":\\\"x\\\\ny\\\"}"
          "\"}",
                "\"payload\":{\"a\":\"x\\ny\"},\"payloadJSON\":\"{\\\"a\\\":\\\"x\\\\ny\\\"}\"" },
        { "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,\"payload\":[1, 2]}",
                "\"payload\":[1, 2],\"payloadJSON\":null" },
        { "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true}",
                "\"command\":\"a.b\",\"payloadJSON\":null" },
        { "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,\"payloadJSON\":null}",
                "\"command\":\"a.b\",\"payloadJSON\":null" },
        { "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,\"payloadJSON\":\"  \"}",
                "\"command\":\"a.b\",\"payloadJSON\":null" },
        { "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,\"payloadJSON\":\"{no\"}",
                "\"payload\":{\"payloadJSON\":\"{no\"},\"payloadJSON\":\"{no\"" },
        /* What would close the string and go on must stay text. */
        { "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,\"payloadJSON\":\"1},\\\"ok\\\":false,"
          "\\\"x\\\":{\"}",
                "\"payload\":{\"payloadJSON\":\"1},\\\"ok\\\":false,\\\"x\\\":{\"}" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_FREE char *out = relay(rows[i].params);
        assert_non_null(strstr(out,
                "{\"type\":\"res\",\"id\":\"req\\\"1\",\"ok\":true,\"payload\":{\"ok\":true,"
                "\"nodeId\":\"node-1\","));
        if (!strstr(out, rows[i].expected)) {
            fail_msg("%s", out);
        }
    }
}

static void test_failure(void **state) {
    (void)state;
    OC_AUTO_FREE char *plain =
            relay("{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,\"error\":{\"code\":\"UNAVAILABLE\","
                  "\"message\":\"command not supported\"}}");
    assert_string_equal(plain, "{\"type\":\"res\",\"id\":\"req\\\"1\",\"ok\":false,\"error\":{"
                               "\"code\":\"UNAVAILABLE\",\"message\":\"command "
                               "not "
                               "supported\",\"details\":{\"nodeError\":{\"code\":\"UNAVAILABLE\","
                               "\"message\":\"command not supported\"},"
                               "\"nodeCommandDispatched\":true}}}");
    OC_AUTO_FREE char *bare = relay("{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,\"error\":null}");
    assert_non_null(
            strstr(bare, "\"message\":\"node invoke failed\",\"details\":{\"nodeError\":null"));
    OC_AUTO_FREE char *denied = relay(
            "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,\"error\":{\"code\":\"SYSTEM_RUN_DENIED\","
            "\"message\":\"SYSTEM_RUN_DENIED: approval required\"}}");
    assert_non_null(strstr(denied, "\"message\":\"SYSTEM_RUN_DENIED: approval required\""));
    assert_non_null(strstr(denied, "\"gate\":\"local exec approvals\""));
    assert_non_null(strstr(denied, "\"fix\":\"openclaw approvals allowlist add --node "));
    OC_AUTO_FREE char *own = relay(
            "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,\"error\":{\"code\":\"UNAVAILABLE\","
            "\"message\":\"SYSTEM_RUN_DENIED: no (gate: local exec approvals; fix: edit f(1))\"}}");
    assert_non_null(strstr(own, "\"fix\":\"the node says: edit f(1)\""));
    assert_non_null(strstr(own, "\"message\":\"SYSTEM_RUN_DENIED: no (gate: local exec approvals; "
                                "fix: the node says: edit f(1))\""));
    OC_AUTO_FREE char *disabled =
            relay("{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,\"error\":{\"code\":\"UNAVAILABLE\","
                  "\"message\":\"SYSTEM_RUN_DISABLED: security=deny\"}}");
    assert_non_null(strstr(disabled, "\"message\":\"SYSTEM_RUN_DISABLED: security=deny\""));
    assert_non_null(
            strstr(disabled, "\"fix\":\"openclaw approvals security allowlist --node node-1\""));
}

/* The node names the remedy; the command line is the gateway's, and names the node. */
static void test_grounds_of_a_node(void **state) {
    (void)state;
    static const struct {
        const char *details, *gate, *fix;
    } rows[] = {
        { "\"remedy\":\"add-program\",\"subject\":\"/usr/bin/id\"", "local exec approvals",
                "openclaw approvals allowlist add /usr/bin/id --node node-1" },
        { "\"remedy\":\"ask-on-miss\"", "local exec approvals",
                "openclaw approvals ask on-miss --node node-1" },
        { "\"remedy\":\"security-full\",\"atNode\":true", "local exec approvals",
                "on the node run: openclaw approvals security full" },
        { "\"remedy\":\"enable-switch\",\"subject\":\"camera\"", "local switch",
                "on the node run: openclaw node enable camera" },
        { "\"remedy\":\"add-program\",\"subject\":\"/x; rm -rf ~\",\"nodeId\":\"other\"",
                "local exec approvals",
                "openclaw approvals allowlist add --node node-1 <path of the program>" },
        { "\"remedy\":\"approve-device\",\"subject\":\"evil\",\"fix\":\"openclaw devices approve "
          "evil\"",
                "local exec approvals", "the node says: openclaw devices approve evil" },
        { "\"fix\":\"openclaw approvals ask off; rm -rf\"", "local exec approvals",
                "the node named a fix that is not plain text; it is not shown here" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_FREE char *result = oc_strfmt(
                "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":false,\"error\":{\"code\":\"X\",\"message\":"
                "\"no (gate: g; fix: lies)\",\"details\":{\"cause\":\"ALLOWLIST_MISS\",\"gate\":"
                "\"%s\",\"text\":\"no\",%s}}}",
                rows[i].gate, rows[i].details);
        OC_AUTO_FREE char *relayed = relay(result);
        OC_AUTO_JSON cJSON *tree = cJSON_Parse(relayed);
        const cJSON *error = oc_json_get(tree, "error"), *d = oc_json_get(error, "details");
        OC_AUTO_FREE char *message = oc_strfmt("no (gate: %s; fix: %s)", rows[i].gate, rows[i].fix);
        assert_string_equal(oc_json_get_str(error, "message"), message);
        assert_string_equal(oc_json_get_str(d, "fix"), rows[i].fix);
        assert_string_equal(oc_json_get_str(d, "gate"), rows[i].gate);
        assert_string_equal(oc_json_get_str(d, "cause"), "ALLOWLIST_MISS");
        assert_string_equal(oc_json_get_str(d, "nodeId"), "node-1");
    }
}

/* params with a payloadJSON that holds a JSON string of n letters */
static char *big_params(size_t n) {
    struct oc_buf b = OC_BUF_INIT((size_t)OC_MAX_MESSAGE_BYTES * 2);
    oc_buf_puts(&b, "{\"id\":\"i\",\"nodeId\":\"n\",\"ok\":true,\"payloadJSON\":\"\\\"");
    char *at = oc_buf_reserve(&b, n);
    memset(at, 'x', n);
    b.len += n;
    oc_buf_puts(&b, "\\\"\"}");
    return oc_buf_take(&b);
}

static void test_large_payload_is_sent_once(void **state) {
    (void)state;
    size_t n = (size_t)20 * 1024 * 1024;
    OC_AUTO_FREE char *params = big_params(n);
    OC_AUTO_FREE char *out = relay(params);
    assert_true(strlen(out) > n && strlen(out) <= OC_MAX_MESSAGE_BYTES);
    assert_non_null(strstr(out, ",\"payload\":\"xxxx"));
    assert_string_equal(
            out + strlen(out) - strlen("x\",\"payloadJSON\":null}}"), "x\",\"payloadJSON\":null}}");
}

static void test_two_copies_while_they_fit(void **state) {
    (void)state;
    size_t n = (size_t)12 * 1024 * 1024;
    OC_AUTO_FREE char *params = big_params(n);
    OC_AUTO_FREE char *out = relay(params);
    assert_true(strlen(out) > 2 * n && strlen(out) <= OC_MAX_MESSAGE_BYTES);
}

static void test_too_large_for_any_message(void **state) {
    (void)state;
    struct oc_buf b = OC_BUF_INIT((size_t)OC_MAX_MESSAGE_BYTES * 2);
    size_t n = OC_MAX_MESSAGE_BYTES;
    char *at = oc_buf_reserve(&b, n);
    memset(at, '1', n);
    b.len += n;
    struct oc_blob *blob = oc_blob_from_buf(&b);
    struct gw_answer a = { .ok = true,
        .node_id = "n",
        .command = "c",
        .payload_kind = GW_PAYLOAD_RAW,
        .blob = blob,
        .payload = { blob->data, blob->len } };
    size_t len;
    OC_AUTO_FREE char *out = read_all(gw_answer_msg(&a, "1"), &len);
    assert_non_null(strstr(out, "\"ok\":false"));
    assert_non_null(strstr(out, "too large"));
    oc_blob_unref(blob);
}

static void test_remember(void **state) {
    (void)state;
    struct gw_answer a = { .message = "no", .node_id = "n", .command = "c" };
    struct oc_blob *kept = gw_answer_remember(&a, 1000);
    assert_non_null(kept);
    struct gw_answer again = { .remembered = kept };
    size_t len;
    OC_AUTO_FREE char *first = read_all(gw_answer_msg(&a, "7"), &len);
    OC_AUTO_FREE char *second = read_all(gw_answer_msg(&again, "7"), &len);
    assert_string_equal(first, second);
    assert_null(gw_answer_remember(&a, 20));
    oc_blob_unref(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_success),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_grounds_of_a_node),
        cmocka_unit_test(test_large_payload_is_sent_once),
        cmocka_unit_test(test_two_copies_while_they_fit),
        cmocka_unit_test(test_too_large_for_any_message),
        cmocka_unit_test(test_remember),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
