/* Every run has one end, whatever it is, and all who tell of it tell the same. */
#include "tests/unit/node/node_testing.h"

#include "node/run/log/run_end.h"
#include "node/run/log/run_log.h"
#include "node/run/run.h"
#include "node/run/unconfirmed.h"
#include "tests/any_int.h"

#include <signal.h>
#include <stdlib.h>

static int setup(void **state) {
    int rc = test_host_setup(state);
    struct test_host *t = *state;
    struct nd_runner *r = &t->host.runner;
    r->log = nd_run_log_create(t->dir, "gw:1", &t->clock.clock);
    r->unconfirmed = nd_unconfirmed_create(&t->host.uplink, r->log);
    test_host_policy(t, "full");
    return rc;
}

static int teardown(void **state) {
    struct test_host *t = *state;
    struct nd_run_log *log = t->host.runner.log;
    struct nd_unconfirmed *unconfirmed = t->host.runner.unconfirmed;
    int rc = test_host_teardown(state); /* ends what runs, which is written down */
    nd_unconfirmed_destroy(unconfirmed);
    nd_run_log_destroy(log);
    return rc;
}

static void invoke(struct test_host *t, const char *id, const char *program, const char *script,
        const char *more) {
    OC_AUTO_JSON cJSON *params = cJSON_Parse(more);
    cJSON *argv = cJSON_CreateArray();
    const char *const words[] = { program, "-c", script };
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        cJSON_AddItemToArray(argv, cJSON_CreateString(words[i]));
    }
    oc_json_set(params, "command", argv);
    OC_AUTO_FREE char *text = oc_json_print(params, false);
    test_host_invoke_for(t, "someone", id, "system.run", text, -1, id);
}

static void run(struct test_host *t, const char *id, const char *script, const char *more) {
    invoke(t, id, "/bin/sh", script, more);
}

/* How many ends the run log has, those included that its reader would leave out. */
static size_t end_lines(struct test_host *t) {
    OC_AUTO_FREE char *path = oc_path_join(t->dir, "exec-log.jsonl");
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1 << 20);
    size_t n = 0;
    if (oc_file_read(path, 1 << 20, &text, NULL) != OC_OK) {
        return 0;
    }
    for (const char *at = text.data; (at = strstr(at, "\"kind\":\"end\"")) != NULL; at++) {
        n++;
    }
    return n;
}

/* The line of this invoke, in the run log. Caller deletes. */
static cJSON *line_of(struct test_host *t, const char *id) {
    cJSON *all = NULL, *found = NULL, *item;
    assert_int_equal(nd_run_log_read(t->dir, 0, 100, &all, NULL), OC_OK);
    cJSON_ArrayForEach(item, oc_json_get(all, "items")) {
        if (oc_streq(oc_json_get_str(item, "invokeId"), id)) {
            assert_null(found);
            found = cJSON_Duplicate(item, true);
        }
    }
    cJSON_Delete(all);
    assert_non_null(found);
    return found;
}

/* What the gateway's audit is told of this invoke; NULL: nothing. Caller deletes. */
static cJSON *audit_of(struct test_host *t, const char *id, const char *name) {
    const cJSON *frame;
    cJSON *found = NULL;
    cJSON_ArrayForEach(frame, t->frames) {
        const cJSON *params = oc_json_get(frame, "params");
        const char *text = oc_json_get_str(params, "payloadJSON");
        if (!oc_streq(oc_json_get_str(params, "event"), name) || !text) {
            continue;
        }
        OC_AUTO_JSON cJSON *payload = cJSON_Parse(text);
        const cJSON *audit = oc_json_get(payload, "audit");
        if (oc_streq(oc_json_get_str(audit, "invokeId"), id)) {
            assert_null(found);
            found = cJSON_Duplicate(audit, true);
        }
    }
    return found;
}

/* Of a run that began: the run log and the audit have one document. Caller deletes. */
static cJSON *same_end(struct test_host *t, const char *id, const char *event) {
    static const char *const of_the_line[] = { "kind", "id", "atMs" };
    OC_AUTO_JSON cJSON *line = line_of(t, id);
    cJSON *end = cJSON_DetachItemFromObject(line, "end"), *audit = audit_of(t, id, event);
    assert_string_equal(oc_json_get_str(line, "kind"), "run");
    assert_non_null(end);
    assert_non_null(audit);
    for (size_t i = 0; i < OC_COUNT(of_the_line); i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(end, of_the_line[i]);
    }
    oc_json_set_str(end, "invokeId", id);
    OC_AUTO_FREE char *one = oc_json_print(end, false), *other = oc_json_print(audit, false);
    assert_string_equal(one, other);
    cJSON_Delete(audit);
    return end;
}

static void check(const cJSON *end, const char *outcome, const char *reason) {
    assert_string_equal(oc_json_get_str(end, "outcome"), outcome);
    if (reason) {
        assert_string_equal(oc_json_get_str(end, "reason"), reason);
    } else {
        assert_null(oc_json_get(end, "reason"));
    }
}

static const char *error_of(struct test_host *t, const char *id) {
    STEP_UNTIL(t->host.machine.loop, test_host_result(t, id));
    return oc_json_get_str(oc_json_get(test_host_result(t, id), "error"), "code");
}

static void who_ends_by_itself(void **state) {
    struct test_host *t = *state;
    run(t, "1", "printf 12345; printf 12 >&2; exit 2", "{}");
    OC_AUTO_JSON cJSON *answer = test_host_payload(t, "1"),
                       *end = same_end(t, "1", "exec.finished");
    check(end, "exited", NULL);
    assert_int_equal(any_int(answer, "exitCode", -1), 2);
    assert_int_equal(any_int(end, "exitCode", -1), 2);
    assert_int_equal(any_int(end, "bytes", -1), 7);
    assert_int_equal(any_int(end, "stdoutBytes", -1), 5);
    assert_int_equal(any_int(end, "stderrBytes", -1), 2);
    assert_string_equal(oc_json_get_str(end, "gate"), "full");
    assert_int_equal(end_lines(t), 1);
}

static void who_is_ended(void **state) {
    struct test_host *t = *state;
    run(t, "1", "kill -TERM $$", "{}");
    OC_AUTO_JSON cJSON *answer = test_host_payload(t, "1"),
                       *end = same_end(t, "1", "exec.finished");
    check(end, "killed", NULL);
    assert_int_equal(any_int(answer, "signal", -1), 15);
    assert_int_equal(any_int(end, "signal", -1), 15);
    run(t, "2", "exec sleep 100", "{}");
    OC_AUTO_FREE char *cancel = oc_strfmt("{\"invokeId\":\"2\",\"nodeId\":\"%s\"}", TEST_DEVICE_ID);
    nd_calls_cancel(t->calls, (struct oc_slice){ cancel, strlen(cancel) });
    assert_string_equal(error_of(t, "2"), "CANCELLED");
    OC_AUTO_JSON cJSON *cancelled = same_end(t, "2", "exec.finished");
    check(cancelled, "cancelled", "the command was cancelled and its processes were killed");
    run(t, "3", "exec sleep 100", "{\"timeoutMs\":1000}");
    oc_fake_clock_advance(&t->clock, 1000);
    OC_AUTO_JSON cJSON *late = test_host_payload(t, "3");
    OC_AUTO_JSON cJSON *timed_out = same_end(t, "3", "exec.finished");
    check(timed_out, "timed-out", NULL);
    assert_true(oc_json_get_bool(late, "timedOut", false));
    assert_int_equal(any_int(timed_out, "durationMs", -1), 1000);
    assert_int_equal(end_lines(t), 3);
}

/* In the background, where the list tells of it as well. */
static void who_is_killed_by_its_handle(void **state) {
    struct test_host *t = *state;
    run(t, "1", "exec sleep 100", "{\"background\":true,\"handle\":\"h\"}");
    cJSON_Delete(test_host_payload(t, "1"));
    test_host_invoke_for(t, "someone", "2", "system.runs.kill", "{\"handle\":\"h\"}", -1, "2");
    OC_AUTO_JSON cJSON *killed = test_host_payload(t, "2"),
                       *end = same_end(t, "1", "exec.finished");
    check(end, "killed", "killed by someone");
    assert_string_equal(oc_json_get_str(end, "handle"), "h");
    const cJSON *listed = oc_json_get(killed, "run");
    assert_string_equal(oc_json_get_str(listed, "state"), "killed");
    assert_int_equal(any_int(listed, "signal", -1), any_int(end, "signal", -2));
    const struct nd_run_end *kept = nd_runs_find(t->host.runner.runs, "h")->end;
    assert_int_equal(kept->outcome, OC_OUTCOME_KILLED);
    assert_int_equal(end_lines(t), 1);
}

static void what_cannot_be_started(void **state) {
    struct test_host *t = *state;
    invoke(t, "1", "/nowhere/to/be/found", "", "{}");
    OC_AUTO_JSON cJSON *answer = test_host_payload(t, "1"),
                       *end = same_end(t, "1", "exec.finished");
    check(end, "not-started", "spawn /nowhere/to/be/found ENOENT");
    assert_string_equal(oc_json_get_str(answer, "error"), "spawn /nowhere/to/be/found ENOENT");
    assert_int_equal(any_int(end, "stdoutBytes", -1), 0);
    assert_int_equal(end_lines(t), 1);
}

/* By a gate, which the gateway hears of; or for want of room, which is an answer alone. */
static void what_is_refused(void **state) {
    struct test_host *t = *state;
    run(t, "1", "exec sleep 100", "{\"background\":true,\"handle\":\"h\"}");
    cJSON_Delete(test_host_payload(t, "1"));
    run(t, "2", "true", "{\"background\":true,\"handle\":\"h\"}");
    assert_string_equal(error_of(t, "2"), "INVALID_REQUEST");
    OC_AUTO_JSON cJSON *taken = line_of(t, "2");
    assert_string_equal(oc_json_get_str(taken, "kind"), "refused");
    assert_string_equal(oc_json_get_str(taken, "gate"), "handle");
    assert_null(oc_json_get(taken, "cause"));
    assert_null(audit_of(t, "2", "exec.denied"));
    test_host_policy(t, "deny");
    run(t, "3", "true", "{}");
    assert_string_equal(error_of(t, "3"), "SYSTEM_RUN_DENIED");
    OC_AUTO_JSON cJSON *denied = line_of(t, "3"), *audit = audit_of(t, "3", "exec.denied");
    assert_string_equal(oc_json_get_str(denied, "kind"), "refused");
    assert_string_equal(oc_json_get_str(audit, "outcome"), "refused");
    assert_string_equal(oc_json_get_str(denied, "reason"), oc_json_get_str(audit, "reason"));
    assert_string_equal(oc_json_get_str(denied, "cause"), oc_json_get_str(audit, "cause"));
    assert_string_equal(oc_json_get_str(denied, "gate"), oc_json_get_str(audit, "gate"));
    /* What helps is data, and no part of the text. */
    assert_null(strstr(oc_json_get_str(denied, "reason"), "fix: "));
    const cJSON *const kept[] = { oc_json_get(denied, "grounds"), oc_json_get(audit, "grounds") };
    for (size_t i = 0; i < OC_COUNT(kept); i++) {
        assert_string_equal(oc_json_get_str(kept[i], "cause"), "RUN_DISABLED");
        assert_string_equal(oc_json_get_str(kept[i], "gate"), "local exec approvals");
        assert_non_null(oc_json_get_str(kept[i], "remedy"));
    }
    assert_null(oc_json_get(audit, "stdoutBytes")); /* there was no program */
    assert_int_equal(end_lines(t), 0);
}

static void stop(struct test_host *t) {
    nd_calls_destroy(t->calls);
    nd_runs_destroy(t->host.runner.runs);
    t->host.runner.runs = nd_runs_create(&t->host.machine);
    t->calls = nd_host_calls(&t->host, NULL);
}

/* Nobody hears of it now: the next node tells it. */
static void what_runs_when_the_node_stops(void **state) {
    struct test_host *t = *state;
    run(t, "1", "exec sleep 100", "{}");
    assert_int_equal(end_lines(t), 0);
    stop(t);
    assert_int_equal(end_lines(t), 1);
    OC_AUTO_JSON cJSON *line = line_of(t, "1");
    check(oc_json_get(line, "end"), "node-stopped", "the node stopped before it ended");
    assert_null(audit_of(t, "1", "exec.finished"));
    assert_null(test_host_result(t, "1"));
}

/* The program has ended, and that was told. What it left behind outlives the node, which is no
 * second end. */
static void what_was_left_behind(void **state) {
    struct test_host *t = *state;
    OC_AUTO_JSON cJSON *config = cJSON_Parse("{\"node\":{\"exec\":{\"leftBehind\":\"keep\"}}}");
    t->host.machine.config = config;
    run(t, "1", "sleep 100 >/dev/null 2>&1 & echo $!; exit 4", "{}");
    STEP_UNTIL(
            t->host.machine.loop, (oc_fake_clock_advance(&t->clock, 10), test_host_result(t, "1")));
    OC_AUTO_JSON cJSON *answer = test_host_payload(t, "1"),
                       *end = same_end(t, "1", "exec.finished");
    assert_string_equal(oc_json_get_str(answer, "leftBehind"), "running");
    check(end, "exited", NULL);
    stop(t);
    assert_int_equal(kill((pid_t)strtol(oc_json_get_str(answer, "stdout"), NULL, 10), SIGKILL), 0);
    assert_int_equal(end_lines(t), 1);
    OC_AUTO_JSON cJSON *after = line_of(t, "1");
    check(oc_json_get(after, "end"), "exited", NULL);
    t->host.machine.config = NULL;
}

/* Of a gateway of another kind nobody asks for an audit. */
static void without_a_caller(void **state) {
    (void)state;
    struct nd_run_end end = { .about = { .invoke_id = "1" }, .log_id = "" };
    assert_null(nd_run_end_report(&end));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(who_ends_by_itself),
        TEST(who_is_ended),
        TEST(who_is_killed_by_its_handle),
        TEST(what_cannot_be_started),
        TEST(what_is_refused),
        TEST(what_runs_when_the_node_stops),
        TEST(what_was_left_behind),
        cmocka_unit_test(without_a_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
