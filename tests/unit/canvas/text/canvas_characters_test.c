/* Which way a text is read, and where one character of a person ends. */
#include "tests/unit/unit.h"

#include "canvas/text/direction.h"
#include "canvas/text/grapheme.h"

#include <string.h>

static void the_first_letter_says_the_direction(void **state) {
    (void)state;
    static const char *const leftwards[] = { "שלום", "(שלום) x", "12 \u05d0",
        "\u0634\u0643\u0631\u0627", "\u07ca", "\U0001e900" };
    static const char *const rightwards[] = { "", "12 – 13", "x שלום", "\u0663", "日本 שלום", "Ünü",
        "\u20ac 5" };
    for (size_t i = 0; i < OC_COUNT(leftwards); i++) {
        assert_true(cv_reads_leftwards(leftwards[i]));
    }
    for (size_t i = 0; i < OC_COUNT(rightwards); i++) {
        assert_false(cv_reads_leftwards(rightwards[i]));
    }
}

/* Each text is so many characters, forth and back. */
static void characters_end_where_people_think(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t count;
    } cases[] = { { "", 0 }, { "abc", 3 }, { "a\r\nb", 3 }, { "e\u0301e\u0301", 2 }, { "🇩🇪🇫🇷🇩", 3 },
        { "x\n🇩🇪🇫🇷", 4 }, { "👩\u200d👧\u200d👦👍🏽", 2 }, { "a\u200db", 2 },
        { "한한글", 3 }, { "\u0e01\u0e47\u0e01", 2 }, { "\u09b0\u09cd\u09af", 2 } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        const char *s = cases[i].text;
        size_t len = strlen(s), starts[8], count = 0;
        for (size_t at = 0; at < len; at = cv_grapheme_next(s, len, at)) {
            assert_true(count < OC_COUNT(starts));
            starts[count++] = at;
        }
        assert_int_equal(count, cases[i].count);
        for (size_t at = len; at > 0;) {
            at = cv_grapheme_prev(s, len, at);
            assert_int_equal(at, starts[--count]);
        }
        assert_int_equal(count, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_letter_says_the_direction),
        cmocka_unit_test(characters_end_where_people_think),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
