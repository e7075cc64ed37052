#include "cli/text.h"

#include "lib/base/mem.h"
#include "lib/json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static size_t width(const char *s) {
    return cli_text_width(s, strlen(s));
}

static void test_width(void **state) {
    (void)state;
    assert_int_equal(width("abc"), 3);
    assert_int_equal(width("grün · ok"), 9);
    assert_int_equal(width("日本"), 4);
    assert_int_equal(width("e\xcc\x81"), 1); /* e with a combining acute */
    assert_int_equal(width("🦞"), 2);
    assert_int_equal(width("\U0001fae0"), 2);   /* an emoji of Unicode 14 */
    assert_int_equal(width("\u0e01\u0e47"), 1); /* a Thai mark takes no column */
    assert_int_equal(width("\xff\xfe"), 2);     /* broken bytes do not run away */
    assert_int_equal(width("\xe2\x82"), 2);     /* nor does a cut character */
}

static void assert_wrapped(const char *text, size_t columns, const char *joined) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(4096);
    const char *at = text;
    while (*at) {
        size_t next, len = cli_text_wrap(at, columns, &next);
        assert_true(next > 0);
        assert_true(cli_text_width(at, len) <= columns);
        oc_buf_append(&out, at, len);
        oc_buf_putc(&out, '|');
        at += next;
    }
    assert_string_equal(out.data, joined);
}

static void test_wrap(void **state) {
    (void)state;
    assert_wrapped("one two three", 7, "one two|three|");
    assert_wrapped("one two three", 8, "one two|three|");
    assert_wrapped("abcdefghij", 4, "abcd|efgh|ij|");
    assert_wrapped("a,b,c,d", 4, "a,b,|c,d|");
    assert_wrapped("日本語 日本語", 6, "日本語|日本語|");
    assert_wrapped("exact", 5, "exact|");
}

static void test_cut_and_words(void **state) {
    (void)state;
    assert_int_equal(cli_text_cut("abc def", 4), 3); /* no space at the end */
    assert_int_equal(cli_text_cut("日本語", 5), 6);
    assert_int_equal(cli_text_cut("e\xcc\x81xy", 1), 3); /* a mark stays with its letter */
    assert_int_equal(cli_text_cut("ab", 0), 0);
    size_t next;
    assert_int_equal(cli_text_word("one  two", &next), 3);
    assert_int_equal(next, 5);
    assert_int_equal(cli_text_word("/usr/bin", &next), 1);
    assert_int_equal(cli_text_word("12:30", &next), 3);
    OC_AUTO_FREE char *unbroken = cli_unbroken("a b");
    assert_string_equal(unbroken, "a\u00a0b");
}

static void assert_size(uint64_t bytes, const char *want) {
    char text[24];
    cli_size(bytes, text);
    assert_string_equal(text, want);
}

static void test_size(void **state) {
    (void)state;
    assert_size(0, "0 bytes");
    assert_size(999, "999 bytes");
    assert_size(1000, "1 KB");
    assert_size(12345, "12 KB");
    assert_size(999499, "999 KB");
    assert_size(999500, "1.0 MB");
    assert_size(20000000, "20.0 MB");
}

static void test_shown_is_harmless(void **state) {
    (void)state;
    OC_AUTO_FREE char *a = cli_shown("x\x1b[31mred\nnext");
    assert_null(strchr(a, '\x1b'));
    assert_null(strchr(a, '\n'));
    OC_AUTO_FREE char *none = cli_shown(NULL);
    assert_string_equal(none, "");
    OC_AUTO_JSON cJSON *list = cJSON_Parse("[\"a\",3,\"b\\u001b\"]");
    OC_AUTO_FREE char *joined = cli_shown_list(list);
    assert_true(oc_starts_with(joined, "a, b"));
    assert_null(strchr(joined, '\x1b'));
    OC_AUTO_FREE char *empty = cli_shown_list(NULL);
    assert_string_equal(empty, "");
}

static void assert_age(int64_t seconds, const char *want) {
    char text[24];
    cli_age(1700000000000, 1700000000000 - seconds * 1000, text);
    assert_string_equal(text, want);
}

static void test_age(void **state) {
    (void)state;
    assert_age(-100, "just now");
    assert_age(59, "just now");
    assert_age(60, "1m ago");
    assert_age(3599, "59m ago");
    assert_age(3600, "1h ago");
    assert_age(47 * 3600, "47h ago");
    assert_age(48 * 3600, "2d ago");
    char never[24];
    cli_age(1700000000000, 0, never);
    assert_string_equal(never, "");
}

static void assert_span(int64_t ms, const char *want) {
    char text[24];
    cli_span(ms, text);
    assert_string_equal(text, want);
}

static void test_span(void **state) {
    (void)state;
    assert_span(-5, "0ms");
    assert_span(850, "850ms");
    assert_span(12900, "12s");
    assert_span(185000, "3m 5s");
    assert_span(7440000, "2h 4m");
    assert_span(442800000, "5d 3h");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_cut_and_words),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_shown_is_harmless),
        cmocka_unit_test(test_age),
        cmocka_unit_test(test_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
