/* One value changes, everything else stays byte for byte. */
#include "tests/unit/unit.h"

#include "lib/config/config_edit.h"
#include "lib/config/config_path.h"

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    struct oc_error err;
    if (oc_json5_parse(text, strlen(text), &v, &err) != OC_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    return v;
}

struct row {
    const char *before, *path, *value, *after; /* value NULL: unset */
};

static void run(const struct row *r) {
    struct oc_error err = { 0 };
    OC_AUTO_STRV struct oc_strv path = { 0 };
    assert_int_equal(oc_config_path_parse(r->path, &path, &err), OC_OK);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&text, r->before);
    OC_AUTO_JSON cJSON *value = r->value ? parse(r->value) : NULL;
    enum oc_code rc = value ? oc_config_edit_set(&text, NULL, &path, value, &err)
                            : oc_config_edit_unset(&text, NULL, &path, &err);
    if (rc != OC_OK) {
        fail_msg("%s in %s: %s", r->path, r->before, err.text);
    }
    assert_string_equal(text.data, r->after);
}

static void replaces(void **state) {
    (void)state;
    static const struct row rows[] = {
        { "{gateway:{port:1}}", "gateway.port", "2", "{gateway:{port:2}}" },
        { "// mine\n{\n  gateway: {\n    port: 1, // why\n  }, /* end */\n}\n", "gateway.port",
                "18790", "// mine\n{\n  gateway: {\n    port: 18790, // why\n  }, /* end */\n}\n" },
        { "{ 'a b': { \"c\": 'x' } }", "[\"a b\"].c", "'y'", "{ 'a b': { \"c\": \"y\" } }" },
        { "{a:[1,2,3]}", "a[1]", "{b:1}", "{a:[1,{\"b\":1},3]}" },
        { "{a:'}',b:\"//\",c:1}", "c", "[]", "{a:'}',b:\"//\",c:[]}" },
        { "{a:0x1F/*{*/,b:+.5}", "b", "true", "{a:0x1F/*{*/,b:true}" },
        { "{\n  a: {\n    b: 1,\n  },\n}", "a", "{x:[1]}",
                "{\n  a: {\n    \"x\": [\n      1\n    ]\n  },\n}" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        run(&rows[i]);
    }
}

static void inserts(void **state) {
    (void)state;
    static const struct row rows[] = {
        { "", "gateway.port", "1", "{\n  \"gateway\": {\n    \"port\": 1\n  }\n}\n" },
        { "{}", "a", "1", "{\n  \"a\": 1\n}" },
        { "{ a: 1 }", "b", "2", "{ a: 1, b: 2 }" },
        { "{a:1,}", "b", "2", "{a:1, b: 2,}" },
        { "{ \"a\": {} }", "a.b.c", "true", "{ \"a\": { \"b\": {\"c\":true} } }" },
        { "{\n  a: 1 // last\n}\n", "b", "'x'", "{\n  a: 1, // last\n  b: \"x\"\n}\n" },
        { "{\n  a: 1, // last\n  // tail\n}\n", "b", "'x'",
                "{\n  a: 1, // last\n  // tail\n  b: \"x\",\n}\n" },
        { "{\n\t\"a\": {\n\t\t\"x\": 1\n\t}\n}", "a.y-z", "2",
                "{\n\t\"a\": {\n\t\t\"x\": 1,\n\t\t\"y-z\": 2\n\t}\n}" },
        { "{a:[1]}", "a[1]", "2", "{a:[1, 2]}" },
        { "{ /* nothing yet */ }", "a", "1", "{ /* nothing yet */ \"a\": 1 }" },
        { "{ // nothing yet\n}", "a", "1", "{ // nothing yet\n  \"a\": 1\n}" },
        { "{a:1}", "b-c", "2", "{a:1, \"b-c\": 2}" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        run(&rows[i]);
    }
}

static void removes(void **state) {
    (void)state;
    static const struct row rows[] = {
        { "{a:1,b:2}", "a", NULL, "{b:2}" },
        { "{a:1,b:2}", "b", NULL, "{a:1}" },
        { "{a:1,b:2,}", "b", NULL, "{a:1,}" },
        { "{a:1}", "a", NULL, "{}" },
        { "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "b", NULL, "{\n  \"a\": 1\n}\n" },
        { "{\n  a: 1,\n  b: {\n    c: 1,\n  },\n  // keep\n}\n", "b", NULL,
                "{\n  a: 1,\n  // keep\n}\n" },
        { "{\n  a: 1, // why a\n  b: 2\n}\n", "a", NULL, "{\n  // why a\n  b: 2\n}\n" },
        { "{a:1/* one */,b:2}", "a", NULL, "{/* one */b:2}" },
        { "{a:[1,2,3]}", "a[2]", NULL, "{a:[1,2]}" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        run(&rows[i]);
    }
}

static void refuses(void **state) {
    (void)state;
    static const struct {
        const char *before, *path, *value, *says;
        enum oc_code code;
    } rows[] = {
        { "{a:1}", "a.b", "1", "a is neither", OC_E_INVALID },
        { "{a:[1]}", "a[5]", "1", "the next item is [1]", OC_E_INVALID },
        { "{a:1}", "b", NULL, "b is not set", OC_E_NOT_FOUND },
        { "{a:", "a", "1", "line 1", OC_E_INVALID },
        { "[]", "a", "1", "one object", OC_E_INVALID },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct oc_error err = { 0 };
        OC_AUTO_STRV struct oc_strv path = { 0 };
        assert_int_equal(oc_config_path_parse(rows[i].path, &path, &err), OC_OK);
        OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
        oc_buf_puts(&text, rows[i].before);
        OC_AUTO_JSON cJSON *value = rows[i].value ? parse(rows[i].value) : NULL;
        enum oc_code rc = value ? oc_config_edit_set(&text, NULL, &path, value, &err)
                                : oc_config_edit_unset(&text, NULL, &path, &err);
        assert_int_equal(rc, rows[i].code);
        assert_non_null(strstr(err.text, rows[i].says));
        assert_string_equal(text.data, rows[i].before);
    }
    static const char *const bad_paths[] = { "", "a..b", "a.", "a[1", "a.__proto__.b", "$include" };
    for (size_t i = 0; i < OC_COUNT(bad_paths); i++) {
        OC_AUTO_STRV struct oc_strv path = { 0 };
        assert_int_equal(oc_config_path_parse(bad_paths[i], &path, NULL), OC_E_INVALID);
    }
}

static void leaves_included_values_alone(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *resolved = parse("{gateway:{port:5,bind:'lan'}}");
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&text, "{gateway:{$include:'gw.json5',bind:'lan'}}");
    OC_AUTO_JSON cJSON *six = parse("6"), *auto_text = parse("'auto'");
    struct oc_error err = { 0 };
    OC_AUTO_STRV struct oc_strv port = { 0 }, bind = { 0 };
    assert_int_equal(oc_config_path_parse("gateway.port", &port, &err), OC_OK);
    assert_int_equal(oc_config_path_parse("gateway.bind", &bind, &err), OC_OK);
    assert_int_equal(oc_config_edit_set(&text, resolved, &port, six, &err), OC_E_DENIED);
    assert_non_null(strstr(err.text, "gw.json5"));
    assert_int_equal(oc_config_edit_unset(&text, resolved, &port, &err), OC_E_DENIED);
    assert_int_equal(oc_config_edit_set(&text, resolved, &bind, auto_text, &err), OC_OK);
    assert_string_equal(text.data, "{gateway:{$include:'gw.json5',bind:\"auto\"}}");
}

static void merges(void **state) {
    (void)state;
    static const char before[] = "{\n  a: { x: 1, y: 2 }, // pair\n  b: 3\n}";
    OC_AUTO_JSON cJSON *tree = parse(before);
    OC_AUTO_JSON cJSON *patch = parse("{a:{x:null,z:[1]},b:4,c:{d:null,e:1},nope:null}");
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&text, before);
    struct oc_error err = { 0 };
    assert_int_equal(oc_config_edit_merge(&text, tree, patch, &err), OC_OK);
    assert_string_equal(
            text.data, "{\n  a: { y: 2, z: [1] }, // pair\n  b: 4,\n  c: {\n    \"e\": 1\n  }\n}");
}

/* Members k0 … k<count-1>, all the same. */
static cJSON *many(int count) {
    cJSON *o = cJSON_CreateObject();
    for (int i = 0; i < count; i++) {
        OC_AUTO_FREE char *key = oc_strfmt("k%d", i);
        oc_json_set_int(o, key, 1);
    }
    return o;
}

static void merges_only_so_much(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *tree = parse("{m:{a:1}}"), *patch = cJSON_CreateObject();
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&text, "{m:{a:1}}");
    struct oc_error err = { 0 };
    oc_json_set(patch, "m", many(OC_CONFIG_MAX_EDITS + 1));
    assert_int_equal(oc_config_edit_merge(&text, tree, patch, &err), OC_E_TOO_LARGE);
    assert_string_equal(text.data, "{m:{a:1}}");
    oc_json_set(patch, "m", many(OC_CONFIG_MAX_EDITS));
    assert_int_equal(oc_config_edit_merge(&text, tree, patch, &err), OC_OK);
    assert_non_null(strstr(text.data, "k255: 1"));
    OC_AUTO_JSON cJSON *fresh = cJSON_CreateObject(); /* one new object, however large, is one */
    oc_json_set(fresh, "n", many(5000));
    assert_int_equal(oc_config_edit_merge(&text, tree, fresh, &err), OC_OK);
    assert_non_null(strstr(text.data, "k4999"));
}

static void does_not_merge_harmful_keys(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *tree = parse("{a:{}}"), *patch = parse("{b:1,a:{__proto__:{x:1}}}");
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&text, "{a:{}}");
    assert_int_equal(oc_config_edit_merge(&text, tree, patch, NULL), OC_E_INVALID);
    assert_string_equal(text.data, "{a:{}}");
    OC_AUTO_JSON cJSON *nested = parse("{b:{c:[{$include:'/etc/passwd'}]}}");
    assert_int_equal(oc_config_edit_merge(&text, tree, nested, NULL), OC_E_INVALID);
    assert_string_equal(text.data, "{a:{}}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces),
        cmocka_unit_test(inserts),
        cmocka_unit_test(removes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(leaves_included_values_alone),
        cmocka_unit_test(merges),
        cmocka_unit_test(merges_only_so_much),
        cmocka_unit_test(does_not_merge_harmful_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
