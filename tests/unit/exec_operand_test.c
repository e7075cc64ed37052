#include "node/exec_operand.h"

#include "base/file.h"
#include "tests/unit/unit.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void fill(struct oc_strv *v, const char *const *argv) {
    for (; *argv; argv++) {
        oc_strv_add(v, *argv);
    }
}

static void expect(const char *dir, const char *const *argv, int index) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, argv);
    struct oc_exec_operand o = { 0 };
    bool found = oc_exec_operand_find(&v, dir, &o);
    if (found != (index >= 0) || (found && o.index != (size_t)index)) {
        fail_msg("%s %s: %d", argv[0], argv[1] ? argv[1] : "", found ? (int)o.index : -1);
    }
    oc_exec_operand_finish(&o);
}

static void which_file_decides(void **state) {
    OC_AUTO_FREE char *script = oc_path_join(*state, "x.py"), *tool = oc_path_join(*state, "tool"),
                      *binary = oc_path_join(*state, "binary");
    oc_write_text(script, "print(1)\n");
    oc_write_text(tool, "#!/bin/sh\n");
    oc_write_text(binary, "\x7f"
                          "ELF");
    expect(*state, ARGV("python3", "x.py"), 1);
    expect(*state, ARGV("/usr/bin/python3.11", "-u", "x.py", "arg"), 2);
    expect(*state, ARGV("python3", script), 1);
    expect(*state, ARGV("env", "python3", "x.py"), 2);
    expect(*state, ARGV("sh", "x.py"), 1);
    expect(*state, ARGV("./tool"), 0);
    expect(*state, ARGV(tool, "x.py"), 0);
    expect(*state, ARGV("./binary"), -1);
    expect(*state, ARGV("tool"), -1); /* looked up on PATH */
    expect(*state, ARGV("python3", "-c", "x.py"), -1);
    expect(*state, ARGV("python3", "-m", "x.py"), -1);
    expect(*state, ARGV("sh", "-lc", "x.py"), -1);
    expect(*state, ARGV("node", "-e", "x.py"), -1);
    expect(*state, ARGV("python3", "gone.py"), -1);
    expect(*state, ARGV("python3", "."), -1);
    expect(*state, ARGV("python3"), -1);
    expect(*state, ARGV("cat", "x.py"), -1);
}

static void hashes(void **state) {
    OC_AUTO_FREE char *script = oc_path_join(*state, "x.sh");
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, ARGV("sh", "x.sh"));
    struct oc_exec_operand a, b;
    oc_write_text(script, "");
    assert_true(oc_exec_operand_find(&v, *state, &a));
    assert_string_equal(
            a.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    oc_write_text(script, "x");
    assert_true(oc_exec_operand_find(&v, *state, &b));
    assert_string_not_equal(a.sha256, b.sha256);
    assert_string_equal(a.path, b.path);
    oc_exec_operand_finish(&a);
    oc_exec_operand_finish(&b);
}

static void the_first_plan_counts_until_it_is_used(void **state) {
    (void)state;
    static const char one[65] = "1111111111111111111111111111111111111111111111111111111111111111";
    static const char two[65] = "2222222222222222222222222222222222222222222222222222222222222222";
    struct oc_exec_plans plans = { 0 };
    OC_AUTO_STRV struct oc_strv v = { 0 }, w = { 0 };
    fill(&v, ARGV("sh", "x"));
    fill(&w, ARGV("sh", "", "x"));
    char got[65];
    assert_false(oc_exec_plans_take(&plans, &v, "/d", got));
    oc_exec_plans_add(&plans, &v, "/d", one);
    oc_exec_plans_add(&plans, &v, "/d", two); /* preparing again does not exchange the script */
    assert_false(oc_exec_plans_take(&plans, &v, "/e", got));
    assert_false(oc_exec_plans_take(&plans, &v, NULL, got));
    assert_false(oc_exec_plans_take(&plans, &w, "/d", got));
    assert_true(oc_exec_plans_take(&plans, &v, "/d", got));
    assert_string_equal(got, one);
    assert_false(oc_exec_plans_take(&plans, &v, "/d", got));
    oc_exec_plans_add(&plans, &v, "/d", two);
    for (int i = 0; i < OC_EXEC_PLANS; i++) {
        OC_AUTO_FREE char *dir = oc_strfmt("/%d", i);
        oc_exec_plans_add(&plans, &v, dir, one);
    }
    assert_false(oc_exec_plans_take(&plans, &v, "/d", got)); /* fell out */
    assert_true(oc_exec_plans_take(&plans, &v, "/0", got));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(which_file_decides),
        TEST(hashes),
        TEST(the_first_plan_counts_until_it_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
