#include "lib/base/str.h"

#include "lib/base/one_of.h"
#include "lib/text/quoted.h"
#include "tests/unit/unit.h"

static void comparing(void **state) {
    (void)state;
    assert_true(oc_streq(NULL, NULL));
    assert_false(oc_streq(NULL, ""));
    assert_false(oc_streq("a", NULL));
    assert_true(oc_streq("a", "a"));
    static const char *const list[] = { "a", "ab", NULL };
    assert_true(oc_str_in("ab", list));
    assert_false(oc_str_in("", list));
    assert_false(oc_str_in("abc", list));
    assert_true(oc_starts_with("abc", "ab"));
    assert_false(oc_starts_with("a", "ab"));
    assert_true(oc_ends_with("abc", "bc"));
    assert_false(oc_ends_with("c", "bc"));
    assert_true(oc_str_blank(NULL));
    assert_true(oc_str_blank(" \t\r\n"));
    assert_false(oc_str_blank(" x"));
}

static void secrets(void **state) {
    (void)state;
    assert_true(oc_secret_equal("abc", "abc"));
    assert_true(oc_secret_equal("", ""));
    assert_false(oc_secret_equal("abc", "abd"));
    assert_false(oc_secret_equal("xbc", "abc"));
    assert_false(oc_secret_equal("abc", "abcd"));
    assert_false(oc_secret_equal(NULL, NULL));
    assert_false(oc_secret_equal("a", NULL));
}

static void integers(void **state) {
    (void)state;
    int64_t v = 77;
    assert_true(oc_parse_int("-42", -100, 100, &v) && v == -42);
    assert_true(oc_parse_int("9223372036854775807", 0, INT64_MAX, &v) && v == INT64_MAX);
    static const char *const bad[] = { "", "-", "+1", " 1", "1 ", "1x", "0x10", "101", "-101",
        "9223372036854775808", "1.0" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        v = 77;
        assert_false(oc_parse_int(bad[i], -100, 100, &v));
        assert_true(v == 77);
    }
    assert_false(oc_parse_int(NULL, 0, 1, &v));
}

static void durations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = { { "90", 90 }, { "0", 0 }, { "500ms", 500 }, { "2s", 2000 }, { "5m", 300000 },
        { "1h30m", 5400000 }, { "2d", 172800000 }, { "1m500ms", 60500 } };
    static const char *const bad[] = { "", "-5s", "s", "1h30", "5 m", "1.5h", "10w",
        "99999999999999999999", "9223372036854775807d", "106751991168d" };
    int64_t ms;
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        assert_true(oc_parse_duration_ms(good[i].text, &ms));
        assert_true(ms == good[i].ms);
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_false(oc_parse_duration_ms(bad[i], &ms));
    }
    assert_false(oc_parse_duration_ms(NULL, &ms));
}

static void trimming(void **state) {
    (void)state;
    char a[] = " \tMixed Case\n ", b[] = "  ", c[] = "ÄB";
    assert_string_equal(oc_trim(a), "Mixed Case");
    assert_string_equal(oc_trim(b), "");
    oc_ascii_lower(c);
    assert_string_equal(c, "Äb");
}

static void printable_hides_nothing(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
        size_t max;
    } cases[] = {
        { "plain ü \U0001f600", "plain ü \U0001f600", 100 },
        { "a\nb\tc\rd", "a\\nb\\tc\\rd", 100 },
        { "\x1b[31m\x07\x7f", "\\x1b[31m\\x07\\x7f", 100 },
        { "bad \xff\xc3", "bad \\xff\\xc3", 100 },
        { "txt.\u202Eexe", "txt.\\u{202e}exe", 100 },
        { "zero\u200Bwidth", "zero\\u{200b}width", 100 },
        { "\xc2\x85", "\\x85", 100 },
        { "abcdef", "abc…", 3 },
        { "üüü", "üüü", 3 },
        { "", "", 0 },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *s = oc_printable(cases[i].in, strlen(cases[i].in), cases[i].max);
        assert_string_equal(s, cases[i].out);
    }
    OC_AUTO_FREE char *nul = oc_printable("a\0b", 3, 10);
    assert_string_equal(nul, "a\\x00b");
}

static void put_cuts_whole_characters(void **state) {
    (void)state;
    char small[6];
    assert_true(oc_str_put(small, sizeof(small), "fives"));
    assert_string_equal(small, "fives");
    assert_true(oc_str_put(small, sizeof(small), ""));
    assert_string_equal(small, "");
    assert_false(oc_str_put(small, sizeof(small), "sixsix"));
    assert_string_equal(small, "sixsi");
    assert_false(oc_str_put(small, sizeof(small), "abc\u20acd")); /* a character of three bytes */
    assert_string_equal(small, "abc");
    assert_false(oc_str_put(small, 1, "\u20ac"));
    assert_string_equal(small, "");
}

static void a_name_does_not_end_its_quotes(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = { { "box", "\"box\"" }, { "", "\"\"" }, { NULL, "\"\"" },
        { "x\" ip=9.9.9.9 y=\"", "\"x\\\" ip=9.9.9.9 y=\\\"\"" }, { "x\\", "\"x\\\\\"" },
        { "x\\\"", "\"x\\\\\\\"\"" }, { "a\nb", "\"a\\nb\"" },
        { "1234567890abc", "\"1234567890…\"" } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *s = oc_quoted(cases[i].in, 10 + (i == 3 ? 20 : 0));
        assert_string_equal(s, cases[i].out);
    }
}

static void test_one_of_a_set(void **state) {
    (void)state;
    assert_true(oc_is_one_of('b', "abc"));
    assert_false(oc_is_one_of('d', "abc"));
    assert_false(oc_is_one_of('\0', "abc"));
    assert_false(oc_is_one_of('\0', ""));
    assert_false(oc_is_one_of(256 + 'b', "abc")); /* no byte */
    assert_true(oc_is_one_of(0xc3, "\xc3"));
    assert_true(oc_is_one_of((signed char)0xc3, "\xc3"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_of_a_set),
        cmocka_unit_test(comparing),
        cmocka_unit_test(secrets),
        cmocka_unit_test(integers),
        cmocka_unit_test(durations),
        cmocka_unit_test(trimming),
        cmocka_unit_test(put_cuts_whole_characters),
        cmocka_unit_test(printable_hides_nothing),
        cmocka_unit_test(a_name_does_not_end_its_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
