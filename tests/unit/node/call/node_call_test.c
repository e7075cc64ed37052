/* Invokes on the node's side: refused, answered once, joined, remembered, cancelled, bounded. */
#include "node/owner/switches.h"
#include "tests/unit/node/node_testing.h"

#include "lib/protocol/limits.h"

#include <fcntl.h>

/* A command that runs until someone writes into the fifo. Returns its params; caller frees. */
static char *blocking_run(struct test_host *t, const char *fifo_name) {
    OC_AUTO_FREE char *fifo = oc_path_join(t->dir, fifo_name);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    test_host_policy(t, "full");
    return oc_strfmt(
            "{\"command\":[\"/bin/sh\",\"-c\",\"echo run >> %s.count; cat %s\"]}", fifo, fifo);
}

static void unblock(struct test_host *t, const char *fifo_name) {
    OC_AUTO_FREE char *fifo = oc_path_join(t->dir, fifo_name);
    int fd = -1;
    STEP_UNTIL(t->host.machine.loop,
            (fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0); /* until it reads */
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
}

static void assert_ran_once(struct test_host *t, const char *fifo_name) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/%s.count", t->dir, fifo_name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 1000, &text, NULL), OC_OK);
    assert_string_equal(text.data, "run\n");
}

static int results(struct test_host *t) {
    int n = 0;
    const cJSON *frame;
    cJSON_ArrayForEach(frame, t->frames) {
        n += oc_streq(oc_json_get_str(frame, "method"), "node.invoke.result");
    }
    return n;
}

static void cancel(struct test_host *t, const char *key, const char *id) {
    OC_AUTO_FREE char *text =
            oc_strfmt("{\"%s\":\"%s\",\"nodeId\":\"" TEST_DEVICE_ID "\"}", key, id);
    nd_calls_cancel(t->calls, (struct oc_slice){ text, strlen(text) });
}

static void refusals(void **state) {
    struct test_host *t = *state;
    test_host_invoke(t, "1", "camera.explode", "{}", -1, NULL);
    test_host_expect_error(t, "1", "UNAVAILABLE", "command not supported");
    test_host_invoke(t, "1off", "camera.snap", "{}", -1, NULL);
    test_host_expect_error(t, "1off", "CAMERA_DISABLED",
            "CAMERA_DISABLED: camera.snap is off until the owner of this machine switches it on "
            "(gate: local switch; fix: on the node run: openclaw node enable camera)");
    test_host_invoke(t, "2", "system.which", NULL, -1, NULL);
    test_host_expect_error(
            t, "2", "INVALID_REQUEST", "Error: INVALID_REQUEST: paramsJSON required");
    static const char *const malformed[] = { "", "{", "{} x", "{\"bins\":[\"a\"],}",
        "{\"a\":1,\"a\":2}", "{'a':1}" };
    for (size_t i = 0; i < OC_COUNT(malformed); i++) {
        char id[8];
        snprintf(id, sizeof(id), "m%zu", i);
        test_host_invoke(t, id, "system.which", malformed[i], -1, NULL);
        test_host_expect_error(
                t, id, "INVALID_REQUEST", "Error: INVALID_REQUEST: paramsJSON malformed");
    }
    test_host_invoke(t, "3", "system.which", "[]", -1, NULL);
    test_host_expect_error(t, "3", "INVALID_REQUEST", "paramsJSON must be an object");
    test_host_invoke(t, "4", "system.which", "{\"bins\":[]}", 0, NULL);
    test_host_expect_error(t, "4", "TIMEOUT", "deadline");
    nd_calls_request(t->calls, SLICE("{\"id\":\"5\"}"));
    test_host_expect_error(t, "5", "INVALID_REQUEST", "malformed node.invoke.request");
    int before = results(t);
    nd_calls_request(t->calls, SLICE("{}"));
    nd_calls_request(t->calls, SLICE("null"));
    assert_int_equal(results(t), before); /* nobody to answer */
    assert_int_equal(nd_calls_running(t->calls), 0);
}

static void too_large_params(void **state) {
    struct test_host *t = *state;
    size_t len = OC_MAX_REQUEST_BYTES + 100;
    OC_AUTO_FREE char *params = oc_alloc(len + 1);
    memset(params, ' ', len);
    params[0] = '{';
    params[len - 1] = '}';
    test_host_invoke(t, "1", "system.which", params, -1, NULL);
    test_host_expect_error(t, "1", "INVALID_REQUEST", "paramsJSON too large");
}

static void results_that_do_not_fit(void **state) {
    struct test_host *t = *state;
    t->host.uplink.max_message_bytes = 300;
    test_host_invoke(t, "1", "system.which",
            "{\"bins\":[\"sh\",\"ls\",\"cat\",\"env\",\"id\",\"true\",\"false\",\"sort\"]}", -1,
            NULL);
    test_host_expect_error(t, "1", "PAYLOAD_TOO_LARGE", "limit");
}

static void a_key_runs_once(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = blocking_run(t, "f");
    test_host_invoke(t, "1", "system.run", params, -1, "key");
    test_host_invoke(t, "2", "system.run", params, -1, "key"); /* joins */
    assert_int_equal(nd_calls_running(t->calls), 1);
    test_host_invoke(t, "3", "system.run", "{\"command\":[\"true\"]}", -1, "key");
    test_host_expect_error(t, "3", "DUPLICATE_REQUEST", "other params");
    unblock(t, "f");
    OC_AUTO_JSON cJSON *first = test_host_payload(t, "1"), *second = test_host_payload(t, "2");
    assert_string_equal(oc_json_get_str(first, "stdout"), "x");
    assert_true(cJSON_Compare(first, second, true));
    test_host_invoke(t, "4", "system.run", params, -1, "key"); /* remembered */
    OC_AUTO_JSON cJSON *third = test_host_payload(t, "4");
    assert_true(cJSON_Compare(first, third, true));
    assert_ran_once(t, "f");
    assert_int_equal(results(t), 4);
}

static void errors_are_remembered_too(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "deny");
    test_host_invoke(t, "1", "system.run", "{\"command\":[\"true\"]}", -1, "key");
    test_host_expect_error(t, "1", "SYSTEM_RUN_DENIED", "SYSTEM_RUN_DISABLED");
    test_host_policy(t, "full");
    test_host_invoke(t, "2", "system.run", "{\"command\":[\"true\"]}", -1, "key");
    test_host_expect_error(t, "2", "SYSTEM_RUN_DENIED", "SYSTEM_RUN_DISABLED");
}

static void large_results_are_not_kept_but_do_not_run_again(void **state) {
    struct test_host *t = *state;
    test_host_policy(t, "full");
    const char *params =
            "{\"command\":[\"/bin/sh\",\"-c\",\"head -c 100000 /dev/zero | tr '\\\\0' x\"]}";
    test_host_invoke(t, "1", "system.run", params, -1, "key");
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, "1");
    assert_int_equal(strlen(oc_json_get_str(payload, "stdout")), 100000);
    test_host_invoke(t, "2", "system.run", params, -1, "key");
    test_host_expect_error(t, "2", "DUPLICATE_REQUEST", "already run");
}

static void answers_belong_to_their_connection(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = blocking_run(t, "f");
    test_host_invoke(t, "old", "system.run", params, -1, "key");
    t->host.uplink.connection++; /* the gateway restarted, the command runs on */
    test_host_invoke(t, "new", "system.run", params, -1, "key");
    unblock(t, "f");
    cJSON_Delete(test_host_payload(t, "new"));
    assert_null(test_host_result(t, "old"));
    assert_ran_once(t, "f");
}

static void deadlines_kill(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = blocking_run(t, "f");
    test_host_invoke(t, "1", "system.run", params, 50, NULL);
    STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, "f.count"));
    oc_fake_clock_advance(&t->clock, 49);
    oc_loop_step(t->host.machine.loop, 0);
    assert_null(test_host_result(t, "1"));
    oc_fake_clock_advance(&t->clock, 1);
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, "1");
    assert_true(oc_json_get_bool(payload, "timedOut", false));
    assert_null(oc_json_get(payload, "exitCode"));
}

static void cancelling(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = blocking_run(t, "f");
    test_host_invoke(t, "1", "system.run", params, -1, "key");
    test_host_invoke(t, "2", "system.run", params, -1, "key");
    cancel(t, "id", "unknown");
    nd_calls_cancel(t->calls, SLICE("{\"id\":"));
    nd_calls_cancel(t->calls, SLICE("[]"));
    cancel(t, "invokeId", "1"); /* the other one still waits */
    assert_int_equal(nd_calls_running(t->calls), 1);
    cancel(t, "id", "2");
    STEP_UNTIL(t->host.machine.loop, nd_calls_running(t->calls) == 0);
    test_host_expect_error(t, "1", "CANCELLED", "others wait");
    test_host_expect_error(t, "2", "CANCELLED", "were killed");
    test_host_invoke(t, "3", "system.run", params, -1, "key");
    test_host_expect_error(t, "3", "CANCELLED", "cancelled");
}

static void cancels_come_from_the_connection_that_asked(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = blocking_run(t, "f");
    test_host_invoke(t, "1", "system.run", params, -1, NULL);
    t->host.uplink.connection++;
    cancel(t, "id", "1");
    t->host.uplink.connection--;
    unblock(t, "f");
    OC_AUTO_JSON cJSON *payload = test_host_payload(t, "1");
    assert_true(oc_json_get_bool(payload, "success", false));
}

static void only_so_many_at_a_time(void **state) {
    struct test_host *t = *state;
    OC_AUTO_JSON cJSON *config = cJSON_Parse("{\"node\":{\"exec\":{\"maxConcurrent\":1000}}}");
    t->host.machine.config = config;
    OC_AUTO_FREE char *params = blocking_run(t, "f");
    char id[16];
    for (int i = 0; i < ND_MAX_NODE_CALLS; i++) {
        snprintf(id, sizeof(id), "%d", i);
        test_host_invoke(t, id, "system.run", params, -1, i == 0 ? "key" : NULL);
    }
    assert_int_equal(nd_calls_running(t->calls), ND_MAX_NODE_CALLS);
    test_host_invoke(t, "over", "system.run", params, -1, "fresh");
    test_host_expect_error(t, "over", "UNAVAILABLE", "node busy");
    for (int i = 1; i < ND_MAX_CALL_WAITERS; i++) {
        snprintf(id, sizeof(id), "join-%d", i);
        test_host_invoke(t, id, "system.run", params, -1, "key");
    }
    test_host_invoke(t, "join-over", "system.run", params, -1, "key");
    test_host_expect_error(t, "join-over", "UNAVAILABLE", "node busy");
    nd_calls_cancel_all(t->calls);
    STEP_UNTIL(t->host.machine.loop, nd_calls_running(t->calls) == 0);
    /* Being refused is not having run. */
    test_host_invoke(t, "later", "system.which", "{\"bins\":[]}", -1, "fresh");
    cJSON_Delete(test_host_payload(t, "later"));
}

static void tell_idle(void *user) {
    ++*(int *)user;
}

static void idle_is_told(void **state) {
    struct test_host *t = *state;
    int told = 0;
    nd_calls_on_idle(t->calls, tell_idle, &told);
    test_host_invoke(t, "1", "system.which", "{\"bins\":[]}", -1, NULL);
    assert_int_equal(told, 1);
}

/* Teardown abandons a running command: nothing may be left of it (the sanitizers watch the memory).
 */
static void abandoned(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = blocking_run(t, "f");
    test_host_invoke(t, "1", "system.run", params, -1, "key");
    assert_int_equal(nd_calls_running(t->calls), 1);
    OC_AUTO_FREE char *writes = oc_strfmt("{\"command\":[\"/bin/sh\",\"-c\",\"cd %s && echo >w && "
                                          "while :; do i=$((i+1)); : >w.$i; done\"]}",
            t->dir);
    test_host_invoke(t, "2", "system.run", writes, -1, "other");
    STEP_UNTIL(t->host.machine.loop, test_host_has_line(t, "w")); /* it writes until it is gone */
}

/* The reference refuses an error with members that it does not know. */
static void grounds_go_to_gateways_that_take_them(void **state) {
    struct test_host *t = *state;
    static const char params[] = "{\"command\":[\"true\"]}";
    test_host_policy(t, "deny");
    test_host_invoke(t, "off", "camera.snap", "{}", -1, NULL);
    test_host_invoke(t, "foreign", "system.run", params, -1, "key");
    test_host_expect_error(t, "off", "CAMERA_DISABLED", "fix: on the node run: openclaw node ");
    test_host_expect_error(t, "foreign", "SYSTEM_RUN_DENIED",
            "SYSTEM_RUN_DISABLED: security=deny (gate: local exec approvals; fix: ");
    assert_null(oc_json_path(test_host_result(t, "off"), "error.details"));
    assert_null(oc_json_path(test_host_result(t, "foreign"), "error.details"));
    t->host.uplink.takes_grounds = true;
    test_host_invoke(t, "off2", "camera.snap", "{}", -1, NULL);
    test_host_invoke(t, "again", "system.run", params, -1, "key"); /* as it is remembered */
    test_host_expect_error(t, "off2", "CAMERA_DISABLED", "CAMERA_DISABLED: ");
    test_host_expect_error(t, "again", "SYSTEM_RUN_DENIED", "SYSTEM_RUN_DISABLED");
    const cJSON *d = oc_json_path(test_host_result(t, "off2"), "error.details");
    assert_string_equal(oc_json_get_str(d, "cause"), "SWITCHED_OFF");
    assert_string_equal(oc_json_get_str(d, "gate"), "local switch");
    assert_string_equal(oc_json_get_str(d, "subject"), "camera");
    assert_string_equal(oc_json_get_str(d, "remedy"), "enable-switch");
    d = oc_json_path(test_host_result(t, "again"), "error.details");
    assert_string_equal(oc_json_get_str(d, "cause"), "RUN_DISABLED");
    assert_string_equal(oc_json_get_str(d, "gate"), "local exec approvals");
    assert_string_equal(oc_json_get_str(d, "remedy"), "security-allowlist");
    assert_string_equal(oc_json_get_str(d, "text"), "SYSTEM_RUN_DISABLED: security=deny");
}

#define MANY 16

/* A command whose text takes long. Caller frees. */
static char *heavy_params(void) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1u << 20);
    oc_buf_puts(&text, "{\"command\":[\"sh\",\"-c\",\"");
    for (int i = 0; i < 100; i++) {
        oc_buf_printf(&text, "%s/gone/x%d %02000d", i > 0 ? " && " : "", i, 0);
    }
    oc_buf_puts(&text, "\"]}");
    return oc_buf_take(&text);
}

/* What one such call counts for, each time something is made of its params. */
static uint64_t weight_of(const char *params) {
    return strlen(params) / 512 + OC_TURN_UNITS_PER_MESSAGE;
}

static int answered(struct test_host *t, const char *prefix) {
    int n = 0;
    for (int i = 0; i < MANY; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("%s%d", prefix, i);
        n += test_host_result(t, id) != NULL;
    }
    return n;
}

/* In units of work, which depend on nothing but what is asked for. */
static void one_caller_does_not_stop_another(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = heavy_params();
    uint64_t weight = weight_of(params), before = nd_calls_work(t->calls);
    assert_true(weight > OC_TURN_UNITS); /* one of them is a turn */
    oc_write_text(t->approvals,
            "{\"version\":1,\"defaults\":{\"security\":\"allowlist\",\"ask\":\"off\"}}");
    for (int i = 0; i < MANY; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("a%d", i);
        test_host_invoke_for(t, "alice", id, "system.run", params, -1, NULL);
    }
    test_host_invoke_for(t, "bob", "b", "system.which", "{\"bins\":[\"sh\"]}", -1, NULL);
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, "b"));
    assert_in_range(nd_calls_work(t->calls) - before, weight, 2 * weight);
    uint64_t last = nd_calls_work(t->calls);
    while (answered(t, "a") < MANY) { /* and in each round one turn */
        oc_loop_step(t->host.machine.loop, 50);
        assert_in_range(nd_calls_work(t->calls) - last, 0, OC_TURN_UNITS + weight);
        last = nd_calls_work(t->calls);
    }
    assert_true(last - before >= MANY * (weight - OC_TURN_UNITS_PER_MESSAGE));
    assert_int_equal(t->host.notes.judged, MANY);
}

/* Also those that come when the next turn has begun and nobody has gone on yet. */
static void calls_of_one_caller_keep_their_order(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = heavy_params();
    test_host_policy(t, "full");
    for (int i = 0; i < MANY; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("a%d", i);
        test_host_invoke_for(t, "alice", id, "system.run.prepare", params, -1, NULL);
    }
    for (int i = 0; i < MANY; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("b%d", i);
        test_host_invoke_for(t, "alice", id, "system.which", "{\"bins\":[\"sh\"]}", -1, NULL);
        assert_true(answered(t, "b") == 0 || answered(t, "a") == MANY);
        oc_loop_step(t->host.machine.loop, 0);
        assert_true(answered(t, "b") == 0 || answered(t, "a") == MANY);
    }
    STEP_UNTIL(t->host.machine.loop, answered(t, "b") == MANY);
}

/* Nobody would see what it filmed. Asked for again it is known not to have begun. */
static void a_capture_whose_caller_is_gone_does_not_begin(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = heavy_params(), *path = oc_path_join(t->dir, ND_SWITCHES_FILE);
    struct oc_error err;
    t->host.machine.switches_path = path;
    assert_int_equal(nd_switch_set(path, "camera", true, &err), OC_OK);
    test_host_policy(t, "full");
    for (int i = 0; i < MANY; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("a%d", i);
        test_host_invoke_for(t, "alice", id, "system.run.prepare", params, -1, NULL);
    }
    test_host_invoke_for(t, "alice", "film", "camera.clip", "{}", -1, "key");
    t->host.uplink.connection++;
    nd_calls_cut(t->calls);
    test_host_invoke_for(t, "alice", "again", "camera.clip", "{}", -1, "key");
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, "again"));
    assert_null(test_host_result(t, "film"));
    test_host_expect_error(t, "again", "CANCELLED", "the command was not started");
}

/* What follows a look is done in turns, too, and nothing is judged twice. */
static void after_a_look_it_is_somebodys_turn(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = heavy_params();
    uint64_t weight = weight_of(params), last = nd_calls_work(t->calls), before = last;
    test_host_policy(t, "allowlist");
    test_host_settle(t);
    uint64_t judged = t->host.notes.judged;
    static const char *const commands[] = { "system.run", "system.run.prepare" };
    for (int i = 0; i < MANY; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("a%d", i);
        test_host_invoke_for(t, "alice", id, commands[i % 2], params, -1, NULL);
    }
    while (answered(t, "a") < MANY) {
        oc_loop_step(t->host.machine.loop, 50);
        assert_in_range(nd_calls_work(t->calls) - last, 0, OC_TURN_UNITS + 2 * weight);
        last = nd_calls_work(t->calls);
    }
    assert_true(last - before >= (weight - OC_TURN_UNITS_PER_MESSAGE) * 2 * MANY);
    assert_int_equal(t->host.notes.judged - judged, MANY);
}

/* Whoever waits for a turn can be cancelled, runs out of time, and is gone with the node. */
static void waiting_for_a_turn_ends(void **state) {
    struct test_host *t = *state;
    OC_AUTO_FREE char *params = heavy_params();
    test_host_policy(t, "full");
    for (int i = 0; i < MANY; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("a%d", i);
        test_host_invoke(t, id, "system.run.prepare", params, -1, NULL);
    }
    assert_null(test_host_result(t, "a1"));
    cancel(t, "invokeId", "a1");
    test_host_expect_error(t, "a1", "CANCELLED", "was not started");
    test_host_invoke_for(t, "late", "l1", "system.run.prepare", params, -1, NULL);
    test_host_invoke_for(t, "late", "l2", "system.run.prepare", params, 1000, NULL);
    oc_fake_clock_advance(&t->clock, 1001);
    test_host_expect_error(t, "l2", "TIMEOUT", "was not started");
    test_host_invoke_for(t, "left", "g1", "system.run.prepare", params, -1, NULL);
    test_host_invoke_for(t, "left", "g2", "system.run.prepare", params, -1, NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, test_host_setup, test_host_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(refusals),
        TEST(grounds_go_to_gateways_that_take_them),
        TEST(too_large_params),
        TEST(results_that_do_not_fit),
        TEST(a_key_runs_once),
        TEST(errors_are_remembered_too),
        TEST(large_results_are_not_kept_but_do_not_run_again),
        TEST(answers_belong_to_their_connection),
        TEST(deadlines_kill),
        TEST(cancelling),
        TEST(cancels_come_from_the_connection_that_asked),
        TEST(only_so_many_at_a_time),
        TEST(idle_is_told),
        TEST(abandoned),
        TEST(one_caller_does_not_stop_another),
        TEST(calls_of_one_caller_keep_their_order),
        TEST(a_capture_whose_caller_is_gone_does_not_begin),
        TEST(after_a_look_it_is_somebodys_turn),
        TEST(waiting_for_a_turn_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
