#include "tests/unit/unit.h"

#include "lib/json/json_scan.h"

static void root_and_body(void **state) {
    (void)state;
    static const struct {
        const char *text, *raw;
        enum oc_json_kind kind;
    } cases[] = { { " {\"a\":1} ", "{\"a\":1}", OC_JK_OBJECT },
        { "\n[1, 2]", "[1, 2]", OC_JK_ARRAY }, { "\"a\\\"b\" ", "\"a\\\"b\"", OC_JK_STRING },
        { " -1.5e3 ", "-1.5e3", OC_JK_NUMBER }, { "true", "true", OC_JK_TRUE },
        { "false ", "false", OC_JK_FALSE }, { "null\n", "null", OC_JK_NULL } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct oc_slice text = { cases[i].text, strlen(cases[i].text) };
        struct oc_json_value v = oc_json_root(text);
        assert_int_equal(v.kind, cases[i].kind);
        assert_true(oc_slice_eq(v.raw, cases[i].raw));
    }
    assert_true(oc_slice_eq(oc_json_body(oc_json_root(SLICE(" \"a\\nb\""))), "a\\nb"));
    assert_int_equal(oc_json_body(oc_json_root(SLICE("12"))).len, 0);
    assert_int_equal(oc_json_root((struct oc_slice){ 0 }).kind, OC_JK_NULL);
}

static void walks_members(void **state) {
    (void)state;
    static const char text[] =
            " { \"a\" : [ {\"x\":\"]}\"} , 2 ] ,\n\"b\\\"\":\"\\\\\",\"c\":{} , \"d\":-1}";
    static const char *const want[][2] = { { "a", "[ {\"x\":\"]}\"} , 2 ]" },
        { "b\\\"", "\"\\\\\"" }, { "c", "{}" }, { "d", "-1" } };
    assert_true(oc_json_valid(text, strlen(text), 8));
    struct oc_json_cursor c = { 0 };
    struct oc_json_member m;
    size_t n = 0;
    while (oc_json_next(SLICE(text), &c, &m)) {
        assert_true(n < OC_COUNT(want));
        assert_true(oc_slice_eq(m.key, want[n][0]));
        assert_true(oc_slice_eq(m.value.raw, want[n][1]));
        n++;
    }
    assert_int_equal(n, OC_COUNT(want));
    assert_false(oc_json_next(SLICE(text), &c, &m));
    c = (struct oc_json_cursor){ 0 };
    assert_false(oc_json_next(SLICE(" { } "), &c, &m));
}

static void finds_by_unescaped_key(void **state) {
    (void)state;
    static const char text[] =
            "{\"x\":{\"id\":1},\"\\u0069d\":2,\"id\":3,\"ID\":4,\"\":5,"
            "\"a-key-that-is-rather-long-and-\\u00fcber-escaped-so-that-it-takes-two-steps\":6}";
    struct oc_json_value v;
    assert_true(oc_json_find(SLICE(text), "id", &v) && oc_slice_eq(v.raw, "2"));
    assert_true(oc_json_find(SLICE(text), "ID", &v) && oc_slice_eq(v.raw, "4"));
    assert_true(oc_json_find(SLICE(text), "", &v) && oc_slice_eq(v.raw, "5"));
    assert_true(
            oc_json_find(SLICE(text),
                    "a-key-that-is-rather-long-and-über-escaped-so-that-it-takes-two-steps", &v) &&
            oc_slice_eq(v.raw, "6"));
    assert_false(oc_json_find(SLICE(text), "i", &v));
    assert_false(oc_json_find(SLICE(text), "idx", &v));
    assert_false(oc_json_find(SLICE("{}"), "id", &v));
}

static void picks_in_one_walk(void **state) {
    (void)state;
    struct oc_json_pick p[] = { { "b" }, { "a" }, { "missing" } };
    assert_null(oc_json_pick_all(SLICE("{\"a\":1,\"z\":0,\"b\":\"x\"}"), p, 3));
    assert_true(p[0].found && oc_slice_eq(p[0].value.raw, "\"x\""));
    assert_true(p[1].found && oc_slice_eq(p[1].value.raw, "1"));
    assert_false(p[2].found);
    struct oc_json_pick q[] = { { "a" }, { "b" } };
    assert_string_equal(
            oc_json_pick_all(SLICE("{\"a\":1,\"z\":0,\"z\":0,\"\\u0061\":2}"), q, 2), "a");
}

static void integers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t v;
    } good[] = { { "0", 0 }, { "-7", -7 }, { "3.0", 3 }, { "1e3", 1000 },
        { "9007199254740992", INT64_C(9007199254740992) } };
    static const char *const bad[] = { "1.5", "9007199254740994", "1e300", "true", "\"1\"",
        "0.00000000000000000000000000000000000000000000000000000000000000000001" };
    int64_t v;
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        struct oc_slice s = { good[i].text, strlen(good[i].text) };
        assert_true(oc_json_int(oc_json_root(s), INT64_MIN, INT64_MAX, &v) && v == good[i].v);
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        struct oc_slice s = { bad[i], strlen(bad[i]) };
        assert_false(oc_json_int(oc_json_root(s), INT64_MIN, INT64_MAX, &v));
    }
}

/* Text that was never validated must not make the walk leave its slice. */
static void nonsense_stays_inside(void **state) {
    (void)state;
    static const char *const texts[] = { "", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":\"",
        "{,", "{\"a\":[[[", "\"\\", "{\"\\\"", "{\"a\"\"b\"", "]", "{\"a\":]" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        size_t len = strlen(texts[i]);
        char *copy =
                oc_realloc(NULL, len ? len : 1); /* exact size: a sanitizer sees one byte too far */
        memcpy(copy, texts[i], len);
        struct oc_slice s = { copy, len };
        struct oc_json_cursor c = { 0 };
        struct oc_json_member m;
        for (int n = 0; n < 10 && oc_json_next(s, &c, &m); n++) {
            assert_true(m.value.raw.ptr + m.value.raw.len <= copy + len);
        }
        assert_true(oc_json_root(s).raw.len <= len);
        oc_free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_and_body),
        cmocka_unit_test(walks_members),
        cmocka_unit_test(finds_by_unescaped_key),
        cmocka_unit_test(picks_in_one_walk),
        cmocka_unit_test(integers),
        cmocka_unit_test(nonsense_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
