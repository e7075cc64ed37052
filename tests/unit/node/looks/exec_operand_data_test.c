/* Files that a command only reads are data: they may change. */
#include "tests/unit/node/looks/operand_scene.h"

/* Data is no part of what is bound, scripts are: the file that is written, and whether that
 * counts. */
static const struct reader {
    const char *argv[8];
    const char *file;
    bool is_bound;
} data_readers[] = {
    { { "sed", "-n", "1p", "data.txt" }, "data.txt", false },
    { { "sed", "-f", "data.txt", "x" }, "data.txt", true },
    { { "awk", "{print}", "data.txt" }, "data.txt", false },
    { { "awk", "-f", "data.txt" }, "data.txt", true },
    { { "awk", "-fdata.txt" }, "data.txt", true },
    { { "awk", "--file=data.txt" }, "data.txt", true },
    { { "less", "-R", "data.txt" }, "data.txt", false },
    { { "python3", "x.py", "data.txt" }, "data.txt", false },
    { { "python3", "x.py", "--log=data.txt" }, "data.txt", false },
    { { "python3", "x.py", "data.txt" }, "x.py", true },
    { { "python3", "x.py", "plain.py" }, "plain.py", true },
    { { "python3", "x.py", "line" }, "line", true },
    { { "python3", "data.txt" }, "data.txt", true },
    { { "python3", "-X", "dev", "data.txt" }, "data.txt", true },
    { { "python3", "-c", "1", "data.txt" }, "data.txt", false },
    { { "perl", "-ne", "print", "data.txt" }, "data.txt", false },
    { { "perl", "data.txt" }, "data.txt", true },
    { { "node", "-r", "data.txt", "x.py" }, "data.txt", true },
    { { "sh", "data.txt" }, "data.txt", true },
    { { "sh", "x.sh", "data.txt" }, "data.txt", false },
    { { "sh", "x.sh", "plain.py" }, "plain.py", true },
    { { "sh", "-c", "sed -n 1p data.txt" }, "data.txt", false },
    { { "sh", "-c", "grep x data.txt > out" }, "data.txt", false },
    { { "sh", "-c", ". ./data.txt > out" }, "data.txt", true },
    { { "sh", "-c", "sh -e data.txt > out" }, "data.txt", true },
    { { "sh", "-c", "X=1 x.sh; cat data.txt" }, "x.sh", true },
    { { "nice", "cat", "data.txt" }, "data.txt", false },
    { { "nice", "sh", "data.txt" }, "data.txt", true },
    { { "nice", "--new-option", "sh", "data.txt" }, "data.txt", true },
    { { "tool", "data.txt" }, "data.txt", false },
    { { "rscript", "data.txt" }, "data.txt", true },
    { { "rscript", "x.py", "data.txt" }, "data.txt", false },
    { { "make", "-f", "data.txt" }, "data.txt", true },
};

static void data_may_grow_but_scripts_may_not(void **state) {
    make_scene(*state);
    size_t wrong = 0;
    for (size_t i = 0; i < OC_COUNT(data_readers); i++) {
        const struct reader *r = &data_readers[i];
        OC_AUTO_STRV struct oc_strv v = { 0 };
        fill_words(&v, r->argv);
        OC_AUTO_FREE char *path = oc_path_join(*state, r->file), *words = oc_strv_join(&v, " ");
        OC_AUTO_BUF struct oc_buf text = { 0 };
        assert_int_equal(oc_file_read(path, 1000, &text, NULL), OC_OK);
        OC_AUTO_FREE char *more = oc_strfmt("%s# more\n", text.data);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        struct nd_exec_operand a, b;
        find_operand(&v, *state, &a);
        oc_write_text(path, more);
        assert_int_equal(chmod(path, st.st_mode & 0777), 0);
        find_operand(&v, *state, &b);
        if ((strcmp(a.all, b.all) != 0) != r->is_bound) {
            print_error("%s: %s is %s\n", words, r->file, r->is_bound ? "not bound" : "bound");
            wrong++;
        }
        nd_exec_operand_finish(&a);
        nd_exec_operand_finish(&b);
    }
    assert_int_equal(wrong, 0);
}

/* What can be run as it is, or becomes so, is no data. */
static void data_that_becomes_a_program_is_seen(void **state) {
    make_scene(*state);
    OC_AUTO_FREE char *path = oc_path_join(*state, "data.txt"),
                      *gone = oc_path_join(*state, "gone");
    OC_AUTO_STRV struct oc_strv v = { 0 }, w = { 0 };
    char last[65] = "", other[65] = "";
    fill_words(&v, ARGV("python3", "x.py", "data.txt"));
    fill_words(&w, ARGV("nice", "tool", "gone"));
    expect_change(*state, &v, last, true);
    expect_change(*state, &w, other, true);
    assert_int_equal(chmod(path, 0700), 0);
    expect_change(*state, &v, last, true);
    oc_write_text(path, "#!/bin/sh\n");
    assert_int_equal(chmod(path, 0600), 0);
    expect_change(*state, &v, last, true);
    oc_write_text(gone, "a\n");
    expect_change(*state, &w, other, false);
    write_tool(*state, "gone");
    expect_change(*state, &w, other, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(data_may_grow_but_scripts_may_not),
        TEST(data_that_becomes_a_program_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
