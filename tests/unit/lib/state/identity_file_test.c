#include "tests/unit/lib/identity/vectors.h"
#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "lib/json/json.h"
#include "lib/state/identity_file.h"

#include <sys/wait.h>

static struct oc_fake_clock fake;

static char *read_text(const char *path) {
    struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 100000, &text, NULL), OC_OK);
    return oc_buf_take(&text);
}

static char *device_json(const char *state_dir) {
    return oc_path_join(state_dir, "identity/device.json");
}

/* A file as the reference writes it. */
static void write_reference_file(const char *state_dir, const char *device_id,
        const char *private_pem, const char *public_pem) {
    OC_AUTO_FREE char *dir = oc_path_join(state_dir, "identity"), *path = device_json(state_dir);
    assert_int_equal(oc_dir_ensure_private(dir, NULL), OC_OK);
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    oc_json_set_int(doc, "version", 1);
    oc_json_set_str(doc, "deviceId", device_id);
    oc_json_set_str(doc, "publicKeyPem", public_pem);
    oc_json_set_str(doc, "privateKeyPem", private_pem);
    oc_json_set_int(doc, "createdAtMs", 1700000000000);
    OC_AUTO_FREE char *text = oc_json_print(doc, true);
    OC_AUTO_FREE char *line = oc_strfmt("%s\n", text);
    oc_write_text(path, line);
}

static void creates_then_loads(void **state) {
    struct oc_identity *a = NULL, *b = NULL;
    struct oc_error err;
    umask(0);
    oc_fake_clock_init(&fake, 1700000000123);
    OC_AUTO_FREE char *deep = oc_path_join(*state, "not/yet/there");
    assert_int_equal(oc_identity_load_or_create(deep, &fake.clock, &a, &err), OC_OK);
    assert_int_equal(oc_identity_load_or_create(deep, &fake.clock, &b, &err), OC_OK);
    assert_string_equal(oc_identity_device_id(a), oc_identity_device_id(b));
    OC_AUTO_FREE char *path = device_json(deep), *dir = oc_path_join(deep, "identity");
    assert_int_equal(oc_mode_of(path), 0600);
    assert_int_equal(oc_mode_of(dir), 0700);

    OC_AUTO_FREE char *text = read_text(path);
    OC_AUTO_FREE char *head = oc_strfmt("{\n  \"version\": 1,\n  \"deviceId\": \"%s\",\n  "
                                        "\"publicKeyPem\": \"-----BEGIN PUBLIC KEY-----\\n",
            oc_identity_device_id(a));
    assert_memory_equal(text, head, strlen(head));
    assert_non_null(strstr(
            text, "\\n-----END PRIVATE KEY-----\\n\",\n  \"createdAtMs\": 1700000000123\n}\n"));
    oc_identity_destroy(a);
    oc_identity_destroy(b);
}

static void loads_a_file_of_the_reference(void **state) {
    write_reference_file(*state, VECTOR_DEVICE_ID, VECTOR_PKCS8, VECTOR_SPKI);
    OC_AUTO_FREE char *path = device_json(*state);
    OC_AUTO_FREE char *before = read_text(path);
    struct oc_identity *id = NULL;
    assert_int_equal(oc_identity_load_or_create(*state, &fake.clock, &id, NULL), OC_OK);
    assert_string_equal(oc_identity_device_id(id), VECTOR_DEVICE_ID);
    OC_AUTO_FREE char *after = read_text(path);
    assert_string_equal(before, after);
    oc_identity_destroy(id);
}

static void wrong_device_id_is_corrected(void **state) {
    write_reference_file(*state, "0000", VECTOR_PKCS8, VECTOR_SPKI);
    struct oc_identity *id = NULL;
    assert_int_equal(oc_identity_load_or_create(*state, &fake.clock, &id, NULL), OC_OK);
    assert_string_equal(oc_identity_device_id(id), VECTOR_DEVICE_ID);
    OC_AUTO_FREE char *path = device_json(*state), *text = read_text(path);
    assert_non_null(strstr(text, VECTOR_DEVICE_ID));
    assert_non_null(strstr(text, "1700000000000"));
    oc_identity_destroy(id);
}

static void expect_damaged(const char *state_dir, const char *why) {
    OC_AUTO_FREE char *path = device_json(state_dir);
    OC_AUTO_FREE char *before = read_text(path);
    struct oc_identity *id = NULL;
    struct oc_error err;
    assert_int_equal(oc_identity_load_or_create(state_dir, &fake.clock, &id, &err), OC_E_CORRUPT);
    assert_null(id);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, why));
    assert_non_null(strstr(err.text, "backup"));
    OC_AUTO_FREE char *after = read_text(path);
    assert_string_equal(before, after); /* the bytes are kept */
}

static void damaged_files_are_kept_and_named(void **state) {
    OC_AUTO_FREE char *dir = oc_path_join(*state, "identity"), *path = device_json(*state);
    assert_int_equal(oc_dir_ensure_private(dir, NULL), OC_OK);
    oc_write_text(path, "");
    expect_damaged(*state, "not valid JSON");
    oc_write_text(path, "{\"version\":1}");
    expect_damaged(*state, "publicKeyPem");
    oc_write_text(path, "{\"version\":2}");
    expect_damaged(*state, "/version");
    write_reference_file(*state, VECTOR_DEVICE_ID, "no key", VECTOR_SPKI);
    expect_damaged(*state, "privateKeyPem is not an Ed25519 key");
    write_reference_file(*state, VECTOR_DEVICE_ID, VECTOR_PKCS8,
            "-----BEGIN PUBLIC "
            "KEY-----\nMCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
            "-----END PUBLIC KEY-----\n");
    expect_damaged(*state, "does not belong");
}

/* Two programs that start at the same moment end up with the same key. */
static void concurrent_starts_agree(void **state) {
    enum { CHILDREN = 8 };
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            struct oc_identity *id = NULL;
            if (oc_identity_load_or_create(*state, &oc_clock_system, &id, NULL) != OC_OK) {
                _exit(1);
            }
            ssize_t n = write(fds[1], oc_identity_device_id(id), OC_DEVICE_ID_LEN);
            oc_identity_destroy(id);
            _exit(n == OC_DEVICE_ID_LEN ? 0 : 1);
        }
    }
    char first[OC_DEVICE_ID_LEN], other[OC_DEVICE_ID_LEN];
    for (int i = 0; i < CHILDREN; i++) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
        assert_int_equal(read(fds[0], i ? other : first, OC_DEVICE_ID_LEN), OC_DEVICE_ID_LEN);
        if (i) {
            assert_memory_equal(first, other, OC_DEVICE_ID_LEN);
        }
    }
    close(fds[0]);
    close(fds[1]);
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DIR(creates_then_loads),
        IN_DIR(loads_a_file_of_the_reference),
        IN_DIR(wrong_device_id_is_corrected),
        IN_DIR(damaged_files_are_kept_and_named),
        IN_DIR(concurrent_starts_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
