/* Lines are added and paired, the log does not grow for ever, and what cannot be read does not
 * matter. */
#include "node/run/log/run_log.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct nd_run_about run_of(struct oc_strv *argv, const cJSON *env) {
    return (struct nd_run_about){ .argv = argv, .cwd = "/", .agent_id = "main", .env = env };
}

static void log_refused(struct nd_run_log *log, const struct nd_run_about *run) {
    char reason[] = "no";
    nd_run_log_end(log,
            &(struct nd_run_end){
                    .about = *run, .log_id = "", .outcome = OC_OUTCOME_REFUSED, .reason = reason });
}

static cJSON *read_all(const char *dir, int64_t since_ms, int64_t limit) {
    cJSON *all = NULL;
    struct oc_error err;
    assert_int_equal(nd_run_log_read(dir, since_ms, limit, &all, &err), OC_OK);
    return all;
}

static void test_lines(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    OC_AUTO_JSON cJSON *none = read_all(dir, 0, 10);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(none, "items")), 0);
    struct nd_run_log *log = nd_run_log_create(dir, "gw:1", &clock.clock);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "echo");
    oc_strv_add(&argv, "a\x1b b");
    OC_AUTO_JSON cJSON *env = cJSON_CreateObject();
    oc_json_set_str(env, "TOKEN", "hunter2");
    struct nd_run_about run = run_of(&argv, env);
    char first[ND_RUN_LOG_ID + 1], second[ND_RUN_LOG_ID + 1];
    nd_run_log_begin(log, &run, first);
    oc_fake_clock_advance(&clock, 1000);
    nd_run_log_begin(log, &run, second);
    struct nd_run_end end = { .log_id = first, .outcome = OC_OUTCOME_EXITED, .bytes = 5 };
    nd_run_log_end(log, &end);
    nd_run_log_told(log, first);
    log_refused(log, &run);
    nd_run_log_destroy(log);
    OC_AUTO_FREE char *path = oc_path_join(dir, "exec-log.jsonl");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    OC_AUTO_FD int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, "{\"kind\":\"ru", 11), 11);
    OC_AUTO_JSON cJSON *all = read_all(dir, 0, 10);
    OC_AUTO_FREE char *text = oc_json_print(all, false);
    assert_null(strstr(text, "hunter2"));
    const cJSON *items = oc_json_get(all, "items");
    assert_int_equal(cJSON_GetArraySize(items), 3);
    assert_string_equal(oc_json_get_str(items->child, "kind"), "refused");
    assert_string_equal(oc_json_get_str(items->child, "command"), "echo $'a\\x1b b'");
    assert_null(oc_json_get(items->child->next, "end")); /* nobody knows */
    assert_int_equal(any_int(oc_json_get(items->child->next->next, "end"), "bytes", 0), 5);
    OC_AUTO_JSON cJSON *late = read_all(dir, 1700000000500, 10);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(late, "items")), 2);
    OC_AUTO_JSON cJSON *one = read_all(dir, 0, 1);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(one, "items")), 1);
    nd_run_log_begin(NULL, &run, first);
    nd_run_log_end(NULL, &end);
    nd_run_log_told(NULL, first);
}

static void on_unconfirmed(void *user, const char *id, cJSON *take_report) {
    oc_json_set(user, id, take_report);
}

static cJSON *recover(const char *dir, const char *gateway) {
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_run_log *log = nd_run_log_create(dir, gateway, &clock.clock);
    cJSON *unconfirmed = cJSON_CreateObject();
    nd_run_log_recover(log, on_unconfirmed, unconfirmed);
    nd_run_log_destroy(log);
    return unconfirmed;
}

/* A node that was killed: what ran has ended, what the gateway has not heard is said again, and
 * only to that gateway. */
static void test_recovery(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_run_log *log = nd_run_log_create(dir, "gw:1", &clock.clock);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "true");
    OC_AUTO_JSON cJSON *caller = cJSON_CreateObject();
    oc_json_set_str(caller, "id", "someone");
    struct nd_run_about run = run_of(&argv, NULL);
    char id[4][ND_RUN_LOG_ID + 1];
    nd_run_log_begin(log, &run, id[3]); /* of a gateway that does not say who asks */
    run.caller = caller;
    run.gate = "full";
    for (int i = 0; i < 3; i++) {
        char invoke[2] = { (char)('a' + i) };
        run.invoke_id = invoke;
        nd_run_log_begin(log, &run, id[i]);
    }
    nd_run_log_end(log, &(struct nd_run_end){ .log_id = id[0], .outcome = OC_OUTCOME_EXITED });
    nd_run_log_told(log, id[0]);
    nd_run_log_end(log, &(struct nd_run_end){ .log_id = id[1], .outcome = OC_OUTCOME_EXITED });
    nd_run_log_destroy(log);
    OC_AUTO_JSON cJSON *unconfirmed = recover(dir, "gw:1");
    assert_int_equal(cJSON_GetArraySize(unconfirmed), 2);
    const cJSON *ended = oc_json_get(unconfirmed, id[1]), *killed = oc_json_get(unconfirmed, id[2]);
    assert_string_equal(oc_json_get_str(ended, "outcome"), "exited");
    assert_string_equal(oc_json_get_str(ended, "invokeId"), "b");
    assert_string_equal(oc_json_get_str(killed, "outcome"), "node-stopped");
    assert_string_equal(oc_json_get_str(killed, "invokeId"), "c");
    assert_string_equal(oc_json_get_str(killed, "gate"), "full");
    assert_int_equal(any_int(killed, "startedAtMs", 0), 1700000000000);
    assert_null(oc_json_get(killed, "bytes")); /* nobody knows how much, nor how long */
    assert_null(oc_json_get(killed, "endedAtMs"));
    assert_null(oc_json_get(killed, "durationMs"));
    OC_AUTO_JSON cJSON *all = read_all(dir, 0, 10);
    const cJSON *item;
    cJSON_ArrayForEach(item, oc_json_get(all, "items")) {
        assert_non_null(oc_json_get(item, "end"));
    }
    OC_AUTO_JSON cJSON *elsewhere = recover(dir, "gw:2");
    assert_int_equal(cJSON_GetArraySize(elsewhere), 0);
    OC_AUTO_JSON cJSON *again = recover(dir, "gw:1"); /* it was killed before it could say so */
    assert_int_equal(cJSON_GetArraySize(again), 2);
}

static size_t size_of(const char *dir, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    struct stat st;
    return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

/* Refusals push out refusals only, and how many are gone is known. */
static void test_bounded(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_run_log *log = nd_run_log_create(dir, NULL, &clock.clock);
    OC_AUTO_FREE char *word = oc_strfmt("%2000s", "x"),
                      *path = oc_path_join(dir, "exec-refused.jsonl");
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, word);
    struct nd_run_about run = run_of(&argv, NULL);
    char id[ND_RUN_LOG_ID + 1];
    nd_run_log_begin(log, &run, id);
    for (int i = 0; i < 3000; i++) {
        log_refused(log, &run);
    }
    size_t now = size_of(dir, "exec-refused.jsonl"), old = size_of(dir, "exec-refused.1.jsonl");
    assert_true(now > 0 && now <= OC_MAX_RUN_REFUSED_BYTES);
    assert_true(old > 0 && old <= OC_MAX_RUN_REFUSED_BYTES);
    OC_AUTO_JSON cJSON *all = read_all(dir, 0, 10000);
    int64_t kept = cJSON_GetArraySize(oc_json_get(all, "items"));
    assert_true(kept < 3000);
    assert_int_equal(kept + any_int(all, "pruned", 0), 3001);
    const cJSON *oldest = oc_json_get(all, "items")->child->prev;
    assert_string_equal(oc_json_get_str(oldest, "kind"), "run");
    for (int i = 0; i < 4000; i++) {
        nd_run_log_begin(log, &run, id);
    }
    OC_AUTO_JSON cJSON *more = read_all(dir, 0, 20000);
    assert_int_equal(
            cJSON_GetArraySize(oc_json_get(more, "items")) + any_int(more, "pruned", 0), 7001);
    assert_int_equal(unlink(path), 0); /* somebody tidies up: it begins anew */
    log_refused(log, &run);
    assert_true(size_of(dir, "exec-refused.jsonl") > 0);
    nd_run_log_destroy(log);
}

/* What costs most in the file buys no more room than the rest. */
static void test_a_line_is_bounded(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_run_log *log = nd_run_log_create(dir, NULL, &clock.clock);
    char bells[4001];
    memset(bells, '\a', sizeof(bells) - 1);
    bells[sizeof(bells) - 1] = '\0';
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "echo");
    oc_strv_add(&argv, bells);
    struct nd_run_about run = { .argv = &argv,
        .cwd = bells,
        .agent_id = bells,
        .session_key = bells,
        .run_id = bells,
        .handle = bells,
        .gate = bells,
        .gate_entry = bells };
    char id[ND_RUN_LOG_ID + 1];
    nd_run_log_begin(log, &run, id);
    nd_run_log_destroy(log);
    assert_true(size_of(dir, "exec-log.jsonl") < 10000);
    OC_AUTO_JSON cJSON *all = read_all(dir, 0, 10);
    const cJSON *item = oc_json_get(all, "items")->child;
    assert_int_equal(any_int(item, "argvCut", 0), 1);
    assert_non_null(strstr(oc_json_get_str(item, "cwd"), "…"));
}

static void count_warnings(void *user, enum oc_log_level level, const char *line) {
    int *warnings = user;
    *warnings += level == OC_LOG_WARN && strstr(line, "not written down");
}

/* The disk is full in the middle of a line: that one is lost, and no other. */
static void test_a_full_disk(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_run_log *log = nd_run_log_create(dir, NULL, &clock.clock);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "true");
    struct nd_run_about run = run_of(&argv, NULL);
    char id[3][ND_RUN_LOG_ID + 1];
    int warnings = 0;
    struct rlimit all_there_is, little;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all_there_is), 0);
    signal(SIGXFSZ, SIG_IGN);
    oc_log_set_sink(count_warnings, &warnings);
    nd_run_log_begin(log, &run, id[0]);
    for (int i = 0; i < 2; i++) {
        size_t before = size_of(dir, "exec-log.jsonl");
        little = (struct rlimit){ .rlim_cur = before + 20, .rlim_max = all_there_is.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        nd_run_log_begin(log, &run, id[1]);
        nd_run_log_begin(log, &run, id[1]);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &all_there_is), 0);
        assert_int_equal(size_of(dir, "exec-log.jsonl"), before);
        assert_int_equal(warnings, i + 1); /* once, and again when it had been well in between */
        nd_run_log_begin(log, &run, id[2]);
    }
    oc_log_set_sink(NULL, NULL);
    nd_run_log_destroy(log);
    OC_AUTO_FREE char *path = oc_path_join(dir, "exec-log.jsonl");
    OC_AUTO_FD int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, "{\"kind\":\"ru", 11), 11); /* somebody else's half line */
    log = nd_run_log_create(dir, NULL, &clock.clock);
    nd_run_log_begin(log, &run, id[0]);
    nd_run_log_destroy(log);
    OC_AUTO_JSON cJSON *all = read_all(dir, 0, 10);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(all, "items")), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(test_recovery, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(test_bounded, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(test_a_line_is_bounded, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(test_a_full_disk, oc_temp_setup, oc_temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
