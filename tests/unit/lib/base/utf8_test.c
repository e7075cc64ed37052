#include "tests/unit/unit.h"

#include "lib/base/utf8.h"

static void knows_good_from_bad(void **state) {
    (void)state;
    static const char *const good[] = { "", "plain ascii text", "ü", "\u20ac", "\U0001f600",
        "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80", "12345678ü", "\xf0\x90\x80\x80" };
    static const char *const bad[] = { "\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x80\x80",
        "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "12345678\xe2\x82", "\xc3(" };
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        assert_true(oc_utf8_valid(good[i], strlen(good[i])));
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_false(oc_utf8_valid(bad[i], strlen(bad[i])));
    }
}

static void reads_one_character_at_a_time(void **state) {
    (void)state;
    static const char text[] = "aü\u20ac\U0001f600\xe2\x82";
    static const uint32_t chars[] = { 'a', 0xfc, 0x20ac, 0x1f600, 0xfffd, 0xfffd };
    static const size_t starts[] = { 0, 1, 3, 6, 10, 11, 12 };
    size_t at = 0;
    for (size_t i = 0; i < OC_COUNT(chars); i++) {
        assert_int_equal(at, starts[i]);
        assert_int_equal(oc_utf8_decode(text, sizeof(text) - 1, at, &at), chars[i]);
    }
    assert_int_equal(at, sizeof(text) - 1);
    assert_int_equal(oc_utf8_decode(text, sizeof(text) - 1, at, &at), 0);
    assert_int_equal(at, sizeof(text) - 1);
    for (size_t i = 4; i > 0; i--) {
        assert_int_equal(oc_utf8_back(text, starts[i]), starts[i - 1]);
    }
}

static void finds_incomplete_tails(void **state) {
    (void)state;
    static const struct {
        const char *s;
        size_t tail;
    } cases[] = { { "", 0 }, { "a", 0 }, { "ü", 0 }, { "a\xc3", 1 }, { "a\xe2\x82", 2 },
        { "\xf0\x9f\x98", 3 }, { "\xf0\x9f", 2 }, { "\xf0", 1 }, { "\x80\x80\x80\x80", 0 },
        { "\xed\xa0", 0 }, { "\xff", 0 }, { "\xe2\x82\xac", 0 } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        assert_int_equal(oc_utf8_incomplete_tail(cases[i].s, strlen(cases[i].s)), cases[i].tail);
    }
}

static void repairs_like_a_browser(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        { "fine ü", "fine ü" },
        { "a\x80z", "a\uFFFDz" },
        { "\xe2\x82", "\uFFFD" }, /* one mark for a cut character */
        { "\xe2\x28\xa1", "\uFFFD(\uFFFD" },
        { "\xed\xa0\x80",
                "\uFFFD\uFFFD\uFFFD" }, /* a surrogate: no part of it can start a character */
        { "\xf0\x9f\x98x", "\uFFFDx" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100);
        assert_int_equal(oc_utf8_append_repaired(&out, cases[i][0], strlen(cases[i][0])), OC_OK);
        assert_string_equal(out.data, cases[i][1]);
    }
    OC_AUTO_BUF struct oc_buf small = OC_BUF_INIT(4);
    assert_int_equal(oc_utf8_append_repaired(&small, "\xff\xff", 2), OC_E_TOO_LARGE);
}

static void cuts_between_characters(void **state) {
    (void)state;
    const char *s = "aü\u20ac\U0001f600"; /* 1 + 2 + 3 + 4 bytes */
    static const size_t want[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10 };
    for (size_t max = 0; max < OC_COUNT(want); max++) {
        assert_int_equal(oc_utf8_cut(s, 10, max), want[max]);
    }
    assert_int_equal(oc_utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_good_from_bad),
        cmocka_unit_test(reads_one_character_at_a_time),
        cmocka_unit_test(finds_incomplete_tails),
        cmocka_unit_test(repairs_like_a_browser),
        cmocka_unit_test(cuts_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
