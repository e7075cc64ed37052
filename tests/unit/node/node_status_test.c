#include "tests/unit/unit.h"

#include "node/status.h"

static void expect_line(struct oc_node_status s, const char *part) {
    s.gateway = "ws://127.0.0.1:18789";
    s.name = "box";
    OC_AUTO_FREE char *line = oc_node_status_line(&s);
    if (!strstr(line, part)) {
        fail_msg("'%s' is not in '%s'", part, line);
    }
}

static void lines(void **state) {
    (void)state;
    expect_line((struct oc_node_status){ .state = OC_NODE_CONNECTING },
            "connecting to ws://127.0.0.1:18789 as \"box\"");
    expect_line((struct oc_node_status){ .state = OC_NODE_WAITING_DEVICE, .request_id = "r-1" },
            "openclaw nodes approve r-1");
    expect_line(
            (struct oc_node_status){
                    .state = OC_NODE_WAITING_DEVICE, .request_id = "r-1", .is_foreign = true },
            "on the gateway run: openclaw devices approve r-1");
    expect_line(
            (struct oc_node_status){ .state = OC_NODE_WAITING_DEVICE }, "openclaw nodes approve");
    expect_line((struct oc_node_status){ .state = OC_NODE_WAITING_SURFACE, .request_id = "r-2" },
            "openclaw nodes approve r-2");
    expect_line((struct oc_node_status){ .state = OC_NODE_CONNECTED },
            "connected to ws://127.0.0.1:18789");
    expect_line(
            (struct oc_node_status){
                    .state = OC_NODE_RETRYING, .reason = "connection refused", .retry_ms = 1240 },
            "connection refused; retrying in 1.2 s");
    expect_line((struct oc_node_status){ .state = OC_NODE_RETRYING, .reason = "x", .fix = "do y" },
            "\n  fix: do y");
    expect_line(
            (struct oc_node_status){
                    .state = OC_NODE_FAILED, .reason = "token mismatch", .fix = "set X" },
            "token mismatch\n  fix: set X");
    expect_line((struct oc_node_status){ .state = OC_NODE_STOPPED }, "stopped");
}

static void peers_cannot_paint_the_terminal(void **state) {
    (void)state;
    struct oc_node_status s = {
        .state = OC_NODE_WAITING_DEVICE, .request_id = "x\x1b[2J\nconnected", .gateway = "g"
    };
    OC_AUTO_FREE char *line = oc_node_status_line(&s);
    assert_null(strchr(line, '\x1b'));
    assert_null(strchr(line, '\n'));
}

static bool news(struct oc_node_status_log *log, enum oc_node_state state, const char *reason,
        int64_t retry_ms) {
    struct oc_node_status s = { .state = state, .reason = reason, .retry_ms = retry_ms };
    return oc_node_status_is_news(log, &s);
}

static void said_once(void **state) {
    (void)state;
    struct oc_node_status_log log = { 0 };
    assert_true(news(&log, OC_NODE_CONNECTING, NULL, 0));
    assert_true(news(&log, OC_NODE_RETRYING, "refused", 1000));
    for (int i = 0; i < 100; i++) {
        assert_false(news(&log, OC_NODE_CONNECTING, NULL, 0));
        assert_false(news(&log, OC_NODE_RETRYING, "refused", 30000 + i));
    }
    assert_true(news(&log, OC_NODE_RETRYING, "timed out", 30000));
    assert_true(news(&log, OC_NODE_CONNECTED, NULL, 0));
    assert_false(news(&log, OC_NODE_CONNECTED, NULL, 0));
    assert_true(news(&log, OC_NODE_RETRYING, "timed out", 1000));
    struct oc_node_status waiting = {
        .state = OC_NODE_WAITING_DEVICE, .reason = "pairing required", .request_id = "a"
    };
    assert_true(oc_node_status_is_news(&log, &waiting));
    assert_false(oc_node_status_is_news(&log, &waiting));
    waiting.request_id = "b"; /* the old request expired */
    assert_true(oc_node_status_is_news(&log, &waiting));
    oc_node_status_log_finish(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(peers_cannot_paint_the_terminal),
        cmocka_unit_test(said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
