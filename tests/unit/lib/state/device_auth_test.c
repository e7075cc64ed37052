#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "lib/state/device_auth.h"

static struct oc_fake_clock fake;

#define A "ws://127.0.0.1:18789"
#define B "sha256:00ff"

static struct oc_device_auth key_of(
        const char *state_dir, const char *device, const char *role, const char *gateway) {
    return (struct oc_device_auth){
        .state_dir = state_dir, .device_id = device, .role = role, .gateway = gateway
    };
}

static void expect_token_of(const char *state_dir, const char *device, const char *role,
        const char *gateway, const char *want) {
    struct oc_device_auth key = key_of(state_dir, device, role, gateway);
    OC_AUTO_SECRET char *token = oc_device_auth_load(&key);
    if (want) {
        assert_non_null(token);
        assert_string_equal(token, want);
    } else {
        assert_null(token);
    }
}

static void expect_token(
        const char *state_dir, const char *device, const char *role, const char *want) {
    expect_token_of(state_dir, device, role, A, want);
}

static void store_of(const char *state_dir, const char *device, const char *role,
        const char *gateway, const char *token) {
    static const char *const scopes[] = { "operator.write", "operator.admin", "operator.write" };
    struct oc_device_auth key = key_of(state_dir, device, role, gateway);
    struct oc_error err;
    assert_int_equal(oc_device_auth_store(&key, token, scopes, strcmp(role, "node") == 0 ? 0 : 3,
                             &fake.clock, &err),
            OC_OK);
}

static void store(const char *state_dir, const char *device, const char *role, const char *token) {
    store_of(state_dir, device, role, A, token);
}

static enum oc_code forget(
        const char *state_dir, const char *device, const char *role, struct oc_error *err) {
    struct oc_device_auth key = key_of(state_dir, device, role, A);
    return oc_device_auth_forget(&key, err);
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
    assert_string_equal(text.data,
            "{\n  \"version\": 1,\n  \"deviceId\": \"dev\",\n  \"tokens\": "
            "{\n    \"node\": {\n      \"token\": \"T1\",\n"
            "      \"role\": \"node\",\n      \"scopes\": [],\n      "
            "\"updatedAtMs\": 1700000000000,\n      \"gateway\": \"" A "\"\n    },\n"
            "    \"operator\": {\n      \"token\": \"T2\",\n      \"role\": "
            "\"operator\",\n      \"scopes\": [\n"
            "        \"operator.admin\",\n        \"operator.write\"\n      "
            "],\n      \"updatedAtMs\": 1700000000000,\n      \"gateway\": \"" A "\"\n"
            "    }\n  }\n}\n");
}

static void replaces_and_forgets(void **state) {
    struct oc_error err;
    assert_int_equal(forget(*state, "dev", "node", &err), OC_OK);
    store(*state, "dev", "node", "T1");
    store(*state, "dev", "operator", "T2");
    store(*state, "dev", "node", "T3");
    expect_token(*state, "dev", "node", "T3");
    assert_int_equal(forget(*state, "dev", "node", &err), OC_OK);
    assert_int_equal(forget(*state, "dev", "node", &err), OC_OK);
    expect_token(*state, "dev", "node", NULL);
    expect_token(*state, "dev", "operator", "T2");
    assert_int_equal(forget(*state, "stranger", "operator", &err), OC_OK);
    expect_token(*state, "dev", "operator", "T2");
}

static void a_token_is_for_the_gateway_that_gave_it(void **state) {
    oc_fake_clock_init(&fake, 1700000000000);
    store_of(*state, "dev", "node", A, "of-a");
    expect_token_of(*state, "dev", "node", B, NULL);
    struct oc_device_auth any = key_of(*state, "dev", "node", NULL);
    struct oc_device_auth none = key_of(*state, "dev", "operator", NULL);
    assert_true(oc_device_auth_exists(&any));
    assert_false(oc_device_auth_exists(&none));
    store_of(*state, "dev", "node", B, "of-b");
    store_of(*state, "dev", "operator", B, "operator-of-b");
    expect_token_of(*state, "dev", "node", A, "of-a");
    expect_token_of(*state, "dev", "node", B, "of-b");
    expect_token_of(*state, "dev", "operator", A, NULL);
    store_of(*state, "dev", "node", A, "again-of-a");
    expect_token_of(*state, "dev", "node", A, "again-of-a");
    expect_token_of(*state, "dev", "node", B, "of-b");
    struct oc_error err;
    assert_int_equal(forget(*state, "dev", "node", &err), OC_OK);
    expect_token_of(*state, "dev", "node", A, NULL);
    expect_token_of(*state, "dev", "node", B, "of-b");
}

static void not_every_gateway_is_remembered_for_ever(void **state) {
    oc_fake_clock_init(&fake, 1700000000000);
    for (int i = 0; i < 100; i++) {
        OC_AUTO_FREE char *gateway = oc_strfmt("ws://10.0.0.%d:1", i);
        oc_fake_clock_advance(&fake, 1000);
        store_of(*state, "dev", "node", gateway, "T");
    }
    expect_token_of(*state, "dev", "node", "ws://10.0.0.1:1", NULL);
    expect_token_of(*state, "dev", "node", "ws://10.0.0.90:1", "T");
    expect_token_of(*state, "dev", "node", "ws://10.0.0.99:1", "T");
}

/* As the reference and older versions of ours write it. */
static void a_token_without_a_name_is_given_to_one_gateway(void **state) {
    store(*state, "dev", "operator", "T2");
    OC_AUTO_FREE char *path = oc_path_join(*state, "identity/device-auth.json");
    oc_write_text(path,
            "{\"version\":1,\"deviceId\":\"dev\",\"tokens\":{\"node\":{\"token\":\"old\","
            "\"role\":\"node\",\"scopes\":[],\"updatedAtMs\":1}}}");
    expect_token_of(*state, "dev", "node", A, NULL);
    struct oc_error err;
    struct oc_device_auth a = key_of(*state, "dev", "node", A);
    struct oc_device_auth b = key_of(*state, "dev", "node", B);
    struct oc_device_auth other = key_of(*state, "other", "node", B);
    assert_int_equal(oc_device_auth_adopt(&other, &err), OC_OK);
    assert_int_equal(oc_device_auth_adopt(&a, &err), OC_OK);
    assert_int_equal(oc_device_auth_adopt(&b, &err), OC_OK);
    expect_token_of(*state, "dev", "node", A, "old");
    expect_token_of(*state, "dev", "node", B, NULL);
    /* A name that is none is no token for everybody. */
    oc_write_text(path,
            "{\"version\":1,\"deviceId\":\"dev\",\"tokens\":{\"node\":{\"token\":\"old\","
            "\"gateway\":5}}}");
    assert_int_equal(oc_device_auth_adopt(&a, &err), OC_OK);
    expect_token_of(*state, "dev", "node", A, NULL);
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
    struct oc_device_auth key = key_of(*state, "dev", "node", A);
    assert_int_equal(oc_device_auth_store(&key, "T", NULL, 0, &fake.clock, &err), OC_E_CORRUPT);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(forget(*state, "dev", "node", &err), OC_E_CORRUPT);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 10000, &text, NULL), OC_OK);
    assert_string_equal(text.data, "{\"version\":1,");
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DIR(stores_per_role),
        IN_DIR(replaces_and_forgets),
        IN_DIR(a_token_is_for_the_gateway_that_gave_it),
        IN_DIR(not_every_gateway_is_remembered_for_ever),
        IN_DIR(a_token_without_a_name_is_given_to_one_gateway),
        IN_DIR(another_key_starts_afresh),
        IN_DIR(damaged_file_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
