#include "tests/unit/unit.h"

#include "lib/log/log.h"

#include <fcntl.h>

static struct {
    int count;
    enum oc_log_level level;
    char line[4096];
} got;

static void sink(void *user, enum oc_log_level level, const char *line) {
    assert_ptr_equal(user, &got);
    got.count++;
    got.level = level;
    (void)snprintf(got.line, sizeof(got.line), "%s", line);
}

static int setup(void **state) {
    (void)state;
    memset(&got, 0, sizeof(got));
    oc_log_set_sink(sink, &got);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    oc_log_set_sink(NULL, NULL);
    oc_log_set_level(OC_LOG_INFO);
    return 0;
}

static void line_has_level_tag_and_message(void **state) {
    (void)state;
    oc_log(OC_LOG_WARN, "gateway.invoke", "late answer id=%d", 7);
    assert_int_equal(got.level, OC_LOG_WARN);
    assert_string_equal(got.line, "warn gateway.invoke late answer id=7");
}

static void level_filters(void **state) {
    (void)state;
    oc_log(OC_LOG_DEBUG, "t", "hidden");
    assert_int_equal(got.count, 0);
    assert_false(oc_log_enabled(OC_LOG_DEBUG));
    oc_log_set_level(OC_LOG_DEBUG);
    oc_log(OC_LOG_DEBUG, "t", "shown");
    assert_int_equal(got.count, 1);
    oc_log_set_level(OC_LOG_ERROR);
    oc_log(OC_LOG_WARN, "t", "hidden");
    assert_int_equal(got.count, 1);
}

static void message_stays_on_one_line(void **state) {
    (void)state;
    oc_log(OC_LOG_INFO, "t", "a\nerror t forged\x1b[2J");
    assert_string_equal(got.line, "info t a error t forged [2J");
}

static void long_message_is_cut(void **state) {
    (void)state;
    oc_log(OC_LOG_INFO, "t", "%*s", 10000, "x");
    assert_in_range(strlen(got.line), 1000, 2000);
}

static void stderr_line_has_a_time(void **state) {
    oc_log_set_sink(NULL, NULL);
    OC_AUTO_FREE char *path = oc_strfmt("%s/log", (const char *)*state);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), saved = dup(STDERR_FILENO);
    dup2(fd, STDERR_FILENO);
    oc_log(OC_LOG_INFO, "t", "hi");
    dup2(saved, STDERR_FILENO);
    char text[100] = { 0 };
    assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 25 + 10);
    close(fd);
    close(saved);
    static const char pattern[] = "dddd-dd-ddTdd:dd:dd.dddZ info t hi\n";
    for (size_t i = 0; pattern[i]; i++) {
        if (i < 24 && pattern[i] == 'd') {
            assert_in_range(text[i], '0', '9');
        } else {
            assert_int_equal(text[i], pattern[i]);
        }
    }
}

static void a_line_for_the_journal_has_a_priority(void **state) {
    oc_log_set_sink(NULL, NULL);
    OC_AUTO_FREE char *path = oc_strfmt("%s/journal", (const char *)*state);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), saved = dup(STDERR_FILENO);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    OC_AUTO_FREE char *name = oc_strfmt("%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    setenv("JOURNAL_STREAM", name, 1);
    oc_log_follow_journal(); /* stderr is something else yet */
    dup2(fd, STDERR_FILENO);
    oc_log(OC_LOG_INFO, "t", "hi");
    oc_log_follow_journal();
    oc_log(OC_LOG_WARN, "t", "ho");
    unsetenv("JOURNAL_STREAM");
    oc_log_follow_journal();
    dup2(saved, STDERR_FILENO);
    char text[100] = { 0 };
    assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 25 + 10 + 3 + 10);
    assert_string_equal(text + 25, "info t hi\n<4>warn t ho\n");
    close(fd);
    close(saved);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(line_has_level_tag_and_message, setup, teardown),
        cmocka_unit_test_setup_teardown(level_filters, setup, teardown),
        cmocka_unit_test_setup_teardown(message_stays_on_one_line, setup, teardown),
        cmocka_unit_test_setup_teardown(long_message_is_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(stderr_line_has_a_time, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                a_line_for_the_journal_has_a_priority, oc_temp_setup, oc_temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
