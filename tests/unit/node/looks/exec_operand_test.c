/* Which file of a command decides what it does, and how it is known again. */
#include "tests/unit/node/looks/operand_scene.h"

static void expect_index(const char *dir, const char *const *argv, int index) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill_words(&v, argv);
    struct nd_exec_operand o = { 0 };
    bool found = find_operand(&v, dir, &o);
    if (found != (index >= 0) || (found && o.index != (size_t)index)) {
        fail_msg("%s %s: %d", argv[0], argv[1] ? argv[1] : "", found ? (int)o.index : -1);
    }
    nd_exec_operand_finish(&o);
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
    expect_index(*state, ARGV("python3", "x.py"), 1);
    expect_index(*state, ARGV("/usr/bin/python3.11", "-u", "x.py", "arg"), 2);
    expect_index(*state, ARGV("python3", script), 1);
    expect_index(*state, ARGV("env", "python3", "x.py"), 2);
    expect_index(*state, ARGV("sh", "x.py"), 1);
    expect_index(*state, ARGV("./tool"), 0);
    expect_index(*state, ARGV(tool, "x.py"), 0);
    expect_index(*state, ARGV("./binary"), 0);         /* a program that is not the system's */
    expect_index(*state, ARGV("./bare", "x.py"), 0);   /* execvp runs it with a shell */
    expect_index(*state, ARGV("./bash-2", "x.py"), 1); /* the script before the interpreter */
    expect_index(*state, ARGV("gone"), -1);
    expect_index(*state, ARGV("/bin/true", "x.py"), -1);
    expect_index(*state, ARGV("./x.py"), -1); /* nobody can execute it */
    /* -e, -p and -m take code in one interpreter and are plain switches in the next */
    expect_index(*state, ARGV("bash", "-e", "x.py"), 2);
    expect_index(*state, ARGV("bash", "-p", "x.py"), 2);
    expect_index(*state, ARGV("bash", "-m", "x.py"), 2);
    expect_index(*state, ARGV("bash", "-ec", "x.py"), 2);
    expect_index(*state, ARGV("python3", "-c", "1", "x.py"), 3);
    expect_index(*state, ARGV("sh", "-lc", "x.py"), 2);
    expect_index(*state, ARGV("node", "--require=./x.py", "-e", "1"), 1);
    expect_index(*state, ARGV("awk", "-fx.py"), 1);
    expect_index(*state, ARGV("bash", "--rcfile", "x.py", "-i"), 2);
    expect_index(*state, ARGV(interpreter, "x.py"), 1); /* what it links to counts */
    OC_AUTO_FREE char *link = oc_path_join(*state, "link"), *detour = oc_strfmt("/usr/..%s", link);
    assert_int_equal(symlink("/bin/true", link), 0);
    expect_index(*state, ARGV("/bin/true"), -1);
    expect_index(
            *state, ARGV("./link"), 0); /* the system's, but anybody may have it lead elsewhere */
    expect_index(*state, ARGV(detour), 0);
    OC_AUTO_FREE char *dir = oc_path_join(*state, "proj"), *main = oc_path_join(dir, "__main__.py");
    assert_int_equal(mkdir(dir, 0700), 0);
    expect_index(*state, ARGV("python3", "proj"), -1);
    oc_write_text(main, "print(1)\n");
    expect_index(*state, ARGV("python3", "-I", "proj"), 2);
    expect_index(*state, ARGV("python3", "gone.py"), -1);
    expect_index(*state, ARGV("python3", "."), -1);
    expect_index(*state, ARGV("python3"), -1);
    expect_index(*state, ARGV("cat", "x.py"), -1);
}

static void hashes(void **state) {
    OC_AUTO_FREE char *script = oc_path_join(*state, "x.sh");
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill_words(&v, ARGV("sh", "x.sh"));
    struct nd_exec_operand a, b;
    oc_write_text(script, "");
    assert_true(find_operand(&v, *state, &a));
    assert_int_equal(strlen(a.content), 64);
    assert_string_not_equal(/* whoever guesses what is in there must not be able to try */
            a.content, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    oc_write_text(script, "x");
    assert_true(find_operand(&v, *state, &b));
    assert_string_not_equal(a.content, b.content);
    assert_string_equal(a.path, b.path);
    nd_exec_operand_finish(&a);
    nd_exec_operand_finish(&b);
}

/* Not only the first: which of them is the program is the interpreter's business. */
static void every_file_counts(void **state) {
    OC_AUTO_FREE char *hook = oc_path_join(*state, "hook.js"), *main = oc_path_join(*state, "main"),
                      *other = oc_path_join(*state, "other"), *link = oc_path_join(*state, "link");
    OC_AUTO_STRV struct oc_strv v = { 0 };
    char last[65] = "";
    fill_words(&v, ARGV("node", "-r", "hook.js", "link", "missing"));
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
    struct nd_exec_operand o;
    assert_true(find_operand(&v, *state, &o));
    assert_int_equal(o.count, 3);
    assert_true(oc_ends_with(o.path, "/hook.js"));
    nd_exec_operand_finish(&o);
}

/* The same text elsewhere has another seal: nobody learns what is in a file by writing guesses to
 * another one. */
static void a_seal_cannot_be_guessed_by_a_copy(void **state) {
    OC_AUTO_FREE char *one = oc_path_join(*state, "one"), *two = oc_path_join(*state, "two");
    oc_write_text(one, "1234");
    oc_write_text(two, "1234");
    struct nd_exec_operand a, b;
    OC_AUTO_STRV struct oc_strv v = { 0 }, w = { 0 };
    fill_words(&v, ARGV("sh", "one"));
    fill_words(&w, ARGV("sh", "two"));
    assert_true(find_operand(&v, *state, &a) && find_operand(&w, *state, &b));
    assert_string_not_equal(a.content, b.content);
    nd_exec_operand_finish(&a);
    nd_exec_operand_finish(&b);
}

/* Nothing of the node's own, of the kernel or of a device is opened: nothing of it is in what is
 * told. */
static void private_files_are_not_described(void **state) {
    make_scene(*state);
    OC_AUTO_FREE char *fifo = oc_path_join(*state, "fifo"),
                      *key = oc_path_join(*state, "state/key");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    static const char *const words[] = { "state/key", "to-state/key", "/proc/self/environ",
        "/dev/zero", "fifo" };
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        OC_AUTO_STRV struct oc_strv v = { 0 };
        fill_words(&v, ARGV("sh", words[i]));
        struct nd_exec_operand a, b;
        assert_false(find_operand(&v, *state, &a));
        assert_true(a.content[0] == '\0' && !a.path && a.files.count == 0);
        oc_write_text(key, i % 2 ? "one" : "three");
        find_operand(&v, *state, &b);
        assert_string_equal(a.all, b.all);
        nd_exec_operand_finish(&a);
        nd_exec_operand_finish(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(which_file_decides),
        TEST(hashes),
        TEST(every_file_counts),
        TEST(a_seal_cannot_be_guessed_by_a_copy),
        TEST(private_files_are_not_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
