#include "tests/unit/unit.h"

#include "lib/json/json.h"

struct thing {
    const char *name, *note;
    bool flag, has_count;
    int64_t count, any_int;
    const cJSON *any, *obj;
    struct oc_strv list;
};

#define T struct thing
static const struct oc_json_field fields[] = {
    OC_STR(T, name, "name", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, note, "note", OC_NULLABLE),
    OC_BOOL(T, flag, "flag", 0),
    { .key = "count",
            .type = OC_JT_INT,
            .offset = offsetof(T, count),
            .min = 0,
            .max = 10,
            .has_offset = offsetof(T, has_count) },
    OC_INT(T, any_int, "anyInt", 0, INT64_MIN, INT64_MAX),
    OC_ANY(T, any, "any", 0),
    OC_OBJ(T, obj, "obj", 0),
    OC_STRV(T, list, "list", OC_NONEMPTY, 2),
};
#undef T

static enum oc_code decode(
        const char *text, const char *where, cJSON **doc, struct thing *ret, struct oc_error *err) {
    assert_int_equal(oc_json_parse(text, strlen(text), doc, err), OC_OK);
    return oc_json_decode(*doc, where, fields, OC_COUNT(fields), ret, err);
}

static void fills_the_struct(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *doc = NULL;
    struct thing t = { .note = "default", .any_int = 42 };
    struct oc_error err;
    assert_int_equal(
            decode("{\"name\":\"n\",\"flag\":true,\"count\":3,\"any\":[1],\"obj\":{\"k\":1},"
                   "\"list\":[\"a\",\"b\"],\"extra\":{},\"note\":null}",
                    "", &doc, &t, &err),
            OC_OK);
    assert_string_equal(t.name, "n");
    assert_string_equal(t.note, "default");
    assert_true(t.flag && t.has_count && t.count == 3 && t.any_int == 42);
    assert_true(cJSON_IsArray(t.any) && cJSON_IsObject(t.obj));
    assert_int_equal(t.list.count, 2);
    oc_strv_finish(&t.list);
}

static void words_errors_like_the_reference(void **state) {
    (void)state;
    static const struct {
        const char *text, *where, *want;
    } cases[] = {
        { "[]", "", "must be object" },
        { "5", "/client", "at /client: must be object" },
        { "{}", "", "must have required property 'name'" },
        { "{}", "/client", "at /client: must have required property 'name'" },
        { "{\"name\":5}", "", "at /name: must be string" },
        { "{\"name\":null}", "/a/b", "at /a/b/name: must be string" },
        { "{\"name\":\"\"}", "", "at /name: must NOT have fewer than 1 characters" },
        { "{\"NAME\":\"x\"}", "", "must have required property 'name'" },
        { "{\"name\":\"x\",\"flag\":1}", "", "at /flag: must be boolean" },
        { "{\"name\":\"x\",\"count\":1.5}", "", "at /count: must be integer" },
        { "{\"name\":\"x\",\"count\":\"1\"}", "", "at /count: must be integer" },
        { "{\"name\":\"x\",\"count\":-1}", "", "at /count: must be >= 0" },
        { "{\"name\":\"x\",\"count\":11}", "", "at /count: must be <= 10" },
        { "{\"name\":\"x\",\"count\":1e300}", "", "at /count: must be <= 10" },
        { "{\"name\":\"x\",\"count\":-1e300}", "", "at /count: must be >= 0" },
        { "{\"name\":\"x\",\"anyInt\":1e300}", "", "at /anyInt: must be integer" },
        { "{\"name\":\"x\",\"obj\":[]}", "", "at /obj: must be object" },
        { "{\"name\":\"x\",\"list\":{}}", "", "at /list: must be array" },
        { "{\"name\":\"x\",\"list\":[\"a\",5]}", "", "at /list/1: must be string" },
        { "{\"name\":\"x\",\"list\":[\"\"]}", "",
                "at /list/0: must NOT have fewer than 1 characters" },
        { "{\"name\":\"x\",\"list\":[\"a\",\"b\",\"c\"]}", "/c",
                "at /c/list: must NOT have more than 2 items" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_JSON cJSON *doc = NULL;
        struct thing t = { 0 };
        struct oc_error err;
        assert_int_equal(decode(cases[i].text, cases[i].where, &doc, &t, &err), OC_E_INVALID);
        assert_string_equal(err.text, cases[i].want);
        oc_strv_finish(&t.list);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_the_struct),
        cmocka_unit_test(words_errors_like_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
