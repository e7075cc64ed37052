#include "tests/unit/unit.h"

#include "lib/config/config.h"
#include "lib/files/file.h"
#include "tests/any_int.h"

static void missing_file_is_empty(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "openclaw.json");
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error err;
    assert_int_equal(oc_config_load(path, &config, &err), OC_OK);
    assert_true(cJSON_IsObject(config));
    assert_null(config->child);
}

static void reads_json5(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "openclaw.json");
    oc_write_text(path, "// mine\n{ gateway: { port: 1234, }, }\n");
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error err;
    assert_int_equal(oc_config_load(path, &config, &err), OC_OK);
    assert_int_equal(any_int(oc_json_get(config, "gateway"), "port", 0), 1234);
}

static void broken_file_is_an_error(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "openclaw.json");
    static const char *const broken[] = { "", "{\n  gateway: {", "[]", "5", "{a:1}}" };
    for (size_t i = 0; i < OC_COUNT(broken); i++) {
        cJSON *config = NULL;
        struct oc_error err;
        oc_write_text(path, broken[i]);
        assert_int_not_equal(oc_config_load(path, &config, &err), OC_OK);
        assert_null(config);
        assert_non_null(strstr(err.text, path));
        assert_non_null(strstr(err.text, "line "));
        assert_non_null(strstr(err.text, "column "));
    }
    cJSON *config = NULL;
    assert_int_equal(oc_config_load(*state, &config, NULL), OC_E_INVALID); /* a directory */
}

static void expect_secret(
        const char *text, const char *which, enum oc_gateway_kind kind, const char *want) {
    OC_AUTO_JSON cJSON *config = NULL;
    assert_int_equal(oc_json5_parse(text, strlen(text), &config, NULL), OC_OK);
    OC_AUTO_SECRET char *got = oc_config_client_secret(config, which, kind);
    if (want) {
        assert_non_null(got);
        assert_string_equal(got, want);
    } else {
        assert_null(got);
    }
}

/* A secret is for the gateway it was configured for, and for no other. */
static void secret_is_for_its_own_gateway_only(void **state) {
    (void)state;
    static const char both[] =
            "{gateway:{mode:'remote',auth:{token:'A',password:'P'},remote:{token:'R'}}}";
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
    unsetenv("OPENCLAW_GATEWAY_PASSWORD");
    expect_secret(both, "token", OC_GATEWAY_OWN, "A");
    expect_secret(both, "password", OC_GATEWAY_OWN, "P");
    expect_secret(both, "token", OC_GATEWAY_REMOTE, "R");
    expect_secret(both, "password", OC_GATEWAY_REMOTE, NULL);
    expect_secret(both, "token", OC_GATEWAY_OTHER, NULL);
    expect_secret("{}", "token", OC_GATEWAY_OWN, NULL);
    expect_secret("{gateway:{auth:{token:'  '}}}", "token", OC_GATEWAY_OWN, NULL);
    expect_secret("{gateway:{auth:{token:5}}}", "token", OC_GATEWAY_OWN, NULL);
    setenv("OPENCLAW_GATEWAY_TOKEN", "E", 1);
    expect_secret(both, "token", OC_GATEWAY_REMOTE, "E");
    expect_secret(both, "token", OC_GATEWAY_OTHER, "E");
    expect_secret(both, "password", OC_GATEWAY_OWN, "P");
    setenv("OPENCLAW_GATEWAY_TOKEN", "", 1);
    expect_secret(both, "token", OC_GATEWAY_REMOTE, "R");
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
    assert_null(oc_config_client_secret(NULL, "token", OC_GATEWAY_OWN));
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DIR(missing_file_is_empty),
        IN_DIR(reads_json5),
        IN_DIR(broken_file_is_an_error),
        cmocka_unit_test(secret_is_for_its_own_gateway_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
