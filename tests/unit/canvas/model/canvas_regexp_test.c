#include "canvas/model/regexp.h"
#include "tests/unit/unit.h"

#include <time.h>

static bool matches(const char *pattern, const char *text) {
    return cv_regexp_matches(
            (struct oc_slice){ pattern, strlen(pattern) }, (struct oc_slice){ text, strlen(text) });
}

static void the_whole_text_must_match(void **state) {
    (void)state;
    assert_true(matches("\\d+", "42"));
    assert_false(matches("\\d+", "42x"));
    assert_false(matches("\\d+", "x42"));
    assert_true(matches("^\\d+$", "42"));
    assert_false(matches("a|b", "ab"));
    assert_true(matches("a|ab", "ab"));
    assert_false(matches("a", "a\n"));
    assert_true(matches("^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "me@example.com"));
    assert_false(matches("^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "me@example"));
}

static void syntax_of_javascript_works(void **state) {
    (void)state;
    assert_true(matches("(?<year>\\d{4})-\\k<year>", "2026-2026"));
    assert_true(matches("(?=.*\\d)(?!.*x).+", "abc1"));
    assert_false(matches("(?=.*\\d)(?!.*x).+", "abc1x"));
    assert_true(matches("\\u00e9\\x41\\u{1f600}", "\xc3\xa9"
                                                  "A\xf0\x9f\x98\x80"));
    assert_true(matches("\\p{L}+", "\xc3\xa9t\xc3\xa9"));
    assert_true(matches(".", "\xf0\x9f\x98\x80"));
    assert_true(matches("[+*?]+", "+*?"));
    assert_true(matches("\\++", "++"));
    assert_true(matches("[\\-\\@\\/]+", "-@/"));
    assert_false(matches("[]", "a"));
    assert_true(matches("[^]", "a"));
}

static void an_empty_text_is_valid(void **state) {
    (void)state;
    assert_true(matches("\\d+", ""));
}

/* PCRE2 would take these; JavaScript refuses them, and then there is no rule. */
static void what_javascript_has_not_is_no_rule(void **state) {
    (void)state;
    static const char *const foreign[] = { "(", "[a", "a{2,1}", "(*ACCEPT)b", "(?R)b", "(?>a)",
        "(?#c)b", "(?i)b", "\\Ab", "\\Qb\\E", "a++b", "a*+b", "a?+b", "[[:alpha:]]b", "(?P<x>b)",
        "\\Kb", "(?1)b", "b\\", "(?" };
    for (size_t i = 0; i < OC_COUNT(foreign); i++) {
        if (!matches(foreign[i], "z")) {
            fail_msg("'%s' was a rule", foreign[i]);
        }
    }
}

static void hostile_patterns_end(void **state) {
    (void)state;
    char as[5001];
    memset(as, 'a', 5000);
    as[5000] = '\0';
    (void)matches("(a+)+b", as);
    (void)matches("(a|a)*b", as);
    (void)matches("((((((((((a*)*)*)*)*)*)*)*)*)*)*b", as);
    (void)matches("(.*)*(.*)*(.*)*x", as);
    char deep[2001];
    memset(deep, '(', 2000);
    deep[2000] = '\0';
    assert_true(matches(deep, "a"));
    assert_true(matches("((((a{99}){99}){99}){99}){99}", "b")); /* would not fit */
    assert_true(matches("a", "\xff"));
    char nul[] = { 'a', '\0', 'b' };
    assert_true(cv_regexp_matches((struct oc_slice){ "a.b", 3 }, (struct oc_slice){ nul, 3 }));
    assert_true(cv_regexp_matches((struct oc_slice){ nul, 3 }, (struct oc_slice){ nul, 3 }));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_text_must_match),
        cmocka_unit_test(syntax_of_javascript_works),
        cmocka_unit_test(an_empty_text_is_valid),
        cmocka_unit_test(what_javascript_has_not_is_no_rule),
        cmocka_unit_test(hostile_patterns_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
