/* Keys outlive the process, old and torn lines do not matter, and there is one node per state
 * directory. */
#include "node/call/key_file.h"
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/limits.h"
#include "node/call/answers.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define KEY "1111111111111111111111111111111111111111111111111111111111111111"
#define OTHER "2222222222222222222222222222222222222222222222222222222222222222"

static struct nd_key_file *open_ok(const char *dir, struct oc_fake_clock *clock) {
    struct nd_key_file *j = NULL;
    struct oc_error err;
    assert_int_equal(nd_key_file_open(dir, &clock->clock, &j, &err), OC_OK);
    return j;
}

static void test_marks_survive(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_key_file *j = open_ok(dir, &clock);
    nd_key_file_add(j, KEY, OTHER);
    nd_key_file_close(j);
    oc_fake_clock_advance(&clock, 1000);
    size_t n;
    j = open_ok(dir, &clock);
    const struct nd_key_file_mark *m = nd_key_file_marks(j, &n);
    assert_int_equal(n, 1);
    assert_string_equal(m->key_hash, KEY);
    assert_string_equal(m->params_hash, OTHER);
    assert_int_equal(m->age_ms, 1000);
    nd_key_file_close(j);
    oc_fake_clock_advance(&clock, OC_IDEMPOTENCY_TTL_MS);
    j = open_ok(dir, &clock);
    (void)nd_key_file_marks(j, &n);
    assert_int_equal(n, 0);
    nd_key_file_close(j);
}

static void test_torn_lines_are_skipped(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_key_file *j = open_ok(dir, &clock);
    nd_key_file_add(j, KEY, OTHER);
    nd_key_file_close(j);
    OC_AUTO_FREE char *path = oc_path_join(dir, "node-runs.log");
    OC_AUTO_FD int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, "1700000000000 abc", 17), 17);
    size_t n;
    j = open_ok(dir, &clock);
    (void)nd_key_file_marks(j, &n);
    assert_int_equal(n, 1);
    nd_key_file_close(j);
}

static void test_the_file_does_not_grow_for_ever(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_key_file *j = open_ok(dir, &clock);
    for (int i = 0; i < 3 * OC_IDEMPOTENCY_MAX; i++) {
        nd_key_file_add(j, KEY, OTHER);
        oc_fake_clock_advance(&clock, 1000);
    }
    nd_key_file_close(j);
    OC_AUTO_FREE char *path = oc_path_join(dir, "node-runs.log");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size < 2 * OC_IDEMPOTENCY_MAX * 150);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_one_node_per_directory(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_key_file *first = open_ok(dir, &clock), *second = NULL;
    struct oc_error err;
    assert_int_equal(nd_key_file_open(dir, &clock.clock, &second, &err), OC_E_UNAVAILABLE);
    assert_non_null(strstr(err.text, dir));
    nd_key_file_close(first);
    second = open_ok(dir, &clock);
    nd_key_file_close(second);
}

static void test_answers_remember_a_restart(void **state) {
    const char *dir = *state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct nd_answer_query q = { .command = "system.run", .key = "k", .params = { "{}", 2 } };
    struct nd_key_file *j = open_ok(dir, &clock);
    struct nd_answers *a = nd_answers_create(&clock.clock, j);
    void *running;
    const struct nd_answer *answer;
    assert_int_equal(nd_answers_find(a, &q, &running, &answer), ND_ANSWER_NEW);
    (void)nd_answers_begin(a, &q, &clock);
    nd_answers_destroy(a); /* the node dies while the command runs */
    nd_key_file_close(j);
    j = open_ok(dir, &clock);
    a = nd_answers_create(&clock.clock, j);
    assert_int_equal(nd_answers_find(a, &q, &running, &answer), ND_ANSWER_NOT_KEPT);
    q.params = (struct oc_slice){ "[]", 2 };
    assert_int_equal(nd_answers_find(a, &q, &running, &answer), ND_ANSWER_OTHER_USE);
    oc_fake_clock_advance(&clock, OC_IDEMPOTENCY_TTL_MS + 1);
    assert_int_equal(nd_answers_find(a, &q, &running, &answer), ND_ANSWER_NEW);
    nd_answers_destroy(a);
    nd_key_file_close(j);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_marks_survive, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                test_torn_lines_are_skipped, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                test_the_file_does_not_grow_for_ever, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                test_one_node_per_directory, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                test_answers_remember_a_restart, oc_temp_setup, oc_temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
