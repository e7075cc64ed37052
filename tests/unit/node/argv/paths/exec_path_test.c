#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "node/argv/paths/exec_path.h"

#include <errno.h>
#include <limits.h>

static void make(const char *dir, const char *name, mode_t mode) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    oc_write_text(path, "#!/bin/sh\n");
    assert_int_equal(chmod(path, mode), 0);
}

static char *subdir(const char *dir, const char *name) {
    char *path = oc_path_join(dir, name);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static void check(
        const char *name, const char *cwd, const char *path_env, int errnum, const char *expected) {
    OC_AUTO_FREE char *found = NULL;
    assert_int_equal(nd_exec_find(name, cwd, path_env, &found), errnum);
    if (expected) {
        assert_string_equal(found, expected);
    } else {
        assert_null(found);
    }
}

static void on_path(void **state) {
    OC_AUTO_FREE char *a = subdir(*state, "a"), *b = subdir(*state, "b");
    OC_AUTO_FREE char *env = oc_strfmt("%s:%s", a, b);
    OC_AUTO_FREE char *a_tool = oc_path_join(a, "tool"), *b_only = oc_path_join(b, "only");
    OC_AUTO_FREE char *b_half = oc_path_join(b, "half");
    make(a, "tool", 0700);
    make(b, "tool", 0700);
    make(b, "only", 0700);
    make(a, "half", 0600);
    make(b, "half", 0700);
    make(a, "plain", 0600);
    oc_free(subdir(a, "only")); /* a directory is not a program */
    check("tool", NULL, env, 0, a_tool);
    check("only", NULL, env, 0, b_only);
    check("half", NULL, env, 0, b_half);
    check("plain", NULL, env, EACCES, NULL);
    check("none", NULL, env, ENOENT, NULL);
    check("", NULL, env, ENOENT, NULL);
    check("tool", NULL, "", ENOENT, NULL);
}

/* "", "." and "bin" mean something else in every directory. */
static void relative_entries_are_skipped(void **state) {
    OC_AUTO_FREE char *bin = subdir(*state, "bin");
    make(*state, "tool", 0700);
    make(bin, "tool", 0700);
    char here[PATH_MAX];
    assert_non_null(getcwd(here, sizeof(here)));
    assert_int_equal(chdir(*state), 0);
    check("tool", NULL, ":.:bin:./bin:", ENOENT, NULL);
    OC_AUTO_FREE char *env = oc_strfmt("bin::%s", bin);
    OC_AUTO_FREE char *expected = oc_path_join(bin, "tool");
    check("tool", NULL, env, 0, expected);
    assert_int_equal(chdir(here), 0);
}

static void with_a_slash(void **state) {
    OC_AUTO_FREE char *bin = subdir(*state, "bin");
    make(bin, "tool", 0700);
    make(bin, "plain", 0600);
    OC_AUTO_FREE char *tool = oc_path_join(bin, "tool"), *plain = oc_path_join(bin, "plain");
    OC_AUTO_FREE char *below = oc_strfmt("%s/x", tool);
    OC_AUTO_FREE char *joined = oc_strfmt("%s/./tool", bin),
                      *from_top = oc_strfmt("%s/bin/tool", (char *)*state);
    check(tool, NULL, "/nowhere", 0, tool);
    check("./tool", bin, "/nowhere", 0, joined);
    check("bin/tool", *state, "/nowhere", 0, from_top);
    check("./tool", *state, bin, ENOENT, NULL);
    check(plain, NULL, bin, EACCES, NULL);
    check(bin, NULL, bin, EACCES, NULL);
    check(below, NULL, bin, ENOTDIR, NULL);
    check("./tool", "/no/such/dir", bin, ENOENT, NULL);
}

static void real_paths(void **state) {
    make(*state, "tool", 0700);
    OC_AUTO_FREE char *tool = oc_path_join(*state, "tool"), *link = oc_path_join(*state, "link");
    OC_AUTO_FREE char *dangling = oc_path_join(*state, "dangling");
    assert_int_equal(symlink("tool", link), 0);
    assert_int_equal(symlink("gone", dangling), 0);
    OC_AUTO_FREE char *of_tool = nd_exec_real(tool), *of_link = nd_exec_real(link);
    assert_string_equal(of_tool, of_link);
    assert_null(nd_exec_real(dangling));
    assert_string_equal(nd_path_name("/usr/bin/env"), "env");
    assert_string_equal(nd_path_name("env"), "env");
    assert_string_equal(nd_path_name("/"), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(on_path, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                relative_entries_are_skipped, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(with_a_slash, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(real_paths, oc_temp_setup, oc_temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
