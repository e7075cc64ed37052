#include "lib/config/config_patch.h"

#include "lib/config/config_edit.h"
#include "lib/config/config_redact.h"
#include "lib/json/json_index.h"
#include "tests/unit/unit.h"

#include <time.h>

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    struct oc_error err = { 0 };
    assert_int_equal(oc_json5_parse(text, strlen(text), &v, &err), OC_OK);
    return v;
}

/* wanted NULL: refused, with err. */
static void check(const char *config, const char *change, const char *replace, const char *wanted,
        struct oc_error *err) {
    OC_AUTO_JSON cJSON *base = parse(config), *tree = parse(change), *result = NULL;
    struct oc_config_patch p = { .patch = tree };
    if (replace) {
        oc_strv_add(&p.replace_paths, replace);
    }
    enum oc_code rc = oc_config_patch_apply(&p, base, &result, err);
    assert_int_equal(rc, wanted ? OC_OK : OC_E_INVALID);
    if (wanted) {
        OC_AUTO_JSON cJSON *expected = parse(wanted);
        assert_true(cJSON_Compare(result, expected, true));
        /* The plain patch between the two says the same. */
        OC_AUTO_JSON cJSON *plain = oc_config_diff_patch(base, result), *again = NULL;
        struct oc_config_patch simple = { .patch = plain, .may_lose_items = true };
        assert_int_equal(oc_config_patch_apply(&simple, base, &again, err), OC_OK);
        if (!strstr(config, "id:")) {
            assert_true(cJSON_Compare(again, expected, true));
        }
    }
    oc_strv_finish(&p.replace_paths);
}

static void test_merges(void **state) {
    (void)state;
    struct oc_error err;
    check("{a:{x:1,y:2},b:3}", "{a:{x:null,z:4},c:{d:null,e:5}}", NULL, "{a:{y:2,z:4},b:3,c:{e:5}}",
            &err);
    check("{a:1,n:null}", "{}", NULL, "{a:1,n:null}", &err);
    check("{a:1}", "{a:{b:2}}", NULL, "{a:{b:2}}", &err);
    check("{a:1}", "{__proto__:{b:2}}", NULL, NULL, &err);
}

static void test_lists_do_not_lose_items_unasked(void **state) {
    (void)state;
    struct oc_error err;
    check("{l:[1,2]}", "{l:[2,1,3]}", NULL, "{l:[2,1,3]}", &err);
    check("{l:[1,2]}", "{l:[2]}", NULL, NULL, &err);
    assert_non_null(
            strstr(err.text, "would remove entries from array path(s): l. Pass replacePaths"));
    check("{l:[1,1]}", "{l:[1,2]}", NULL, NULL, &err);
    check("{l:[1,2]}", "{l:[2]}", "l", "{l:[2]}", &err);
    check("{l:[1,2]}", "{l:[2]}", " l[] ", "{l:[2]}", &err);
    check("{l:[1,2]}", "{l:null}", NULL, NULL, &err);
    check("{l:[1,2]}", "{l:7}", NULL, NULL, &err);
    check("{a:{b:{l:[1]},m:[2]}}", "{a:null}", NULL, NULL, &err);
    assert_non_null(strstr(err.text, "a.b.l, a.m"));
    check("{a:{b:{l:[1]}}}", "{a:{b:1}}", "a.b.l", "{a:{b:1}}", &err);
}

static void test_items_with_an_id_are_merged(void **state) {
    (void)state;
    struct oc_error err;
    static const char config[] = "{agents:{list:[{id:'a',x:1,t:[1,2]},{id:'b'}]}}";
    check(config, "{agents:{list:[{id:'a',y:2}]}}", NULL,
            "{agents:{list:[{id:'a',x:1,y:2,t:[1,2]},{id:'b'}]}}", &err);
    check(config, "{agents:{list:[{id:'c'},{z:1}]}}", NULL,
            "{agents:{list:[{id:'a',x:1,t:[1,2]},{id:'b'},{id:'c'},{z:1}]}}", &err);
    check(config, "{agents:{list:[{id:'b'}]}}", "agents.list", "{agents:{list:[{id:'b'}]}}", &err);
    check(config, "{agents:{list:[{id:'a',t:[1]}]}}", NULL, NULL, &err);
    assert_non_null(strstr(err.text, "agents.list[].t"));
    check(config, "{agents:{list:[{id:'a',t:[1]}]}}", "agents.list[0].t",
            "{agents:{list:[{id:'a',x:1,t:[1]},{id:'b'}]}}", &err);
    check(config, "{agents:{list:[{id:'a'},{id:'a'}]}}", NULL, NULL, &err);
    assert_non_null(strstr(err.text, "'a' twice in the patch"));
    check("{l:[{id:'a'},{id:'a'}]}", "{l:[{id:'a'}]}", NULL, NULL, &err);
    assert_non_null(strstr(err.text, "replacePaths"));
}

static void test_older_clients_may_lose_items(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *base = parse("{l:[1,2]}"), *tree = parse("{l:[3]}"), *result = NULL;
    struct oc_config_patch p = { .patch = tree, .may_lose_items = true };
    struct oc_error err;
    assert_int_equal(oc_config_patch_apply(&p, base, &result, &err), OC_OK);
    assert_true(cJSON_Compare(result, tree, true));
}

static void test_diff(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *a = parse("{a:{x:1,y:[1],n:null},b:1,c:{d:1}}"),
                       *b = parse("{a:{x:2,y:[1],n:null},c:1,e:{f:1}}");
    OC_AUTO_STRV struct oc_strv all = { 0 }, some = { 0 };
    oc_config_diff(a, b, 10, &all);
    OC_AUTO_FREE char *text = oc_strv_join(&all, " ");
    assert_string_equal(text, "a.x b c e");
    oc_config_diff(a, b, 2, &some);
    assert_int_equal(some.count, 2);
}

/* An object of count members, the last first when reversed. */
static cJSON *large(int count, bool is_reversed, int value) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(64u << 20);
    oc_buf_puts(&text, "{m:{");
    for (int i = 0; i < count; i++) {
        oc_buf_printf(&text, "key%d:%d,", is_reversed ? count - i : i + 1, value);
    }
    oc_buf_puts(&text, "}}");
    return parse(text.data);
}

/* Processor time of all that a patch goes through. */
static double work(int count) {
    OC_AUTO_JSON cJSON *base = large(count, false, 1), *tree = large(count, true, 2),
                       *result = NULL;
    struct oc_config_patch p = { .patch = tree };
    struct oc_error err;
    OC_AUTO_STRV struct oc_strv changed = { 0 };
    clock_t before = clock();
    assert_int_equal(oc_config_patch_apply(&p, base, &result, &err), OC_OK);
    assert_true(oc_json_same(result, tree));
    assert_false(oc_json_same(base, tree));
    OC_AUTO_JSON cJSON *plain = oc_config_diff_patch(base, result);
    oc_config_diff(base, tree, 10, &changed);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    assert_int_equal(oc_config_edit_merge(&text, base, plain, &err), OC_E_TOO_LARGE);
    clock_t after = clock();
    assert_int_equal(changed.count, 10);
    assert_int_equal(cJSON_GetArraySize(plain->child), count);
    return (double)(after - before) / CLOCKS_PER_SEC;
}

static void test_a_large_patch_costs_no_more_than_its_length(void **state) {
    (void)state;
    double some = work(2000), more = work(16000);
    if (more > 24 * some + 0.1) { /* 64 times where each member is looked for among all */
        fail_msg("eight times as many take %.3f s instead of %.3f s", more, some);
    }
}

/* The same for the secrets that are put back. */
static double work_of_restoring(int count) {
    OC_AUTO_JSON cJSON *old = large(count, false, 1), *new = large(count, true, 2);
    OC_AUTO_FREE char *before = oc_json_print(old, false), *after = oc_json_print(new, false);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&text, after);
    struct oc_error err;
    clock_t start = clock();
    assert_int_equal(
            oc_config_restore_text(&text, (struct oc_slice){ before, strlen(before) }, &err),
            OC_OK);
    clock_t end = clock();
    assert_string_equal(text.data, after);
    return (double)(end - start) / CLOCKS_PER_SEC;
}

static void test_secrets_are_put_back_in_one_pass(void **state) {
    (void)state;
    double some = work_of_restoring(2000), more = work_of_restoring(16000);
    if (more > 24 * some + 0.1) {
        fail_msg("eight times as many take %.3f s instead of %.3f s", more, some);
    }
}

static void test_the_order_of_members_means_nothing(void **state) {
    (void)state;
    static const char *const same[][2] = { { "{}", "{}" },
        { "{a:1,b:{c:[1,2]}}", "{b:{c:[1,2]},a:1}" }, { "{a:null}", "{a:null}" } };
    static const char *const other[][2] = { { "{}", "[]" }, { "{a:1}", "{a:1,b:2}" },
        { "{a:1,b:2}", "{b:2}" }, { "{a:1,b:2}", "{b:2,c:1}" }, { "[1,2]", "[2,1]" },
        { "{a:null}", "{}" }, { "[1]", "[1,2]" }, { "{a:'1'}", "{a:1}" } };
    for (size_t i = 0; i < OC_COUNT(same); i++) {
        OC_AUTO_JSON cJSON *a = parse(same[i][0]), *b = parse(same[i][1]);
        assert_true(oc_json_same(a, b));
    }
    for (size_t i = 0; i < OC_COUNT(other); i++) {
        OC_AUTO_JSON cJSON *a = parse(other[i][0]), *b = parse(other[i][1]);
        assert_false(oc_json_same(a, b));
        assert_false(oc_json_same(b, a));
    }
    assert_true(oc_json_same(NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merges),
        cmocka_unit_test(test_lists_do_not_lose_items_unasked),
        cmocka_unit_test(test_items_with_an_id_are_merged),
        cmocka_unit_test(test_older_clients_may_lose_items),
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_a_large_patch_costs_no_more_than_its_length),
        cmocka_unit_test(test_secrets_are_put_back_in_one_pass),
        cmocka_unit_test(test_the_order_of_members_means_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
