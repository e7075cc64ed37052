#include "lib/log/log_blame.h"

#include "lib/base/str.h"
#include "tests/unit/unit.h"

static const struct oc_log_cause stranger = { "203.0.113.5", 8, true };
static const struct oc_log_cause device = { "a-device", 20, false };

static unsigned admitted(struct oc_log_tally *b, const struct oc_log_cause *cause, int lines,
        bool same, int64_t at) {
    unsigned n = 0;
    for (int i = 0; i < lines; i++) {
        char line[100];
        snprintf(line, sizeof(line), "info t refused %d", same ? 0 : i);
        n += oc_log_tally_admit(b, cause, line, at);
    }
    return n;
}

static uint64_t owed(struct oc_log_tally *b, int64_t now_ms, bool all, char name[80]) {
    uint64_t dropped = 0;
    return oc_log_tally_owed(b, now_ms, all, name, 80, &dropped) ? dropped : 0;
}

static void one_line_then_a_count(void **state) {
    (void)state;
    struct oc_log_tally *b = oc_log_tally_create();
    char name[80];
    assert_int_equal(admitted(b, &stranger, 1000, true, 0), 1);
    assert_int_equal(owed(b, OC_LOG_WINDOW_MS - 1, false, name), 0);
    assert_int_equal(owed(b, OC_LOG_WINDOW_MS, false, name), 999);
    assert_string_equal(name, "203.0.113.5");
    assert_int_equal(owed(b, OC_LOG_WINDOW_MS, false, name), 0);
    assert_int_equal(admitted(b, &stranger, 1000, false, OC_LOG_WINDOW_MS), 8);
    assert_int_equal(owed(b, OC_LOG_WINDOW_MS, true, name), 992);
    oc_log_tally_destroy(b);
}

static void those_who_are_known_may_repeat_themselves(void **state) {
    (void)state;
    struct oc_log_tally *b = oc_log_tally_create();
    assert_int_equal(admitted(b, &device, 5, true, 0), 5);
    assert_int_equal(admitted(b, &device, 100, true, 10), 15);
    assert_int_equal(admitted(b, &stranger, 1, true, 10), 1); /* another one's lines */
    oc_log_tally_destroy(b);
}

static void a_crowd_of_addresses_counts_together(void **state) {
    (void)state;
    struct oc_log_tally *b = oc_log_tally_create();
    unsigned lines = 0;
    for (int i = 0; i < 100000; i++) {
        char name[40];
        snprintf(name, sizeof(name), "2001:db8:%d::/64", i);
        struct oc_log_cause cause = { name, 8, true };
        lines += oc_log_tally_admit(b, &cause, name, 0);
    }
    assert_int_equal(lines, OC_MAX_LOG_CAUSES + 8);
    char name[80];
    assert_true(owed(b, OC_LOG_WINDOW_MS, false, name) > 90000);
    assert_string_equal(name, "others");
    oc_log_tally_destroy(b);
}

static void a_crowd_of_strangers_takes_no_line_from_a_device(void **state) {
    (void)state;
    struct oc_log_tally *b = oc_log_tally_create();
    for (int i = 0; i < 1000; i++) {
        char name[40];
        snprintf(name, sizeof(name), "2001:db8:%d::/64", i);
        struct oc_log_cause cause = { name, 20, true };
        admitted(b, &cause, 2, false, 0);
    }
    assert_int_equal(admitted(b, &device, 100, true, 0), 20);
    char name[80] = "";
    while (!oc_streq(name, "a-device")) { /* counted by itself, too */
        assert_true(owed(b, OC_LOG_WINDOW_MS, false, name) > 0);
    }
    for (int i = 0; i < 1000; i++) { /* nor one of devices from a stranger */
        struct oc_log_cause cause = { name, 20, false };
        snprintf(name, sizeof(name), "device-%d", i);
        admitted(b, &cause, 30, true, OC_LOG_WINDOW_MS);
    }
    while (owed(b, OC_LOG_WINDOW_MS, false, name) > 0) {
    }
    assert_int_equal(admitted(b, &stranger, 10, false, OC_LOG_WINDOW_MS), 8);
    oc_log_tally_destroy(b);
}

static void count_bytes(void *user, enum oc_log_level level, const char *line) {
    (void)level;
    *(size_t *)user += strlen(line);
}

static void what_is_logged_meanwhile_is_counted(void **state) {
    (void)state;
    size_t bytes = 0;
    oc_log_set_sink(count_bytes, &bytes);
    oc_log_blame(&device);
    assert_false(oc_log_is_strangers());
    for (int i = 0; i < 100000; i++) {
        oc_log(OC_LOG_WARN, "test", "the gateway wants something again");
    }
    oc_log_blame(NULL);
    assert_in_range(bytes, 20, 20 * 60);
    size_t before = bytes;
    oc_log(OC_LOG_WARN, "test", "our own");
    assert_true(bytes > before);
    before = bytes;
    oc_log_settle(true); /* says how many there were */
    assert_true(bytes > before);
    oc_log_set_sink(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_then_a_count),
        cmocka_unit_test(those_who_are_known_may_repeat_themselves),
        cmocka_unit_test(a_crowd_of_addresses_counts_together),
        cmocka_unit_test(a_crowd_of_strangers_takes_no_line_from_a_device),
        cmocka_unit_test(what_is_logged_meanwhile_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
