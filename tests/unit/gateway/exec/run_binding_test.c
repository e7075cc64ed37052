#include "gateway/exec/run_binding.h"

#include "tests/unit/unit.h"

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &v, &err), OC_OK);
    return v;
}

static struct gw_run_facts facts(const char *command, const cJSON *env) {
    struct gw_run_facts f = { .agent_id = "main", .env = env };
    OC_AUTO_JSON cJSON *o = parse(command);
    oc_json_get_strv(o, "argv", &f.argv);
    return f;
}

/* The value the reference gives for the same environment. */
static void env_hash(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *env = parse("{\"FOO\":\"x\",\"not-portable\":\"y\",\"N\":1}");
    OC_AUTO_STRV struct oc_strv keys = { 0 }, none = { 0 };
    char hash[65];
    assert_true(gw_run_env_hash(env, hash, &keys));
    assert_true(oc_starts_with(hash, "cfd452ec"));
    assert_true(oc_ends_with(hash, "4567"));
    assert_int_equal(keys.count, 1);
    OC_AUTO_JSON cJSON *empty = parse("{\"1A\":\"x\"}");
    assert_false(gw_run_env_hash(empty, hash, &none));
    assert_false(gw_run_env_hash(NULL, hash, &none));
    OC_AUTO_JSON cJSON *list = parse("[\"x\"]"); /* whose items have no names */
    assert_false(gw_run_env_hash(list, hash, &none));
    assert_null(gw_run_env_bound(list));
    OC_AUTO_JSON cJSON *one = parse("{\"B\":\"2\",\"A\":\"1\"}");
    OC_AUTO_JSON cJSON *two = parse("{\"A\":\"1\",\"B\":\"2\"}");
    OC_AUTO_STRV struct oc_strv k1 = { 0 }, k2 = { 0 };
    char h1[65], h2[65];
    assert_true(gw_run_env_hash(one, h1, &k1) && gw_run_env_hash(two, h2, &k2));
    assert_string_equal(h1, h2);
}

static void differences(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *env = parse("{\"FOO\":\"x\"}"), *other_env = parse("{\"FOO\":\"y\"}");
    struct gw_run_facts approved = facts("{\"argv\":[\"ls\",\"-l\"]}", env);
    OC_AUTO_JSON cJSON *binding = gw_run_binding_build(&approved);
    const char *code = NULL, *message = NULL;
    assert_true(gw_run_binding_matches(binding, &approved, &code, &message));
    struct gw_run_facts f = approved;
    f.cwd = "/";
    assert_false(gw_run_binding_matches(binding, &f, &code, &message));
    assert_string_equal(code, "APPROVAL_REQUEST_MISMATCH");
    f = approved;
    f.agent_id = " ";
    assert_false(gw_run_binding_matches(binding, &f, &code, &message));
    f = approved;
    f.env = other_env;
    assert_false(gw_run_binding_matches(binding, &f, &code, &message));
    assert_string_equal(code, "APPROVAL_ENV_MISMATCH");
    f.env = NULL;
    assert_false(gw_run_binding_matches(binding, &f, &code, &message));
    assert_string_equal(code, "APPROVAL_ENV_MISMATCH");
    struct gw_run_facts more = facts("{\"argv\":[\"ls\",\"-l\",\"/\"]}", env);
    assert_false(gw_run_binding_matches(binding, &more, &code, &message));
    struct gw_run_facts nothing = facts("{\"argv\":[]}", NULL);
    OC_AUTO_JSON cJSON *empty = gw_run_binding_build(&nothing);
    assert_false(gw_run_binding_matches(empty, &nothing, &code, &message));
    assert_false(gw_run_binding_matches(NULL, &approved, &code, &message));
    oc_strv_finish(&approved.argv);
    oc_strv_finish(&more.argv);
    oc_strv_finish(&nothing.argv);
}

/* What is hashed is what reaches the node. */
static void bound_env(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *env = parse("{\"FOO\":\"x\",\"BASH_FUNC_x%%\":\"() { :; }\",\"N\":1}");
    OC_AUTO_JSON cJSON *bound = gw_run_env_bound(env);
    OC_AUTO_FREE char *text = oc_json_print(bound, false);
    assert_string_equal(text, "{\"FOO\":\"x\"}");
    OC_AUTO_JSON cJSON *odd = parse("{\"a-b\":\"x\"}");
    assert_null(gw_run_env_bound(odd));
    assert_null(gw_run_env_bound(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(env_hash),
        cmocka_unit_test(differences),
        cmocka_unit_test(bound_env),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
