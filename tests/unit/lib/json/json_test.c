#include "tests/unit/unit.h"

#include "lib/json/json.h"
#include "lib/json/json_scan.h"
#include "tests/any_int.h"

#include <math.h>

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &v, &err), OC_OK);
    return v;
}

static void expect_refused(const char *text, const char *why) {
    cJSON *v = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &v, &err), OC_E_INVALID);
    assert_null(v);
    assert_non_null(strstr(err.text, why));
}

static void refuses_what_cjson_takes(void **state) {
    (void)state;
    expect_refused("", "not valid JSON");
    expect_refused("{} x", "not valid JSON");
    expect_refused("\"a\tb\"", "not valid JSON");
    expect_refused("\"\xff\"", "not valid JSON");
    expect_refused("[01]", "not valid JSON");
    expect_refused("[1,]", "not valid JSON");
    expect_refused("[\"a\\u0000b\"]", "\\u0000");
    expect_refused("{\"a\":1,\"b\":{\"x\":1,\"\\u0078\":2}}", "duplicate key 'x'");
    expect_refused("{\"k\\u001b\":1,\"k\\u001b\":2}", "duplicate key 'k\\x1b'");
    OC_AUTO_JSON cJSON *v =
            parse("{\"a\":1,\"A\":2,\"b\":[{\"a\":1},{\"a\":1}],\"s\":\"\\\\u0000\"}");
    assert_string_equal(oc_json_get_str(v, "s"), "\\u0000");
}

static void depth(void **state) {
    (void)state;
    char text[200];
    memset(text, '[', 100);
    memset(text + 100, ']', 100);
    cJSON *v = NULL;
    struct oc_error err;
    assert_int_equal(
            oc_json_parse(text + 100 - OC_JSON_MAX_DEPTH, 2ul * OC_JSON_MAX_DEPTH, &v, NULL),
            OC_OK);
    cJSON_Delete(v);
    v = NULL;
    assert_int_equal(
            oc_json_parse(text + 99 - OC_JSON_MAX_DEPTH, 2ul * OC_JSON_MAX_DEPTH + 2, &v, &err),
            OC_E_INVALID);
    assert_string_equal(err.text, "nested deeper than 64 levels");
}

static void number_of_values_is_bounded(void **state) {
    (void)state;
    size_t n = OC_JSON_MAX_VALUES + 10;
    OC_AUTO_FREE char *text = oc_realloc(NULL, 2 * n + 2);
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = i ? ',' : '[';
        text[2 * i + 1] = '1';
    }
    text[2 * n] = ']';
    cJSON *v = NULL;
    assert_int_equal(oc_json_parse(text, 2 * n + 1, &v, NULL), OC_E_TOO_LARGE);
    memset(text + 1, ',', 2 * n - 1);
    text[0] = text[2 * n] = '"'; /* the same inside a string is one value */
    assert_int_equal(oc_json_parse(text, 2 * n + 1, &v, NULL), OC_OK);
    cJSON_Delete(v);
}

static void lone_surrogates_are_mended(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v =
            parse("{\"a\":\"x\\ud83d\",\"b\":\"\\ude00\\ud83d\\ude00\",\"c\\udfff\":1}");
    assert_string_equal(oc_json_get_str(v, "a"), "x\uFFFD");
    assert_string_equal(oc_json_get_str(v, "b"), "\uFFFD\U0001f600");
    assert_int_equal(any_int(v, "c\uFFFD", 0), 1);
    expect_refused("{\"\\ud83d\":1,\"\\ud83e\":2}", "duplicate key");
}

static void many_keys_are_quick_to_check(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(4 << 20);
    for (int i = 0; i < 100000; i++) {
        oc_buf_printf(&text, "%s\"k%d\":1", i ? "," : "{", i);
    }
    oc_buf_puts(&text, "}");
    OC_AUTO_JSON cJSON *v = NULL;
    assert_int_equal(oc_json_parse(text.data, text.len, &v, NULL), OC_OK);
}

static void look_ups(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v =
            parse("{\"s\":\"x\",\"n\":null,\"b\":true,\"i\":-5,\"f\":1.5,\"big\":1e300,"
                  "\"o\":{\"p\":{\"q\":7}},\"v\":[\"a\",1,\"b\"]}");
    assert_null(oc_json_get(v, "S"));
    assert_null(oc_json_get(v, "n"));
    assert_null(oc_json_get(NULL, "s"));
    assert_null(oc_json_get_str(v, "i"));
    assert_string_equal(oc_json_get_str(v, "s"), "x");
    assert_true(oc_json_get_bool(v, "b", false));
    assert_true(oc_json_get_bool(v, "s", true));
    assert_int_equal(any_int(v, "i", 1), -5);
    assert_int_equal(any_int(v, "f", 1), 1);
    assert_int_equal(any_int(v, "big", 1), 1);
    assert_int_equal(any_int(oc_json_path(v, "o.p"), "q", 0), 7);
    assert_null(oc_json_path(v, "o.x.q"));
    assert_null(oc_json_path(v, "s.x"));
    OC_AUTO_STRV struct oc_strv strings = { 0 };
    oc_json_get_strv(v, "v", &strings);
    oc_json_get_strv(v, "s", &strings);
    assert_int_equal(strings.count, 2);
    assert_string_equal(strings.items[1], "b");
}

/* Whatever a peer writes, what is read lies in the range or is the default. */
static void numbers_of_a_peer_stay_in_their_range(void **state) {
    (void)state;
    static const char *const numbers[] = { "0", "-0", "1", "7", "8", "-1", "6.5", "7.0000001",
        "1e308", "-1e308", "1e999", "-1e999", "9007199254740993", "-9007199254740993",
        "9223372036854775808", "18446744073709551615", "2147483648", "4294967296", "1e-320",
        "\"5\"", "true", "null", "[]", "{}" };
    for (size_t i = 0; i < OC_COUNT(numbers); i++) {
        OC_AUTO_FREE char *text = oc_strfmt("{\"n\":%s}", numbers[i]);
        OC_AUTO_JSON cJSON *o = NULL;
        if (oc_json_parse(text, strlen(text), &o, NULL) != OC_OK) {
            continue; /* refused before anybody looks at it */
        }
        int64_t exact = oc_json_get_int(o, "n", 0, 7, -2);
        assert_true(exact == -2 || (exact >= 0 && exact <= 7));
        int64_t near = oc_json_clamp_int(o, "n", 0, 7, -2);
        assert_true(near == -2 || (near >= 0 && near <= 7));
        int64_t ms = oc_json_get_ms(o, "n", -2);
        assert_true(ms == -2 || (ms >= 0 && ms <= OC_JSON_MAX_MS));
        double num = oc_json_get_num(o, "n", 0, 7, -2);
        assert_true(num == -2 || (num >= 0 && num <= 7));
        int64_t scanned = -2;
        struct oc_json_value v;
        assert_true(oc_json_find((struct oc_slice){ text, strlen(text) }, "n", &v));
        assert_true(!oc_json_int(v, 0, 7, &scanned) || (scanned >= 0 && scanned <= 7));
    }
    OC_AUTO_JSON cJSON *o = parse("{\"low\":-1e308,\"high\":1e308,\"part\":6.5,\"text\":\"6\"}");
    assert_int_equal(oc_json_clamp_int(o, "low", 0, 7, 3), 0);
    assert_int_equal(oc_json_clamp_int(o, "high", 0, 7, 3), 7);
    assert_true(oc_json_clamp_num(o, "low", 0, 7.5, 3) == 0);
    assert_true(oc_json_clamp_num(o, "high", 0, 7.5, 3) == 7.5);
    assert_true(oc_json_clamp_num(o, "none", 0, 7.5, 3) == 3);
    assert_int_equal(oc_json_clamp_int(o, "part", 0, 7, 3), 6);
    assert_int_equal(oc_json_clamp_int(o, "text", 0, 7, 3), 3);
    assert_true(oc_json_clamp_int(o, "high", INT64_MIN, INT64_MAX, 0) == INT64_MAX);
    assert_true(oc_json_clamp_int(o, "low", INT64_MIN, INT64_MAX, 0) == INT64_MIN);
    oc_json_set(o, "nan", cJSON_CreateNumber(NAN));
    oc_json_set(o, "endless", cJSON_CreateNumber(INFINITY));
    assert_int_equal(oc_json_get_int(o, "nan", INT64_MIN, INT64_MAX, 3), 3);
    assert_int_equal(oc_json_clamp_int(o, "nan", 0, 7, 3), 3);
    assert_true(oc_json_get_num(o, "nan", -INFINITY, INFINITY, 3) == 3);
    assert_int_equal(oc_json_get_int(o, "endless", INT64_MIN, INT64_MAX, 3), 3);
    assert_true(oc_json_get_num(o, "endless", 0, 7, 3) == 3);
}

static void building(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    OC_AUTO_STRV struct oc_strv v = { 0 };
    oc_strv_add(&v, "a");
    oc_json_set_str(o, "absent", NULL);
    oc_json_set_str_or_null(o, "null", NULL);
    oc_json_set_str(o, "s", "old");
    oc_json_set_int(o, "i", 5);
    oc_json_set_str(o, "s", "new");
    oc_json_set_int(o, "max", INT64_MAX);
    oc_json_set_int(o, "min", INT64_MIN);
    oc_json_set_bool(o, "b", false);
    oc_json_set_strv(o, "v", &v);
    oc_json_set(o, "nothing", NULL);
    OC_AUTO_FREE char *text = oc_json_print(o, false);
    assert_string_equal(text, "{\"null\":null,\"s\":\"new\",\"i\":5,\"max\":9223372036854775807,"
                              "\"min\":-9223372036854775808,\"b\":false,\"v\":[\"a\"]}");
    assert_true(any_int(o, "max", 0) == INT64_MAX);
    assert_true(any_int(o, "min", 0) == INT64_MIN);
}

static void test_values_of_a_peer(void **state) {
    (void)state;
    cJSON *v = NULL;
    struct oc_error err;
    static const char text[] = "{\"a\":[1,2,3]}";
    assert_int_equal(oc_json_parse_within(text, strlen(text), 3, &v, &err), OC_E_TOO_LARGE);
    assert_null(v);
    assert_int_equal(oc_json_parse_within(text, strlen(text), 8, &v, &err), OC_OK);
    const cJSON *member;
    int members = 0;
    oc_json_for_each_member(member, v) {
        assert_string_equal(member->string, "a");
        members++;
    }
    oc_json_for_each_member(member, oc_json_get(v, "a")) {
        members += 10; /* a list has no members */
    }
    oc_json_for_each_member(member, oc_json_get(v, "nothing")) {
        members += 10;
    }
    assert_int_equal(members, 1);
    cJSON_Delete(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_a_peer),
        cmocka_unit_test(refuses_what_cjson_takes),
        cmocka_unit_test(depth),
        cmocka_unit_test(number_of_values_is_bounded),
        cmocka_unit_test(lone_surrogates_are_mended),
        cmocka_unit_test(many_keys_are_quick_to_check),
        cmocka_unit_test(look_ups),
        cmocka_unit_test(numbers_of_a_peer_stay_in_their_range),
        cmocka_unit_test(building),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
