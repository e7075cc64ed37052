#include "lib/text/paste.h"

#include "lib/base/str.h"
#include "tests/unit/unit.h"

#include <sys/wait.h>

static const char *const hostile[] = { "", "-rf", "--all", "a\nb", "a\rb", "a\tb", "\x1b[2J",
    "a\u200bb", "a\u202eb",
    "\xc2\x9b"
    "31m",
    "a\\", "a!b", "a\\'; touch x #", "\xff", "caf\xc3", "x;touch${IFS}y", "$(touch y)", "`touch y`",
    "it's", "';touch y;'", "\"", "a&b", "a|b", "a>d", "a<e", NULL };
static const char *const odd[] = { "a b", "*?[a]{b,c}~", "#x", "日本 語", "a=b c", "(touch y)", "~",
    "%s", NULL };

static void words_of_a_peer_are_one_plain_word_or_none(void **state) {
    (void)state;
    for (size_t i = 0; hostile[i]; i++) {
        OC_AUTO_FREE char *line =
                oc_paste("openclaw nodes pending", "openclaw nodes approve %s", hostile[i]);
        assert_string_equal(line, "openclaw nodes pending");
    }
    assert_null(oc_paste(NULL, "openclaw x %s", "\n"));
    OC_AUTO_FREE char *plain = oc_paste("no", "openclaw a %s --b %s", "3f2a-1_x", "/usr/bin/a+b");
    assert_string_equal(plain, "openclaw a 3f2a-1_x --b /usr/bin/a+b");
    char longest[500];
    memset(longest, '$', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    OC_AUTO_FREE char *cut = oc_paste("no", "%s", longest);
    assert_string_equal(cut, "no");
}

/* A real shell reads the same words back, and runs nothing. */
static void a_shell_reads_them_back(void **state) {
    for (size_t i = 0; odd[i]; i++) {
        OC_AUTO_FREE char *word = oc_paste(NULL, "%s", odd[i]);
        assert_non_null(word);
        OC_AUTO_FREE char *script = oc_strfmt("cd '%s' && printf %%s %s", (char *)*state, word);
        FILE *shell = popen(script, "r");
        char got[256] = "";
        size_t n = fread(got, 1, sizeof(got) - 1, shell);
        got[n] = '\0';
        assert_int_equal(pclose(shell), 0);
        assert_string_equal(got, odd[i]);
        OC_AUTO_FREE char *made = oc_strfmt("%s/y", (char *)*state);
        assert_int_not_equal(access(made, F_OK), 0);
    }
}

static void ids_are_short_when_plain(void **state) {
    (void)state;
    OC_AUTO_FREE char *hex = oc_paste_id("0123456789abcdef0123"), *brief = oc_paste_id("n1"),
                      *evil = oc_paste_id("0123456789abcd;x"), *none = oc_paste_id(NULL);
    assert_string_equal(hex, "0123456789ab");
    assert_string_equal(brief, "n1");
    assert_string_equal(evil, "0123456789abcd;x");
    assert_string_equal(none, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_peer_are_one_plain_word_or_none),
        cmocka_unit_test_setup_teardown(a_shell_reads_them_back, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test(ids_are_short_when_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
