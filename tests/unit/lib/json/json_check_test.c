#include "tests/unit/unit.h"

#include "lib/json/json_scan.h"

static const char *const good[] = { "null", "true", "false", "0", "-0", "12", "-1.5e+10", "1E5",
    "0.0", "\"\"", "\"a\"", "[]", "{}", " [ ] ", "\t{\r\n}\n", "[1,2,[3,{\"a\":null}]]",
    "{\"a\":1,\"b\":[]}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\"", "\"ü\u20ac\U0001f600\"",
    "\"\\ud83d\\ude00\"", "\"\\ud83d\"" /* a lone surrogate, escaped */, "\"\\u0000\"", "\"\x7f\"",
    "\"0123456789abcdef0123456789abcdef\"", "[\"12345678\",\"1234567\"]", "{\"\":0}", "1.0" };

static const char *const bad[] = { "", " ", "nul", "nulll", "tru e", "01", "-", "+1", ".5", "1.",
    "1e", "1e+", "0x1", "1 2", "[", "]", "[1", "[1,]", "[,1]", "{", "}", "{\"a\"}", "{\"a\":}",
    "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "[}", "{]", "\"", "\"\\\"", "\"\\x\"",
    "\"\\u12g4\"", "\"\\u123\"", "\"\t\"", "\"12345678\x01\"", "\"\n\"", "'a'", "// c\n1", "[1] x",
    "\xef\xbb\xbf[]", "\"\x80\"", "\"\xc3(\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"",
    "\"\xf4\x90\x80\x80\"", "\"\xc3", "\"\xff\"", "NaN", "undefined", "[1 2]", "{\"a\":1 \"b\":2}",
    "\xc3\xbc", "[\"a\",]", "1,2", ",", ":", "--1" };

static bool bytewise(const char *text, size_t len) {
    struct oc_json_check c;
    oc_json_check_init(&c, 64);
    for (size_t i = 0; i < len; i++) {
        if (!oc_json_check_feed(&c, text + i, 1)) {
            assert_false(oc_json_check_end(&c));
            assert_false(oc_json_check_feed(&c, " ", 1)); /* stays refused */
            return false;
        }
    }
    return oc_json_check_end(&c);
}

static void accepts_and_refuses(void **state) {
    (void)state;
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        assert_true(oc_json_valid(good[i], strlen(good[i]), 64));
        assert_true(bytewise(good[i], strlen(good[i])));
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_false(oc_json_valid(bad[i], strlen(bad[i]), 64));
        assert_false(bytewise(bad[i], strlen(bad[i])));
    }
    assert_false(oc_json_valid("1\0", 2, 64));
    assert_false(oc_json_valid("\"a\0b\"", 5, 64));
}

/* Cut in two at every place, the verdict is the same. */
static void split_anywhere(void **state) {
    (void)state;
    static const char text[] =
            "{\"k\\u00e9y\":[-12.50e-3,true,null,\"p\u00e4d \U0001f600 long plain tail of text\"]}";
    for (size_t cut = 0; cut < sizeof(text); cut++) {
        struct oc_json_check c;
        oc_json_check_init(&c, 8);
        assert_true(oc_json_check_feed(&c, text, cut));
        assert_true(oc_json_check_end(&c) == (cut == sizeof(text) - 1));
        assert_true(oc_json_check_feed(&c, text + cut, sizeof(text) - 1 - cut));
        assert_true(oc_json_check_end(&c));
    }
}

static void depth_is_bounded(void **state) {
    (void)state;
    char text[600];
    memset(text, '[', 300);
    memset(text + 300, ']', 300);
    assert_true(oc_json_valid(text + 300 - 64, 128, 64));
    assert_false(oc_json_valid(text + 300 - 65, 130, 64));
    assert_true(oc_json_valid(text + 300 - 256, 512, 1000)); /* 256 is the most there is */
    assert_false(oc_json_valid(text + 300 - 257, 514, 1000));
    for (size_t i = 0; i < 300; i += 2) { /* objects and arrays mixed, across words of the stack */
        text[i] = '[';
        text[i + 1] = '{';
    }
    assert_false(oc_json_valid(text, 300, 1000));
}

static void brackets_match_at_every_depth(void **state) {
    (void)state;
    char text[2000] = "";
    size_t n = 0;
    for (int i = 0; i < 200; i++) {
        bool is_object = (i * 7) % 3 == 0;
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", is_object ? "{\"a\":" : "[");
    }
    text[n++] = '1';
    for (int i = 199; i >= 0; i--) {
        text[n++] = (i * 7) % 3 == 0 ? '}' : ']';
    }
    assert_true(oc_json_valid(text, n, 256));
    for (size_t i = n - 200; i < n; i++) {
        text[i] = text[i] == '}' ? ']' : '}';
        assert_false(oc_json_valid(text, n, 256));
        text[i] = text[i] == '}' ? ']' : '}';
    }
}

/* Every byte value at every offset of the eight-byte fast path. */
static void fast_path_sees_every_byte(void **state) {
    (void)state;
    for (unsigned b = 0; b < 256; b++) {
        for (size_t at = 0; at < 24; at++) {
            char text[27];
            memset(text, 'x', sizeof(text));
            text[0] = text[25] = '"';
            text[1 + at] = (char)b;
            bool is_plain = b >= 0x20 && b < 0x80 && b != '"' && b != '\\';
            assert_true(oc_json_valid(text, 26, 4) == is_plain);
        }
    }
}

static void escaped_text(void **state) {
    (void)state;
    assert_true(oc_json_valid_escaped(SLICE("{\\\"a\\\":[1,\\\"x\\\\n\\\"]}"), 8, SIZE_MAX));
    assert_true(oc_json_valid_escaped(SLICE("  \\n\\t1 "), 8, SIZE_MAX));
    assert_true(oc_json_valid_escaped(SLICE("\\\"\\ud83d\\ude00 \u20ac\\\""), 8, SIZE_MAX));
    assert_false(oc_json_valid_escaped(SLICE("{\\\"a\\\":}"), 8, SIZE_MAX));
    assert_false(oc_json_valid_escaped(
            SLICE("\\\"\\n\\\""), 8, SIZE_MAX)); /* a real line break inside a string */
    assert_false(oc_json_valid_escaped(SLICE(""), 8, SIZE_MAX));
    assert_false(oc_json_valid_escaped(SLICE("[[[]]]"), 2, SIZE_MAX));
    assert_true(oc_json_valid_escaped(SLICE("[[[]]]"), 3, SIZE_MAX));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_and_refuses),
        cmocka_unit_test(split_anywhere),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(brackets_match_at_every_depth),
        cmocka_unit_test(fast_path_sees_every_byte),
        cmocka_unit_test(escaped_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
