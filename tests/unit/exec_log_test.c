/* Lines are added and paired, the log does not grow for ever, and what cannot be read does not matter. */
#include "node/exec_log.h"

#include "base/file.h"
#include "base/mem.h"
#include "protocol/limits.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct oc_exec_log_run run_of(struct oc_strv *argv, const cJSON *env) {
    return (struct oc_exec_log_run){ .argv = argv, .cwd = "/", .agent_id = "main", .env = env };
}

static cJSON *read_all(const char *dir, int64_t since_ms, int64_t limit) {
    cJSON *all = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_log_read(dir, since_ms, limit, &all, &err), OC_OK);
    return all;
}

static void test_lines(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    OC_AUTO_JSON cJSON *none = read_all(dir, 0, 10);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(none, "items")), 0);
    struct oc_exec_log *log = oc_exec_log_create(dir, "gw:1", &clock.clock);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "echo");
    oc_strv_add(&argv, "a\x1b b");
    OC_AUTO_JSON cJSON *env = cJSON_CreateObject();
    oc_json_set_str(env, "TOKEN", "hunter2");
    struct oc_exec_log_run run = run_of(&argv, env);
    char first[OC_EXEC_LOG_ID + 1], second[OC_EXEC_LOG_ID + 1];
    oc_exec_log_begin(log, &run, first);
    oc_fake_clock_advance(&clock, 1000);
    oc_exec_log_begin(log, &run, second);
    OC_AUTO_JSON cJSON *end = cJSON_CreateObject();
    oc_json_set_str(end, "outcome", "exited");
    oc_json_set_int(end, "bytes", 5);
    oc_exec_log_end(log, first, end);
    oc_exec_log_told(log, first);
    oc_exec_log_refused(log, &run, "no");
    oc_exec_log_destroy(log);
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
    assert_int_equal(oc_json_get_int(oc_json_get(items->child->next->next, "end"), "bytes", 0), 5);
    OC_AUTO_JSON cJSON *late = read_all(dir, 1700000000500, 10);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(late, "items")), 2);
    OC_AUTO_JSON cJSON *one = read_all(dir, 0, 1);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(one, "items")), 1);
    oc_exec_log_begin(NULL, &run, first);
    oc_exec_log_end(NULL, first, end);
    oc_exec_log_told(NULL, first);
}

static void on_untold(void *user, const char *id, cJSON *take_report) {
    oc_json_set(user, id, take_report);
}

static cJSON *recover(const char *dir, const char *gateway) {
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct oc_exec_log *log = oc_exec_log_create(dir, gateway, &clock.clock);
    cJSON *untold = cJSON_CreateObject();
    oc_exec_log_recover(log, on_untold, untold);
    oc_exec_log_destroy(log);
    return untold;
}

/* A node that was killed: what ran has ended, what the gateway has not heard is said again, and only to that gateway. */
static void test_recovery(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct oc_exec_log *log = oc_exec_log_create(dir, "gw:1", &clock.clock);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "true");
    OC_AUTO_JSON cJSON *caller = cJSON_CreateObject(), *end = cJSON_CreateObject();
    oc_json_set_str(caller, "id", "someone");
    oc_json_set_str(end, "outcome", "exited");
    struct oc_exec_log_run run = run_of(&argv, NULL);
    char id[4][OC_EXEC_LOG_ID + 1];
    oc_exec_log_begin(log, &run, id[3]); /* of a gateway that does not say who asks */
    run.caller = caller;
    run.gate = "full";
    for (int i = 0; i < 3; i++) {
        char invoke[2] = { (char)('a' + i) };
        run.invoke_id = invoke;
        oc_exec_log_begin(log, &run, id[i]);
    }
    oc_exec_log_end(log, id[0], end);
    oc_exec_log_told(log, id[0]);
    oc_exec_log_end(log, id[1], end);
    oc_exec_log_destroy(log);
    OC_AUTO_JSON cJSON *untold = recover(dir, "gw:1");
    assert_int_equal(cJSON_GetArraySize(untold), 2);
    const cJSON *ended = oc_json_get(untold, id[1]), *killed = oc_json_get(untold, id[2]);
    assert_string_equal(oc_json_get_str(ended, "outcome"), "exited");
    assert_string_equal(oc_json_get_str(ended, "invokeId"), "b");
    assert_string_equal(oc_json_get_str(killed, "outcome"), "node-stopped");
    assert_string_equal(oc_json_get_str(killed, "invokeId"), "c");
    assert_string_equal(oc_json_get_str(killed, "gate"), "full");
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

static void test_bounded(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct oc_exec_log *log = oc_exec_log_create(dir, NULL, &clock.clock);
    OC_AUTO_FREE char *word = oc_strfmt("%2000s", "x"), *path = oc_path_join(dir, "exec-log.jsonl"),
                      *old = oc_path_join(dir, "exec-log.1.jsonl");
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, word);
    struct oc_exec_log_run run = run_of(&argv, NULL);
    for (int i = 0; i < 10000; i++) {
        oc_exec_log_refused(log, &run, "no");
    }
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 0 && st.st_size <= OC_MAX_EXEC_LOG_BYTES);
    assert_int_equal(stat(old, &st), 0);
    assert_true(st.st_size <= OC_MAX_EXEC_LOG_BYTES);
    assert_int_equal(unlink(path), 0); /* somebody tidies up: it begins anew */
    oc_exec_log_refused(log, &run, "no");
    assert_int_equal(stat(path, &st), 0);
    oc_exec_log_destroy(log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(test_recovery, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(test_bounded, oc_temp_setup, oc_temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
