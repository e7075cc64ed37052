#include "gateway/log_ring.h"

#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/unit.h"

static int count(const cJSON *tail) {
    return cJSON_GetArraySize(oc_json_get(tail, "lines"));
}

static void from_where_one_was(void **state) {
    (void)state;
    struct gw_log_ring *r = gw_log_ring_create();
    OC_AUTO_JSON cJSON *none = gw_log_ring_tail(r, -1, 10, 1000);
    assert_int_equal(count(none), 0);
    gw_log_ring_add(r, "one", false);
    gw_log_ring_add(r, "two", false);
    OC_AUTO_JSON cJSON *all = gw_log_ring_tail(r, -1, 10, 1000);
    assert_int_equal(count(all), 2);
    assert_int_equal(any_int(all, "cursor", 0), 8);
    gw_log_ring_add(r, "three", false);
    OC_AUTO_JSON cJSON *next = gw_log_ring_tail(r, 8, 10, 1000);
    assert_int_equal(count(next), 1);
    assert_false(oc_json_get_bool(next, "reset", true));
    OC_AUTO_JSON cJSON *nothing = gw_log_ring_tail(r, 14, 10, 1000);
    assert_int_equal(count(nothing), 0);
    OC_AUTO_JSON cJSON *beyond = gw_log_ring_tail(r, 99, 10, 1000);
    assert_true(oc_json_get_bool(beyond, "reset", false));
    assert_int_equal(count(beyond), 3);
    OC_AUTO_JSON cJSON *few = gw_log_ring_tail(r, -1, 1, 1000);
    assert_int_equal(count(few), 1);
    assert_true(oc_json_get_bool(few, "truncated", false));
    OC_AUTO_JSON cJSON *small = gw_log_ring_tail(r, -1, 10, 10);
    assert_int_equal(count(small), 2);
    gw_log_ring_destroy(r);
}

static void only_so_much_is_kept(void **state) {
    (void)state;
    struct gw_log_ring *r = gw_log_ring_create();
    char line[5000];
    memset(line, 'x', sizeof(line));
    line[sizeof(line) - 1] = '\0';
    for (int i = 0; i < OC_MAX_LOG_LINES + 5; i++) {
        gw_log_ring_add(r, line, false);
    }
    OC_AUTO_JSON cJSON *tail = gw_log_ring_tail(r, 0, 5000, 100000000);
    assert_int_equal(count(tail), OC_MAX_LOG_LINES);
    assert_true(oc_json_get_bool(tail, "reset", false));
    assert_int_equal(strlen(oc_json_get(tail, "lines")->child->valuestring), 1000);
    gw_log_ring_destroy(r);
    gw_log_ring_destroy(NULL);
}

static void strangers_flush_their_own_lines_only(void **state) {
    (void)state;
    struct gw_log_ring *r = gw_log_ring_create();
    gw_log_ring_add(r, "ours", false);
    for (int i = 0; i < 10 * OC_MAX_LOG_LINES; i++) {
        gw_log_ring_add(r, "refused", true);
    }
    gw_log_ring_add(r, "ours again", false);
    OC_AUTO_JSON cJSON *tail = gw_log_ring_tail(r, -1, 5000, 100000000);
    const cJSON *lines = oc_json_get(tail, "lines");
    assert_string_equal(lines->child->valuestring, "ours");
    assert_string_equal(lines->child->prev->valuestring, "ours again");
    assert_int_equal(count(tail), OC_MAX_LOG_LINES / 5 + 2);
    OC_AUTO_JSON cJSON *first = gw_log_ring_tail(r, 0, 5000, 100000000);
    assert_false(oc_json_get_bool(first, "reset", true)); /* nothing of ours is missing */
    gw_log_ring_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_where_one_was),
        cmocka_unit_test(only_so_much_is_kept),
        cmocka_unit_test(strangers_flush_their_own_lines_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
