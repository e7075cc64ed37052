#include "tests/unit/unit.h"

#include "lib/config/config.h"
#include "lib/files/file.h"

static void put(const char *dir, const char *name, const char *text) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    oc_write_text(path, text);
}

static void expect(const char *dir, const char *want) {
    OC_AUTO_FREE char *path = oc_path_join(dir, "openclaw.json");
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error err = { 0 };
    if (oc_config_load(path, &config, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    OC_AUTO_FREE char *got = oc_json_print(config, false);
    assert_string_equal(got, want);
}

static void expect_error(const char *dir, const char *part) {
    OC_AUTO_FREE char *path = oc_path_join(dir, "openclaw.json");
    cJSON *config = NULL;
    struct oc_error err = { 0 };
    assert_int_not_equal(oc_config_load(path, &config, &err), OC_OK);
    assert_null(config);
    if (!strstr(err.text, part)) {
        fail_msg("%s", err.text);
    }
}

static void one_file_in_place_of_an_object(void **state) {
    put(*state, "openclaw.json",
            "{a: 1, gateway: {$include: './gw.json5'}, b: [{$include: 'item.json'}]}");
    put(*state, "gw.json5", "{port: 1, /* x */ auth: {mode: 'token'}}");
    put(*state, "item.json", "[1,2]");
    expect(*state,
            "{\"a\":1,\"gateway\":{\"port\":1,\"auth\":{\"mode\":\"token\"}},\"b\":[[1,2]]}");
}

static void several_are_merged_and_siblings_win(void **state) {
    put(*state, "openclaw.json", "{$include: ['a.json', 'b.json'], x: 3, list: [9]}");
    put(*state, "a.json", "{x: 1, deep: {p: 1, q: 1}, list: [1], only: 'a'}");
    put(*state, "b.json", "{x: 2, deep: {q: 2}, list: [2]}");
    expect(*state, "{\"only\":\"a\",\"deep\":{\"p\":1,\"q\":2},\"x\":3,\"list\":[1,2,9]}");
}

static void nested_ones_are_relative_to_their_file(void **state) {
    OC_AUTO_FREE char *sub = oc_path_join(*state, "sub");
    assert_int_equal(mkdir(sub, 0700), 0);
    put(*state, "openclaw.json", "{gateway: {$include: 'sub/a.json'}}");
    put(sub, "a.json", "{auth: {$include: 'b.json'}}");
    put(sub, "b.json", "{token: '${OC_TEST_TOKEN}'}");
    setenv("OC_TEST_TOKEN", "T", 1);
    expect(*state, "{\"gateway\":{\"auth\":{\"token\":\"T\"}}}");
}

static void mistakes_are_named(void **state) {
    put(*state, "openclaw.json", "{$include: 'gone.json'}");
    expect_error(*state, "gone.json");
    put(*state, "openclaw.json", "{$include: 'broken.json'}");
    put(*state, "broken.json", "{a: }");
    expect_error(*state, "broken.json': line 1, column 5");
    put(*state, "openclaw.json", "{$include: 5}");
    expect_error(*state, "$include takes file names");
    put(*state, "openclaw.json", "{$include: ['a.json', {}]}");
    put(*state, "a.json", "{}");
    expect_error(*state, "$include takes file names");
    put(*state, "openclaw.json", "{x: {$include: 'list.json', more: 1}}");
    put(*state, "list.json", "[]");
    expect_error(*state, "need an object");
    put(*state, "openclaw.json", "{$include: 'list.json'}");
    expect_error(*state, "must be one object");
}

static void loops_end(void **state) {
    put(*state, "openclaw.json", "{$include: 'a.json'}");
    put(*state, "a.json", "{x: {$include: 'b.json'}}");
    put(*state, "b.json", "{$include: 'a.json'}");
    expect_error(*state, "includes itself");
    for (int i = 0; i < 12; i++) {
        OC_AUTO_FREE char *name = oc_strfmt("%d.json", i);
        OC_AUTO_FREE char *text =
                oc_strfmt("{a:{$include:'%d.json'},b:{$include:'%d.json'}}", i + 1, i + 1);
        put(*state, name, text);
    }
    put(*state, "openclaw.json", "{$include: '0.json'}");
    expect_error(*state, "too many $include files");
    for (int i = 0; i < 8; i++) { /* shallow enough, but it doubles at every level */
        OC_AUTO_FREE char *name = oc_strfmt("%d.json", i);
        OC_AUTO_FREE char *text =
                oc_strfmt("{a:{$include:'%d.json'},b:{$include:'%d.json'}}", i + 1, i + 1);
        put(*state, name, i < 7 ? text : "{}");
    }
    expect_error(*state, "too many $include files");
}

static void only_files_of_the_owner_of_the_config(void **state) {
    OC_AUTO_FREE char *inner = oc_path_join(*state, "inner"), *link = oc_path_join(inner, "l.json");
    OC_AUTO_FREE char *outside = oc_path_join(*state, "secret.json");
    assert_int_equal(mkdir(inner, 0700), 0);
    put(*state, "secret.json", "{x: 1}");
    OC_AUTO_FREE char *absolute = oc_strfmt("{$include: '%s'}", outside);
    unsetenv("OPENCLAW_INCLUDE_ROOTS");
    put(inner, "openclaw.json", absolute);
    expect_error(inner, "is outside of");
    put(inner, "openclaw.json", "{$include: '../secret.json'}");
    expect_error(inner, "is outside of");
    put(inner, "openclaw.json", "{$include: '../gone.json'}"); /* nor whether it exists */
    expect_error(inner, "is outside of");
    assert_int_equal(symlink(outside, link), 0);
    put(inner, "openclaw.json", "{$include: 'l.json'}");
    expect_error(inner, "is outside of");
    setenv("OPENCLAW_INCLUDE_ROOTS", *state, 1);
    expect(inner, "{\"x\":1}");
    put(inner, "openclaw.json", absolute);
    expect(inner, "{\"x\":1}");
    unsetenv("OPENCLAW_INCLUDE_ROOTS");
    assert_int_equal(unlink(link), 0);
    OC_AUTO_FREE char *config = oc_path_join(inner, "openclaw.json");
    assert_int_equal(unlink(config), 0); /* a config that is kept elsewhere and linked */
    put(*state, "real.json", absolute);
    OC_AUTO_FREE char *real = oc_path_join(*state, "real.json");
    assert_int_equal(symlink(real, config), 0);
    expect(inner, "{\"x\":1}");
}

static void a_file_includes_itself(void **state) {
    put(*state, "openclaw.json", "{$include: './openclaw.json'}");
    expect_error(*state, "includes itself");
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DIR(one_file_in_place_of_an_object),
        IN_DIR(several_are_merged_and_siblings_win),
        IN_DIR(nested_ones_are_relative_to_their_file),
        IN_DIR(mistakes_are_named),
        IN_DIR(loops_end),
        IN_DIR(only_files_of_the_owner_of_the_config),
        IN_DIR(a_file_includes_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
