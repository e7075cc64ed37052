#include "tests/unit/unit.h"

#include "lib/json/json.h"

#include <math.h>

static void compact_is_stable(void **state) {
    (void)state;
    static const char *const texts[] = { "null", "true", "false", "0", "-1", "1794787289382",
        "9007199254740991", "0.1", "0.30000000000000004", "1.7976931348623157e+308", "\"\"",
        "\"a\\\"\\\\\\n\\u0001ü\"", "[]", "{}", "[1,[2,{\"a\":[]}],\"x\"]",
        "{\"a\":{},\"b\":[],\"\":1}" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        OC_AUTO_JSON cJSON *v = NULL;
        assert_int_equal(oc_json_parse(texts[i], strlen(texts[i]), &v, NULL), OC_OK);
        OC_AUTO_FREE char *text = oc_json_print(v, false);
        assert_string_equal(text, texts[i]);
    }
}

static void pretty_is_like_javascript(void **state) {
    (void)state;
    static const char in[] = "{\"a\":1,\"b\":[],\"c\":{},\"d\":[1,{\"e\":null}]}";
    OC_AUTO_JSON cJSON *v = NULL;
    assert_int_equal(oc_json_parse(in, strlen(in), &v, NULL), OC_OK);
    OC_AUTO_FREE char *text = oc_json_print(v, true);
    assert_string_equal(text,
            "{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": {},\n  \"d\": [\n    1,\n    {\n"
            "      \"e\": null\n    }\n  ]\n}");
}

static void no_infinity_on_the_wire(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v = cJSON_CreateNumber(INFINITY), *nan = cJSON_CreateNumber(NAN);
    OC_AUTO_FREE char *a = oc_json_print(v, false);
    OC_AUTO_FREE char *b = oc_json_print(nan, false);
    assert_string_equal(a, "null");
    assert_string_equal(b, "null");
}

static void respects_the_ceiling(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v = cJSON_CreateString("0123456789");
    OC_AUTO_BUF struct oc_buf small = OC_BUF_INIT(11), fits = OC_BUF_INIT(12);
    assert_int_equal(oc_json_append(&small, v, false), OC_E_TOO_LARGE);
    assert_int_equal(oc_json_append(&fits, v, false), OC_OK);
}

static void long_strings(void **state) {
    (void)state;
    char text[5000];
    memset(text, '"', sizeof(text));
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(20000);
    assert_int_equal(oc_json_append_string(&out, text, sizeof(text)), OC_OK);
    assert_int_equal(out.len, 2 + 2 * sizeof(text));
}

/* Whatever bytes a tree holds, its text can be read. */
static void broken_text_is_repaired(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v = cJSON_CreateObject(), *back = NULL;
    oc_json_set_str(v, "a\xff", "ok \xe2\x82 \xc3\xa4");
    OC_AUTO_FREE char *text = oc_json_print(v, false);
    assert_string_equal(text, "{\"a\xef\xbf\xbd\":\"ok \xef\xbf\xbd \xc3\xa4\"}");
    assert_int_equal(oc_json_parse(text, strlen(text), &back, NULL), OC_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_is_stable),
        cmocka_unit_test(pretty_is_like_javascript),
        cmocka_unit_test(no_infinity_on_the_wire),
        cmocka_unit_test(respects_the_ceiling),
        cmocka_unit_test(long_strings),
        cmocka_unit_test(broken_text_is_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
