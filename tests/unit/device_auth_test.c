#include "tests/unit/unit.h"

#include "base/file.h"
#include "protocol/identity.h"

static struct oc_fake_clock fake;

static void expect_token(
        const char *state_dir, const char *device, const char *role, const char *want) {
    OC_AUTO_SECRET char *token = oc_device_auth_load(state_dir, device, role);
    if (want) {
        assert_non_null(token);
        assert_string_equal(token, want);
    } else {
        assert_null(token);
    }
}

static void store(const char *state_dir, const char *device, const char *role, const char *token) {
    static const char *const scopes[] = { "operator.write", "operator.admin", "operator.write" };
    struct oc_error err;
    assert_int_equal(oc_device_auth_store(state_dir, device, role, token, scopes,
                             strcmp(role, "node") == 0 ? 0 : 3, &fake.clock, &err),
            OC_OK);
}

static void stores_per_role(void **state) {
    umask(0);
    oc_fake_clock_init(&fake, 1700000000000);
    expect_token(*state, "dev", "node", NULL);
    store(*state, "dev", "node", "T1");
    store(*state, "dev", "operator", "T2");
    expect_token(*state, "dev", "node", "T1");
    expect_token(*state, "dev", "operator", "T2");
    expect_token(*state, "other", "node", NULL);
    expect_token(*state, "dev", "Node", NULL);
    OC_AUTO_FREE char *path = oc_path_join(*state, "identity/device-auth.json");
    assert_int_equal(oc_mode_of(path), 0600);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 10000, &text, NULL), OC_OK);
    assert_string_equal(text.data, "{\n  \"version\": 1,\n  \"deviceId\": \"dev\",\n  \"tokens\": "
                                   "{\n    \"node\": {\n      \"token\": \"T1\",\n"
                                   "      \"role\": \"node\",\n      \"scopes\": [],\n      "
                                   "\"updatedAtMs\": 1700000000000\n    },\n"
                                   "    \"operator\": {\n      \"token\": \"T2\",\n      \"role\": "
                                   "\"operator\",\n      \"scopes\": [\n"
                                   "        \"operator.admin\",\n        \"operator.write\"\n      "
                                   "],\n      \"updatedAtMs\": 1700000000000\n"
                                   "    }\n  }\n}\n");
}

static void replaces_and_forgets(void **state) {
    struct oc_error err;
    assert_int_equal(oc_device_auth_forget(*state, "dev", "node", &err), OC_OK);
    store(*state, "dev", "node", "T1");
    store(*state, "dev", "operator", "T2");
    store(*state, "dev", "node", "T3");
    expect_token(*state, "dev", "node", "T3");
    assert_int_equal(oc_device_auth_forget(*state, "dev", "node", &err), OC_OK);
    assert_int_equal(oc_device_auth_forget(*state, "dev", "node", &err), OC_OK);
    expect_token(*state, "dev", "node", NULL);
    expect_token(*state, "dev", "operator", "T2");
    assert_int_equal(oc_device_auth_forget(*state, "stranger", "operator", &err), OC_OK);
    expect_token(*state, "dev", "operator", "T2");
}

static void another_key_starts_afresh(void **state) {
    store(*state, "old", "node", "T1");
    store(*state, "new", "operator", "T2");
    expect_token(*state, "old", "node", NULL);
    expect_token(*state, "new", "operator", "T2");
}

static void damaged_file_is_kept(void **state) {
    store(*state, "dev", "node", "T1");
    OC_AUTO_FREE char *path = oc_path_join(*state, "identity/device-auth.json");
    oc_write_text(path, "{\"version\":1,");
    struct oc_error err;
    expect_token(*state, "dev", "node", NULL);
    assert_int_equal(oc_device_auth_store(*state, "dev", "node", "T", NULL, 0, &fake.clock, &err),
            OC_E_CORRUPT);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(oc_device_auth_forget(*state, "dev", "node", &err), OC_E_CORRUPT);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 10000, &text, NULL), OC_OK);
    assert_string_equal(text.data, "{\"version\":1,");
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DIR(stores_per_role),
        IN_DIR(replaces_and_forgets),
        IN_DIR(another_key_starts_afresh),
        IN_DIR(damaged_file_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
