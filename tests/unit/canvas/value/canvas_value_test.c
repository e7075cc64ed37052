#include "tests/unit/unit.h"

#include "canvas/value/value.h"

#include <locale.h>
#include <math.h>

static struct cv_value *parse(const char *text) {
    struct cv_value *v = NULL;
    struct oc_error err = { 0 };
    if (cv_value_parse(text, strlen(text), &v, &err) != OC_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    return v;
}

static void prints_as(const struct cv_value *v, const char *want) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 20);
    assert_int_equal(cv_value_print(&out, v), OC_OK);
    assert_string_equal(out.data, want);
}

static void round_trip(const char *text, const char *want) {
    OC_AUTO(cv_value) struct cv_value *v = parse(text);
    prints_as(v, want);
}

static void refused(const char *text, size_t len, enum oc_code code, const char *why) {
    struct cv_value *v = NULL;
    struct oc_error err = { 0 };
    assert_int_equal(cv_value_parse(text, len, &v, &err), code);
    assert_null(v);
    if (!strstr(err.text, why)) {
        fail_msg("'%s' does not say '%s'", err.text, why);
    }
}
#define REFUSED(text, why) refused(text, sizeof(text) - 1, OC_E_INVALID, why)

static void reads_and_prints(void **state) {
    (void)state;
    round_trip(" { \"b\" : [ 1 , true , null , \"x\" ] , \"a\" : { } }\r\n",
            "{\"b\":[1,true,null,\"x\"],\"a\":{}}");
    round_trip("[]", "[]");
    round_trip("\"\\u00e9\\n\\/\\ud83d\\ude00\"", "\"\xc3\xa9\\n/\xf0\x9f\x98\x80\"");
    round_trip("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}");
    round_trip("{\"\\u0061\\t\":{\"b\\n\":\"c\\r\"}}", "{\"a\\t\":{\"b\\n\":\"c\\r\"}}");
}

static void tolerates_what_agents_send(void **state) {
    (void)state;
    round_trip("\"a\\u0000b\"", "\"a\\u0000b\"");
    struct cv_value *raw = NULL;
    assert_int_equal(cv_value_parse("\"a\0b\"", 5, &raw, NULL), OC_OK);
    assert_int_equal(cv_value_string(raw).len, 3);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(100);
    assert_int_equal(cv_value_to_text(&text, raw), OC_OK);
    assert_string_equal(text.data, "a\xef\xbf\xbd"
                                   "b");
    cv_value_destroy(raw);
    round_trip("\"\\ud83d x \\ude00\"", "\"\xef\xbf\xbd x \xef\xbf\xbd\"");
    round_trip("\"\xff\xc3(\"", "\"\xef\xbf\xbd\xef\xbf\xbd(\"");
}

static void refuses_what_is_not_json(void **state) {
    (void)state;
    REFUSED("", "unexpected end");
    REFUSED("{", "unexpected end");
    REFUSED("[1,]", "unexpected ']' at position 3");
    REFUSED("{\"a\"}", "unexpected '}'");
    REFUSED("{a:1}", "unexpected 'a'");
    REFUSED("[1 2]", "unexpected '2'");
    REFUSED("01", "unexpected '1'");
    REFUSED("-", "unexpected end");
    REFUSED("1.", "unexpected end");
    REFUSED("1e", "unexpected end");
    REFUSED("tru", "unexpected 't'");
    REFUSED("\"a\nb\"", "unexpected byte 0x0a");
    REFUSED("\"\\x\"", "unexpected 'x'");
    REFUSED("\"\\u12\"", "unexpected 'u'");
    REFUSED("\"\\", "unexpected end");
    REFUSED("{} {}", "unexpected '{' at position 3");
}

static void is_bounded(void **state) {
    (void)state;
    char deep[2 * CV_VALUE_MAX_DEPTH + 4];
    memset(deep, '[', CV_VALUE_MAX_DEPTH);
    memset(deep + CV_VALUE_MAX_DEPTH, ']', CV_VALUE_MAX_DEPTH);
    struct cv_value *v = NULL;
    assert_int_equal(cv_value_parse(deep, (size_t)2 * CV_VALUE_MAX_DEPTH, &v, NULL), OC_OK);
    assert_int_equal(cv_value_measure(v).depth, CV_VALUE_MAX_DEPTH - 1);
    cv_value_destroy(v);
    memset(deep, '[', sizeof(deep));
    refused(deep, sizeof(deep), OC_E_TOO_LARGE, "nested too deep");

    size_t budget = 3;
    struct oc_error err;
    assert_int_equal(cv_value_parse_within("[1,2,3]", 7, &budget, &v, &err), OC_E_TOO_LARGE);
    assert_non_null(strstr(err.text, "too many values"));
}

static void deep_values_die(void **state) {
    (void)state;
    struct cv_value *v = cv_value_create(CV_V_NULL);
    for (unsigned i = 0; i < 300000; i++) {
        struct cv_value *outer = cv_value_create(i % 2 ? CV_V_ARRAY : CV_V_MAP);
        if (i % 2) {
            cv_value_append(outer, v);
        } else {
            cv_value_set(outer, SLICE("k"), v);
        }
        v = outer;
    }
    cv_value_destroy(v);
}

static void numbers(void **state) {
    (void)state;
    static const struct {
        const char *json, *text;
    } rows[] = { { "3", "3" }, { "4.5", "4.5" }, { "-0", "0" }, { "1e21", "1e+21" },
        { "123456789012345680000", "123456789012345680000" }, { "0.1", "0.1" },
        { "0.30000000000000004", "0.30000000000000004" }, { "1e-7", "1e-7" },
        { "0.000001", "0.000001" }, { "-1.5e-9", "-1.5e-9" }, { "5e-324", "5e-324" },
        { "5.684341886080802e-14", "5.684341886080802e-14" }, { "1e300", "1e+300" },
        { "9007199254740993", "9007199254740992" }, { "1.10", "1.1" }, { "100", "100" },
        { "1e999", "1.7976931348623157e+308" }, { "123.456", "123.456" }, { "2.5e3", "2500" },
        { "1234567890123456789", "1234567890123456800" } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO(cv_value) struct cv_value *v = parse(rows[i].json);
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100);
        assert_int_equal(cv_value_to_text(&out, v), OC_OK);
        assert_string_equal(out.data, rows[i].text);
    }
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100);
    cv_number_to_text(&out, (double)NAN);
    assert_string_equal(out.data, "NaN");
}

static void big_maps_are_indexed(void **state) {
    (void)state;
    OC_AUTO(cv_value) struct cv_value *map = cv_value_create(CV_V_MAP);
    char key[20];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            int n = snprintf(key, sizeof(key), "key %d", i);
            cv_value_set(
                    map, (struct oc_slice){ key, (size_t)n }, cv_value_create_number(i + round));
        }
    }
    assert_int_equal(cv_value_count(map), 5000);
    assert_true(cv_value_number(cv_value_get(map, "key 0")) == 1);
    assert_true(cv_value_number(cv_value_get(map, "key 4999")) == 5000);
    assert_null(cv_value_get(map, "key 5000"));
    assert_true(oc_slice_eq(cv_value_key(map, 17), "key 17"));
    OC_AUTO(cv_value) struct cv_value *copy = cv_value_copy(map);
    assert_true(cv_value_equal(map, copy));
    cv_value_set(copy, SLICE("key 3"), cv_value_create(CV_V_NULL));
    assert_false(cv_value_equal(map, copy));
    struct cv_value_size size = cv_value_measure(map);
    assert_int_equal(size.values, 5001);
    assert_int_equal(size.depth, 1);
}

static void arrays_and_owners(void **state) {
    (void)state;
    OC_AUTO(cv_value) struct cv_value *a = parse("[1,[2],{\"k\":3}]");
    cv_value_put_at(a, 0, cv_value_create_string("x", 1));
    cv_value_put_at(a, 3, cv_value_create_bool(true));
    assert_non_null(cv_value_mutable(a, SLICE("1")));
    assert_null(cv_value_mutable(a, SLICE("4")));
    assert_null(cv_value_mutable(a, SLICE("x")));
    prints_as(a, "[\"x\",[2],{\"k\":3},true]");
    OC_AUTO(cv_value) struct cv_value *shared = cv_value_ref(a);
    assert_ptr_equal(shared, a);
    assert_null(cv_value_ref(NULL));
}

static void nothing_answers_like_null(void **state) {
    (void)state;
    assert_int_equal(cv_value_type_of(NULL), CV_V_NULL);
    assert_int_equal(cv_value_count(NULL), 0);
    assert_null(cv_value_at(NULL, 0));
    assert_null(cv_value_get(NULL, "x"));
    assert_int_equal(cv_value_string(NULL).len, 0);
    assert_false(cv_value_is(NULL, ""));
    assert_true(cv_value_equal(NULL, NULL));
    cv_value_destroy(NULL);
    prints_as(NULL, "null");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_prints),
        cmocka_unit_test(tolerates_what_agents_send),
        cmocka_unit_test(refuses_what_is_not_json),
        cmocka_unit_test(is_bounded),
        cmocka_unit_test(deep_values_die),
        cmocka_unit_test(numbers),
        cmocka_unit_test(big_maps_are_indexed),
        cmocka_unit_test(arrays_and_owners),
        cmocka_unit_test(nothing_answers_like_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
