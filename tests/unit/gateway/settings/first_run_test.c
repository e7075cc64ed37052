#include "gateway/gateway.h"
#include "gateway/settings/first_run.h"
#include "lib/config/config.h"
#include "lib/files/file.h"

#include "tests/unit/unit.h"

static int setup(void **state) {
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
    unsetenv("OPENCLAW_GATEWAY_PASSWORD");
    return oc_temp_setup(state);
}

static void test_makes_a_token(void **state) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/new/openclaw.json", (char *)*state);
    OC_AUTO_JSON cJSON *config = cJSON_CreateObject();
    struct gw_opts opts = { .config_path = path, .port = -1 };
    bool created = false;
    struct oc_error err;
    assert_int_equal(gw_ensure_secret(&opts, config, &created, &err), OC_OK);
    assert_true(created);
    assert_int_equal(oc_mode_of(path), 0600);
    const char *token = oc_json_get_str(oc_json_path(config, "gateway.auth"), "token");
    assert_int_equal(strlen(token), 43);

    OC_AUTO_JSON cJSON *written = NULL;
    assert_int_equal(oc_config_load(path, &written, &err), OC_OK);
    assert_string_equal(oc_json_get_str(oc_json_path(written, "gateway.auth"), "token"), token);
    assert_string_equal(oc_json_get_str(oc_json_path(written, "gateway.auth"), "mode"), "token");
    assert_string_equal(oc_json_get_str(oc_json_get(written, "gateway"), "mode"), "local");

    /* The second start finds it. */
    assert_int_equal(gw_ensure_secret(&opts, written, &created, &err), OC_OK);
    assert_false(created);
}

/* `config set` before the first start. */
static void test_adds_a_token_to_a_file_that_is_there(void **state) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/openclaw.json", (char *)*state);
    oc_write_text(path, "{ /* mine */ gateway: { port: 4711 } }\n");
    OC_AUTO_JSON cJSON *config = NULL, *written = NULL;
    struct gw_opts opts = { .config_path = path, .port = -1 };
    bool created = false;
    struct oc_error err;
    assert_int_equal(oc_config_load(path, &config, &err), OC_OK);
    assert_int_equal(gw_ensure_secret(&opts, config, &created, &err), OC_OK);
    assert_true(created);
    assert_int_equal(oc_mode_of(path), 0600);
    const char *token = oc_json_get_str(oc_json_path(config, "gateway.auth"), "token");
    assert_int_equal(strlen(token), 43);
    assert_int_equal(oc_config_load(path, &written, &err), OC_OK);
    assert_string_equal(oc_json_get_str(oc_json_path(written, "gateway.auth"), "token"), token);
    assert_int_equal(oc_json_get_int(oc_json_get(written, "gateway"), "port", 0, 65535, 0), 4711);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1000);
    assert_int_equal(oc_file_read(path, 1000, &text, &err), OC_OK);
    assert_non_null(strstr(text.data, "/* mine */"));
}

/* Its owner meant something by it. */
static void test_leaves_a_token_that_leads_nowhere(void **state) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/openclaw.json", (char *)*state);
    static const char given[] = "{ gateway: { auth: { token: \"\" } } }\n";
    oc_write_text(path, given);
    OC_AUTO_JSON cJSON *config = NULL;
    struct gw_opts opts = { .config_path = path, .port = -1 };
    bool created = true;
    struct oc_error err;
    assert_int_equal(oc_config_load(path, &config, &err), OC_OK);
    assert_int_equal(gw_ensure_secret(&opts, config, &created, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "OPENCLAW_GATEWAY_TOKEN"));
    assert_non_null(strstr(err.text, "--auth none"));
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1000);
    assert_int_equal(oc_file_read(path, 1000, &text, &err), OC_OK);
    assert_string_equal(text.data, given);
}

static void test_needs_nothing(void **state) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/openclaw.json", (char *)*state);
    OC_AUTO_JSON cJSON *config = cJSON_CreateObject();
    bool created = true;
    struct oc_error err;
    struct gw_opts none = { .config_path = path, .port = -1, .auth_mode = "none" };
    assert_int_equal(gw_ensure_secret(&none, config, &created, &err), OC_OK);
    assert_false(created);
    struct gw_opts given = { .config_path = path, .port = -1, .token = "t" };
    assert_int_equal(gw_ensure_secret(&given, config, &created, &err), OC_OK);
    assert_false(created);
    struct gw_opts plain = { .config_path = path, .port = -1 };
    setenv("OPENCLAW_GATEWAY_TOKEN", "t", 1);
    assert_int_equal(gw_ensure_secret(&plain, config, &created, &err), OC_OK);
    assert_false(created);
    assert_false(oc_file_exists(path));
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
    struct gw_opts password = { .config_path = path, .port = -1, .auth_mode = "password" };
    assert_int_equal(gw_ensure_secret(&password, config, &created, &err), OC_E_INVALID);
    assert_false(oc_file_exists(path));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_makes_a_token, setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                test_adds_a_token_to_a_file_that_is_there, setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                test_leaves_a_token_that_leads_nowhere, setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(test_needs_nothing, setup, oc_temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
