#include "node/exec_operand.h"

#include "base/file.h"
#include "tests/unit/unit.h"

#define PATH_ENV "/usr/bin:/bin"
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
    bool found = oc_exec_operand_find(&v, dir, PATH_ENV, &o);
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
    OC_AUTO_FREE char *bare = oc_path_join(*state, "bare"), *shell = oc_path_join(*state, "bash-2");
    oc_write_text(bare, "echo hi\n");
    oc_write_text(shell, "\x7f"
                         "ELF");
    assert_int_equal(chmod(tool, 0700) | chmod(binary, 0700) | chmod(bare, 0700), 0);
    assert_int_equal(chmod(shell, 0700), 0);
    OC_AUTO_FREE char *interpreter = oc_path_join(*state, "harmless");
    assert_int_equal(symlink("/bin/bash", interpreter), 0);
    expect(*state, ARGV("python3", "x.py"), 1);
    expect(*state, ARGV("/usr/bin/python3.11", "-u", "x.py", "arg"), 2);
    expect(*state, ARGV("python3", script), 1);
    expect(*state, ARGV("env", "python3", "x.py"), 2);
    expect(*state, ARGV("sh", "x.py"), 1);
    expect(*state, ARGV("./tool"), 0);
    expect(*state, ARGV(tool, "x.py"), 0);
    expect(*state, ARGV("./binary"), 0);         /* a program that is not the system's */
    expect(*state, ARGV("./bare", "x.py"), 0);   /* execvp runs it with a shell */
    expect(*state, ARGV("./bash-2", "x.py"), 1); /* the script before the interpreter */
    expect(*state, ARGV("gone"), -1);
    expect(*state, ARGV("/bin/true", "x.py"), -1);
    expect(*state, ARGV("./x.py"), -1); /* nobody can execute it */
    /* -e, -p and -m take code in one interpreter and are plain switches in the next */
    expect(*state, ARGV("bash", "-e", "x.py"), 2);
    expect(*state, ARGV("bash", "-p", "x.py"), 2);
    expect(*state, ARGV("bash", "-m", "x.py"), 2);
    expect(*state, ARGV("bash", "-ec", "x.py"), 2);
    expect(*state, ARGV("python3", "-c", "1", "x.py"), 3);
    expect(*state, ARGV("sh", "-lc", "x.py"), 2);
    expect(*state, ARGV("node", "--require=./x.py", "-e", "1"), 1);
    expect(*state, ARGV("awk", "-fx.py"), 1);
    expect(*state, ARGV("bash", "--rcfile", "x.py", "-i"), 2);
    expect(*state, ARGV(interpreter, "x.py"), 1); /* what it links to counts */
    OC_AUTO_FREE char *link = oc_path_join(*state, "link"), *detour = oc_strfmt("/usr/..%s", link);
    assert_int_equal(symlink("/bin/true", link), 0);
    expect(*state, ARGV("/bin/true"), -1);
    expect(*state, ARGV("./link"), 0); /* the system's, but anybody may have it lead elsewhere */
    expect(*state, ARGV(detour), 0);
    OC_AUTO_FREE char *dir = oc_path_join(*state, "proj"), *main = oc_path_join(dir, "__main__.py");
    assert_int_equal(mkdir(dir, 0700), 0);
    expect(*state, ARGV("python3", "proj"), -1);
    oc_write_text(main, "print(1)\n");
    expect(*state, ARGV("python3", "-I", "proj"), 2);
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
    assert_true(oc_exec_operand_find(&v, *state, PATH_ENV, &a));
    assert_string_equal(
            a.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    oc_write_text(script, "x");
    assert_true(oc_exec_operand_find(&v, *state, PATH_ENV, &b));
    assert_string_not_equal(a.sha256, b.sha256);
    assert_string_equal(a.path, b.path);
    oc_exec_operand_finish(&a);
    oc_exec_operand_finish(&b);
}

static void expect_change(const char *dir, const struct oc_strv *v, char last[65], bool changes) {
    struct oc_exec_operand o;
    assert_true(oc_exec_operand_find(v, dir, PATH_ENV, &o));
    assert_int_equal(strcmp(o.all, last) != 0, changes);
    memcpy(last, o.all, sizeof(o.all));
    oc_exec_operand_finish(&o);
}

/* Not only the first: which of them is the program is the interpreter's business. */
static void every_file_counts(void **state) {
    OC_AUTO_FREE char *hook = oc_path_join(*state, "hook.js"), *main = oc_path_join(*state, "main"),
                      *other = oc_path_join(*state, "other"), *link = oc_path_join(*state, "link");
    OC_AUTO_STRV struct oc_strv v = { 0 };
    char last[65] = "";
    fill(&v, ARGV("node", "-r", "hook.js", "link", "missing"));
    oc_write_text(hook, "1");
    oc_write_text(main, "2");
    oc_write_text(other, "2");
    assert_int_equal(symlink("main", link), 0);
    expect_change(*state, &v, last, true);
    expect_change(*state, &v, last, false);
    oc_write_text(main, "3");
    expect_change(*state, &v, last, true);
    oc_write_text(main, "2");
    expect_change(*state, &v, last, true);
    assert_int_equal(unlink(link) | symlink("other", link), 0);
    expect_change(*state, &v, last, true); /* the same text, but another file */
    OC_AUTO_FREE char *missing = oc_path_join(*state, "missing");
    oc_write_text(missing, "");
    expect_change(*state, &v, last, true);
    struct oc_exec_operand o;
    assert_true(oc_exec_operand_find(&v, *state, PATH_ENV, &o));
    assert_int_equal(o.count, 3);
    assert_true(oc_ends_with(o.path, "/hook.js"));
    oc_exec_operand_finish(&o);
}

/* What is not read any more is known by its inode and times. */
static void many_files_and_large_ones(void **state) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    char last[65] = "";
    OC_AUTO_FREE char *big = oc_path_join(*state, "big");
    oc_write_text(big, "x");
    assert_int_equal(truncate(big, 17 << 20), 0);
    fill(&v, ARGV("sh", "big"));
    expect_change(*state, &v, last, true);
    struct oc_exec_operand o;
    assert_true(oc_exec_operand_find(&v, *state, PATH_ENV, &o));
    assert_string_equal(o.sha256, "");
    oc_exec_operand_finish(&o);
    assert_int_equal(truncate(big, 18 << 20), 0);
    expect_change(*state, &v, last, true);
    for (int i = 0; i < 100; i++) {
        OC_AUTO_FREE char *name = oc_strfmt("f%d", i), *path = oc_path_join(*state, name);
        oc_write_text(path, "one");
        oc_strv_add(&v, name);
    }
    expect_change(*state, &v, last, true);
    expect_change(*state, &v, last, false);
    OC_AUTO_FREE char *path = oc_path_join(*state, "f99");
    oc_write_text(path, "three");
    expect_change(*state, &v, last, true);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(which_file_decides),
        TEST(hashes),
        TEST(every_file_counts),
        TEST(many_files_and_large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
