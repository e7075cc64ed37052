#include "lib/text/argv_text.h"

#include "lib/base/mem.h"
#include "tests/unit/unit.h"

static void expect(const char *wanted, const char *a, const char *b, const char *c) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    const char *const words[] = { a, b, c };
    for (size_t i = 0; i < 3 && words[i]; i++) {
        oc_strv_add(&argv, words[i]);
    }
    OC_AUTO_FREE char *shown = oc_argv_shown(&argv);
    assert_string_equal(shown, wanted);
}

static void plain_words_stay(void **state) {
    (void)state;
    expect("uname -s", "uname", "-s", NULL);
    expect("dd if=/dev/zero of=a,b", "dd", "if=/dev/zero", "of=a,b");
    expect("ls größe", "ls", "größe", NULL);
}

static void words_keep_their_borders(void **state) {
    (void)state;
    expect("/bin/sh -lc 'ls -l; rm x'", "/bin/sh", "-lc", "ls -l; rm x");
    expect("echo '' 'it'\\''s'", "echo", "", "it's");
    expect("'A=b' A=b", "A=b", "A=b", NULL);
    expect("'ls -l' '\\' '\"'", "ls -l", "\\", "\"");
    expect("echo '~' '$HOME'", "echo", "~", "$HOME");
}

static void nothing_hides(void **state) {
    (void)state;
    expect("echo $'a\\x1b[2Kb' $'x\\ny'", "echo", "a\033[2Kb", "x\ny");
    expect("echo $'\\u202egpj.exe' $'a\\u200bb'", "echo", "\u202egpj.exe", "a\u200bb");
    expect("$'rm\\u00a0-rf' $'\\U000e0041'", "rm\u00a0-rf", "\U000e0041", NULL);
    expect("echo $'\\xff' $'it\\'s\\\\\\t'", "echo", "\xff", "it's\\\t");
}

static void expect_within(const char *wanted, size_t max, const char *a, const char *b) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, a);
    oc_strv_add(&argv, b);
    OC_AUTO_FREE char *shown = oc_argv_shown_within(&argv, max);
    assert_string_equal(shown, wanted);
}

static void a_beginning_says_that_it_is_one(void **state) {
    (void)state;
    expect_within("echo abc", 100, "echo", "abc");
    expect_within("echo abc", 7, "echo", "abc");
    expect_within("echo ab…", 6, "echo", "abc");
    expect_within("echo …", 4, "echo", "abc");
    expect_within("ec…", 2, "echo", "abc");
    expect_within("…", 0, "echo", "abc");
    expect_within("echo 'a b'…", 7, "echo", "a b c");
    expect_within("echo gr…", 7, "echo", "größe"); /* no half characters */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_stay),
        cmocka_unit_test(words_keep_their_borders),
        cmocka_unit_test(nothing_hides),
        cmocka_unit_test(a_beginning_says_that_it_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
