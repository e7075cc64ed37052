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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_stay),
        cmocka_unit_test(words_keep_their_borders),
        cmocka_unit_test(nothing_hides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
