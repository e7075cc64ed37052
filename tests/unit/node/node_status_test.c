#include "tests/unit/unit.h"

#include "node/status.h"

static void expect_line(struct nd_status s, const char *part) {
    s.gateway = "ws://127.0.0.1:18789";
    s.name = "box";
    OC_AUTO_FREE char *line = nd_status_line(&s);
    if (!strstr(line, part)) {
        fail_msg("'%s' is not in '%s'", part, line);
    }
}

static void lines(void **state) {
    (void)state;
    expect_line((struct nd_status){ .state = ND_CONNECTING },
            "connecting to ws://127.0.0.1:18789 as \"box\"");
    expect_line((struct nd_status){ .state = ND_WAITING_DEVICE, .request_id = "r-1" },
            "openclaw nodes approve r-1");
    expect_line(
            (struct nd_status){
                    .state = ND_WAITING_DEVICE, .request_id = "r-1", .is_foreign = true },
            "on the gateway run: openclaw devices approve r-1");
    expect_line((struct nd_status){ .state = ND_WAITING_DEVICE }, "openclaw nodes approve");
    expect_line((struct nd_status){ .state = ND_WAITING_SURFACE, .request_id = "r-2" },
            "openclaw nodes approve r-2");
    expect_line((struct nd_status){ .state = ND_CONNECTED }, "connected to ws://127.0.0.1:18789");
    expect_line(
            (struct nd_status){
                    .state = ND_RETRYING, .reason = "connection refused", .retry_ms = 1240 },
            "connection refused; retrying in 1.2 s");
    expect_line((struct nd_status){ .state = ND_RETRYING, .reason = "x", .fix = "do y" },
            "\n  fix: do y");
    expect_line(
            (struct nd_status){ .state = ND_FAILED, .reason = "token mismatch", .fix = "set X" },
            "token mismatch\n  fix: set X");
    expect_line((struct nd_status){ .state = ND_STOPPED }, "stopped");
}

static void peers_cannot_paint_the_terminal(void **state) {
    (void)state;
    struct nd_status s = {
        .state = ND_WAITING_DEVICE, .request_id = "x\x1b[2J\nconnected", .gateway = "g"
    };
    OC_AUTO_FREE char *line = nd_status_line(&s);
    assert_null(strchr(line, '\x1b'));
    assert_null(strchr(line, '\n'));
}

static bool news(
        struct nd_status_log *log, enum nd_state state, const char *reason, int64_t retry_ms) {
    struct nd_status s = { .state = state, .reason = reason, .retry_ms = retry_ms };
    return nd_status_is_news(log, &s);
}

static void said_once(void **state) {
    (void)state;
    struct nd_status_log log = { 0 };
    assert_true(news(&log, ND_CONNECTING, NULL, 0));
    assert_true(news(&log, ND_RETRYING, "refused", 1000));
    for (int i = 0; i < 100; i++) {
        assert_false(news(&log, ND_CONNECTING, NULL, 0));
        assert_false(news(&log, ND_RETRYING, "refused", 30000 + i));
    }
    assert_true(news(&log, ND_RETRYING, "timed out", 30000));
    assert_true(news(&log, ND_CONNECTED, NULL, 0));
    assert_false(news(&log, ND_CONNECTED, NULL, 0));
    assert_true(news(&log, ND_RETRYING, "timed out", 1000));
    struct nd_status waiting = {
        .state = ND_WAITING_DEVICE, .reason = "pairing required", .request_id = "a"
    };
    assert_true(nd_status_is_news(&log, &waiting));
    assert_false(nd_status_is_news(&log, &waiting));
    waiting.request_id = "b"; /* the old request expired */
    assert_true(nd_status_is_news(&log, &waiting));
    nd_status_log_finish(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(peers_cannot_paint_the_terminal),
        cmocka_unit_test(said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
