/* How much a look looks at, and when it stops. */
#include "tests/unit/node/looks/operand_scene.h"

/* What is not read any more is known by its inode and times. */
static void many_files_and_large_ones(void **state) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    char last[65] = "";
    OC_AUTO_FREE char *big = oc_path_join(*state, "big");
    oc_write_text(big, "x");
    assert_int_equal(truncate(big, 17 << 20), 0);
    fill_words(&v, ARGV("sh", "big"));
    expect_change(*state, &v, last, true);
    struct nd_exec_operand o;
    assert_true(find_operand(&v, *state, &o));
    assert_string_equal(o.content, "");
    nd_exec_operand_finish(&o);
    assert_int_equal(truncate(big, 18 << 20), 0);
    expect_change(*state, &v, last, true);
    for (int i = 0; i < 100; i++) {
        OC_AUTO_FREE char *name = oc_strfmt("f%d.sh", i), *path = oc_path_join(*state, name);
        oc_write_text(path, "one");
        oc_strv_add(&v, name);
    }
    expect_change(*state, &v, last, true);
    expect_change(*state, &v, last, false);
    OC_AUTO_FREE char *path = oc_path_join(*state, "f99.sh");
    oc_write_text(path, "three");
    expect_change(*state, &v, last, true);
}

/* So many are looked at, and whoever approves is told about the rest. */
static void words_that_are_too_many(void **state) {
    make_scene(*state);
    static const char *const starts[][4] = { { "sh", "x.sh" }, { "tool" }, { "nice", "tool" },
        { "make" }, { "nice", "--new-option" }, { "sh", "-c", "true" }, { "cat" } };
    for (size_t i = 0; i < OC_COUNT(starts); i++) {
        atomic_uint steps = 0;
        OC_AUTO_STRV struct oc_strv v = { 0 };
        fill_words(&v, starts[i]);
        for (int k = 0; k < 1000; k++) {
            oc_strv_add(&v, "w");
        }
        struct nd_exec_operand o;
        OC_AUTO_FREE char *path_env = oc_strfmt("%s/bin:" PATH_ENV, (const char *)*state);
        nd_exec_operand_find(&v,
                &(struct nd_exec_place){ .cwd = *state, .path_env = path_env, .steps = &steps },
                &o);
        OC_AUTO_FREE char *unbound = oc_strv_join(&o.unbound, "; ");
        bool is_told = strstr(unbound, "more words than the node looks at") != NULL;
        if (is_told != (strcmp(v.items[0], "cat") != 0) || atomic_load(&steps) > 300) {
            fail_msg("%s: %u words, %s", v.items[0], atomic_load(&steps), unbound);
        }
        nd_exec_operand_finish(&o);
    }
}

static void a_look_that_nobody_waits_for_ends(void **state) {
    make_scene(*state);
    atomic_uint steps = 0;
    atomic_bool is_cancelled = true;
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill_words(&v, ARGV("sh", "x.sh", "plain.py", "x.py"));
    struct nd_exec_operand o;
    nd_exec_operand_find(&v,
            &(struct nd_exec_place){ .cwd = *state,
                    .path_env = PATH_ENV,
                    .is_cancelled = &is_cancelled,
                    .steps = &steps },
            &o);
    assert_int_equal(atomic_load(&steps), 0);
    assert_int_equal(o.count, 1); /* the script was there before the words */
    nd_exec_operand_finish(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(many_files_and_large_ones),
        TEST(words_that_are_too_many),
        TEST(a_look_that_nobody_waits_for_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
