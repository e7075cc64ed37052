/* The kept end of a run's output: positions, the ceiling, characters that are cut. */
#include "tests/unit/unit.h"

#include "node/run/run_output.h"

static struct oc_slice read_from(const struct nd_run_output *log, uint64_t from, size_t max,
        bool is_over, uint64_t want_from) {
    uint64_t got = 0;
    struct oc_slice s = nd_run_output_read(log, from, max, is_over, &got);
    assert_int_equal(got, want_from);
    return s;
}

#define assert_slice(s, text)                                            \
    do {                                                                 \
        struct oc_slice oc_s = (s);                                      \
        assert_int_equal(oc_s.len, strlen(text));                        \
        assert_memory_equal(oc_s.ptr ? oc_s.ptr : "", (text), oc_s.len); \
    } while (0)

static void positions(void **state) {
    (void)state;
    struct nd_run_output log;
    nd_run_output_init(&log);
    assert_slice(read_from(&log, 0, 10, false, 0), "");
    assert_slice(read_from(&log, 99, 10, false, 0), "");
    nd_run_output_append(&log, "hello ", 6);
    nd_run_output_append(&log, "world", 5);
    assert_int_equal(nd_run_output_end(&log), 11);
    assert_slice(read_from(&log, 0, 100, false, 0), "hello world");
    assert_slice(read_from(&log, 6, 3, false, 6), "wor");
    assert_slice(read_from(&log, 11, 3, false, 11), "");
    assert_slice(read_from(&log, 12, 3, false, 11), "");
    nd_run_output_finish(&log);
}

static void only_the_end_is_kept(void **state) {
    (void)state;
    struct nd_run_output log;
    nd_run_output_init(&log);
    OC_AUTO_FREE char *big = oc_alloc(3 * ND_MAX_RUN_OUTPUT);
    memset(big, 'a', 3 * (size_t)ND_MAX_RUN_OUTPUT);
    nd_run_output_append(&log, "first", 5);
    nd_run_output_append(&log, big, ND_MAX_RUN_OUTPUT - 5); /* exactly full */
    assert_slice(read_from(&log, 0, 5, false, 0), "first");
    nd_run_output_append(&log, "xyz", 3);
    assert_slice(read_from(&log, 0, 3, false, 3), "sta");
    assert_slice(read_from(&log, ND_MAX_RUN_OUTPUT, 10, false, ND_MAX_RUN_OUTPUT), "xyz");
    big[3 * ND_MAX_RUN_OUTPUT - 1] = 'z';
    nd_run_output_append(
            &log, big, 3 * (size_t)ND_MAX_RUN_OUTPUT); /* more than is ever kept, at once */
    assert_int_equal(nd_run_output_end(&log), 4 * (uint64_t)ND_MAX_RUN_OUTPUT + 3);
    assert_int_equal(log.bytes.len, ND_MAX_RUN_OUTPUT);
    assert_slice(
            read_from(&log, nd_run_output_end(&log) - 2, 10, false, nd_run_output_end(&log) - 2),
            "az");
    nd_run_output_finish(&log);
}

static void half_characters_wait(void **state) {
    (void)state;
    struct nd_run_output log;
    nd_run_output_init(&log);
    nd_run_output_append(&log, "a\xe2\x82", 3);
    assert_slice(read_from(&log, 0, 10, false, 0), "a");
    assert_slice(read_from(&log, 0, 10, true, 0), "a\xe2\x82"); /* the rest will never come */
    nd_run_output_append(&log, "\xac", 1);
    assert_slice(read_from(&log, 1, 10, false, 1), "\xe2\x82\xac");
    assert_slice(read_from(&log, 0, 3, true, 0), "a"); /* there is more behind the cut */
    nd_run_output_finish(&log);
}

/* Or whoever reads in such small pieces would never get past it. */
static void no_room_for_a_character(void **state) {
    (void)state;
    struct nd_run_output log;
    nd_run_output_init(&log);
    nd_run_output_append(&log, "a\xe2\x82\xac", 4);
    assert_slice(read_from(&log, 0, 2, false, 0), "a");
    assert_slice(read_from(&log, 1, 2, false, 1), "\xe2\x82");
    assert_slice(read_from(&log, 1, 3, false, 1), "\xe2\x82\xac");
    nd_run_output_finish(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions),
        cmocka_unit_test(only_the_end_is_kept),
        cmocka_unit_test(half_characters_wait),
        cmocka_unit_test(no_room_for_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
