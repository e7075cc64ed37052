#include "tests/unit/unit.h"

#include "lib/json/json.h"

static void reads_what_people_write(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        { "\xef\xbb\xbf // a config\n{ a: 1, /* b */ 'b': \"x\", \"c\": [1, 2,], }\n",
                "{\"a\":1,\"b\":\"x\",\"c\":[1,2]}" },
        { "{$k_1: true, über: false, null: null}", "{\"$k_1\":true,\"über\":false,\"null\":null}" },
        { "[+1, -2, .5, 5., 0x1F, -0xff, 1e3, 0]", "[1,-2,0.5,5,31,-255,1000,0]" },
        { "'it\\'s \"fine\" \\x41\\u00e4\\ud83d\\ude00\\v\\/'",
                "\"it's \\\"fine\\\" Aä\U0001f600\\u000b/\"" },
        { "\"one \\\ntwo\\\r\nthree\"", "\"one twothree\"" },
        { "{}", "{}" },
        { "[]", "[]" },
        { "{a:{b:[{c:{}}]}}", "{\"a\":{\"b\":[{\"c\":{}}]}}" },
        { "/**/null//", "null" },
        { "{\u00a0a\u2028:\u20291}", "{\"a\":1}" },
        { "{\"http://x\":\"// no comment\"}", "{\"http://x\":\"// no comment\"}" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_JSON cJSON *v = NULL;
        struct oc_error err = { 0 };
        if (oc_json5_parse(cases[i][0], strlen(cases[i][0]), &v, &err) != OC_OK) {
            fail_msg("case %zu: %s", i, err.text);
        }
        OC_AUTO_FREE char *text = oc_json_print(v, false);
        assert_string_equal(text, cases[i][1]);
    }
}

static void says_where_it_hurts(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        { "", "line 1, column 1: the text ends where a value should be" },
        { "{\n  a: 1\n  b: 2\n}", "line 3, column 3: expected ',' or '}'" },
        { "[1 2]", "line 1, column 4: expected ',' or ']'" },
        { "{a: hello}", "line 1, column 5: expected a value (text needs quotes)" },
        { "{a 1}", "line 1, column 4: expected ':' after the key" },
        { "{a:1,\n a:2}", "line 2, column 2: this key is already in the object" },
        { "{,}", "line 1, column 2: expected a key" },
        { "{1a:1}", "line 1, column 2: expected a key" },
        { "[,]", "line 1, column 2: expected a value" },
        { "[1,,2]", "line 1, column 4: expected a value" },
        { "{a:1} x", "line 1, column 7: more text behind the end of the value" },
        { "'abc", "line 1, column 1: this string is never closed" },
        { "['ü', 'abc\n']", "line 1, column 7: this string is not closed on its line" },
        { "[1] /* x", "line 1, column 5: this comment never ends" },
        { "[01]", "line 1, column 2: a number cannot start with 0" },
        { "[1e]", "line 1, column 2: this number has no exponent behind its e" },
        { "[1e999]", "line 1, column 2: this number is too large" },
        { "[0x]", "line 1, column 2: not a hexadecimal number that can be kept exactly" },
        { "[1x]", "line 1, column 2: expected a value" },
        { "[-]", "line 1, column 3: expected a value" },
        { "[Infinity]", "line 1, column 2: Infinity and NaN cannot be kept in JSON" },
        { "['\\u12']", "line 1, column 7: expected a hexadecimal digit" },
        { "['\\u0000']", "line 1, column 5: a string cannot hold a NUL character" },
        { "['\\ud83d']", "line 1, column 5: half of a surrogate pair" },
        { "['\\0']", "line 1, column 4: digits cannot be escaped" },
        { "'a\\", "line 1, column 4: the text ends inside a string" },
        { "[\"ok\", \"\xff\"]", "line 1, column 9: this is not UTF-8" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        cJSON *v = NULL;
        struct oc_error err = { 0 };
        assert_int_equal(oc_json5_parse(cases[i][0], strlen(cases[i][0]), &v, &err), OC_E_INVALID);
        assert_null(v);
        assert_string_equal(err.text, cases[i][1]);
    }
    cJSON *v = NULL;
    assert_int_equal(oc_json5_parse("'a\0b'", 5, &v, NULL), OC_E_INVALID);
}

static void depth_is_bounded(void **state) {
    (void)state;
    char text[400];
    memset(text, '[', 200);
    memset(text + 200, ']', 200);
    cJSON *v = NULL;
    struct oc_error err;
    assert_int_equal(oc_json5_parse(text, 400, &v, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "too many levels"));
    assert_int_equal(
            oc_json5_parse(text + 200 - OC_JSON_MAX_DEPTH, 2ul * OC_JSON_MAX_DEPTH, &v, &err),
            OC_OK);
    cJSON_Delete(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_people_write),
        cmocka_unit_test(says_where_it_hurts),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
