#include "node/policy/exec_glob.h"

#include "tests/unit/unit.h"

static void patterns(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool matches;
    } cases[] = {
        { "/usr/bin/git", "/usr/bin/git", true }, { "/usr/bin/git", "/usr/bin/gitk", false },
        { "/usr/bin/git", "/usr/bin/gi", false }, { "/usr/bin/git", "/USR/bin/git", false },
        { "/usr/bin/*", "/usr/bin/git", true }, { "/usr/bin/*", "/usr/bin/", true },
        { "/usr/bin/*", "/usr/bin/x/git", false }, { "/usr/*/git", "/usr/bin/git", true },
        { "/usr/*/git", "/usr/local/bin/git", false },
        { "/usr/**/git", "/usr/local/bin/git", true }, { "/usr/**/rg", "/usr/rg", false },
        { "/usr/**", "/usr/bin/git", true }, { "/usr/**", "/usr", false },
        { "/usr/bin/g?t", "/usr/bin/git", true }, { "/usr/bin/g?t", "/usr/bin/gt", false },
        { "/usr?bin/git", "/usr/bin/git", false },
        { "/usr/bin/g?t", "/usr/bin/g\xc3\xa4t", true }, /* one character, not one byte */
        { "/usr/bin/*t", "/usr/bin/git-cat", true }, { "/a*b*c", "/aXbYbc", true },
        { "/a*b*c", "/aXbYb", false }, { "/a*/b*", "/ax/by", true },
        { "/**a/*b", "/x/a/ya/zb", true }, { "/**a/*b", "/x/a/y/zb", false },
        { "/***", "/x/y", true },
        { "*", "/x", false }, /* the bare star is not for this function to say */
        { "**", "/x", true }, { "", "", true }, { "", "/x", false },
        /* the reference takes these for a regular expression; here they are letters */
        { "/usr/bin/g.t", "/usr/bin/git", false }, { "/usr/bin/g++", "/usr/bin/g++", true },
        { "/usr/bin/[", "/usr/bin/[", true }, { "/usr/bin/[g]it", "/usr/bin/git", false },
        { "/usr/bin/(git", "/usr/bin/(git", true }, { "/usr/bin/{git,ls}", "/usr/bin/git", false },
        { "/usr/bin/\\*", "/usr/bin/x", false }, { "/usr/bin/*", "/usr/bin/\xffx", true },
        { "/usr/bin/\xff*", "/usr/bin/\xffx", false },
        { "/usr/bin/\xeb\x9e*", "/usr/bin/\xeb\x9e\x9c", false }, /* half a character */
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        if (nd_exec_glob(cases[i].pattern, cases[i].path) != cases[i].matches) {
            fail_msg("%s on %s", cases[i].pattern, cases[i].path);
        }
    }
}

/* A pattern that makes backtracking matchers hang. */
static void hard_patterns_are_quick(void **state) {
    (void)state;
    char pattern[ND_MAX_PATTERN + 1], path[4096];
    for (size_t i = 0; i + 2 < sizeof(pattern); i += 2) {
        memcpy(pattern + i, "*a", 2);
    }
    pattern[sizeof(pattern) - 1] = '\0';
    memset(path, 'a', sizeof(path) - 2);
    path[sizeof(path) - 2] = 'b';
    path[sizeof(path) - 1] = '\0';
    assert_false(nd_exec_glob(pattern, path));
}

static void too_long_matches_nothing(void **state) {
    (void)state;
    char pattern[ND_MAX_PATTERN + 2];
    memset(pattern, '*', sizeof(pattern) - 1);
    pattern[sizeof(pattern) - 1] = '\0';
    assert_false(nd_exec_glob(pattern, "/x"));
    assert_true(nd_exec_glob(pattern + 1, "/x"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(hard_patterns_are_quick),
        cmocka_unit_test(too_long_matches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
