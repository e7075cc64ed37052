/* Taking over the reference's files. */
#include "gateway/pairing/store_import.h"
#include "gateway/store/store.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "tests/any_int.h"
#include "tests/unit/temp_dir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define D1 "56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c"
#define K1 "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"

static char *dir;
static struct gw_store *store;

static int setup(void **state) {
    (void)state;
    dir = temp_dir_make();
    OC_AUTO_FREE char *devices = oc_path_join(dir, "devices");
    OC_AUTO_FREE char *nodes = oc_path_join(dir, "nodes");
    return mkdir(devices, 0700) || mkdir(nodes, 0700) ||
           gw_store_open(":memory:", &store, NULL) != OC_OK;
}

static int teardown(void **state) {
    (void)state;
    gw_store_close(store);
    temp_dir_remove(dir);
    return 0;
}

static void write_file(const char *name, const char *text) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    assert_int_equal(oc_file_write_private(path, text, strlen(text), NULL), OC_OK);
}

static size_t import_ok(void) {
    size_t devices = 999;
    struct oc_error err = { 0 };
    if (gw_store_import(store, dir, &devices, &err) != OC_OK) {
        fail_msg("import: %s", err.text);
    }
    return devices;
}

static size_t count(enum gw_table t) {
    size_t n = 999;
    assert_int_equal(gw_store_count(store, t, &n, NULL), OC_OK);
    return n;
}

static cJSON *get(enum gw_table t, const char *key) {
    cJSON *doc = NULL;
    struct oc_error err = { 0 };
    if (gw_store_get(store, t, key, &doc, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return doc;
}

static void devices_are_copied_whole(void **state) {
    (void)state;
    static const char entry[] =
            "{\"deviceId\":\"" D1 "\",\"publicKey\":\"" K1 "\",\"platform\":\"linux\","
            "\"role\":\"node\",\"roles\":[\"node\"],\"scopes\":[],\"approvedScopes\":[],"
            "\"tokens\":{\"node\":{\"token\":\"t\",\"role\":\"node\",\"scopes\":[],"
            "\"createdAtMs\":1794787516324}},\"createdAtMs\":1794787516323,"
            "\"approvedAtMs\":1794787516323}";
    OC_AUTO_FREE char *file = oc_strfmt("{\n  \"" D1 "\": %s\n}", entry);
    write_file("devices/paired.json", file);
    assert_int_equal(import_ok(), 1);
    OC_AUTO_JSON cJSON *doc = get(GW_DEVICES, D1);
    OC_AUTO_FREE char *text = oc_json_print(doc, false);
    assert_string_equal(text, entry);
}

static void arrays_and_bare_entries_are_keyed(void **state) {
    (void)state;
    write_file("devices/paired.json",
            "[{\"deviceId\":\"a\",\"publicKey\":\"k\",\"role\":\"operator\"}]");
    write_file("nodes/paired.json", "{\"n1\":{\"displayName\":\"One\"}}");
    assert_int_equal(import_ok(), 1);
    OC_AUTO_JSON cJSON *device = get(GW_DEVICES, "a");
    OC_AUTO_JSON cJSON *node = get(GW_NODES, "n1");
    assert_string_equal(oc_json_get_str(device, "publicKey"), "k");
    assert_string_equal(oc_json_get_str(node, "nodeId"), "n1");
}

static void keys_get_the_form_a_connect_compares(void **state) {
    (void)state;
    write_file("devices/paired.json",
            "{\"" D1 "\":{\"role\":\"node\",\"publicKey\":\"-----BEGIN PUBLIC KEY-----\\n"
            "MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\\n"
            "-----END PUBLIC KEY-----\\n\"}}");
    assert_int_equal(import_ok(), 1);
    OC_AUTO_JSON cJSON *doc = get(GW_DEVICES, D1);
    assert_string_equal(oc_json_get_str(doc, "publicKey"), K1);
}

static void scopes_belong_to_operators(void **state) {
    (void)state;
    write_file("devices/paired.json",
            "{\"n\":{\"publicKey\":\"k\",\"role\":\"node\",\"scopes\":[\"operator.admin\"]},"
            "\"o\":{\"publicKey\":\"k\",\"role\":\"node\",\"roles\":[\"node\",\"operator\"],"
            "\"scopes\":[\"operator.read\"],\"approvedScopes\":[\"operator.read\"]}}");
    assert_int_equal(import_ok(), 2);
    OC_AUTO_JSON cJSON *node = get(GW_DEVICES, "n");
    OC_AUTO_JSON cJSON *both = get(GW_DEVICES, "o");
    assert_int_equal(cJSON_GetArraySize(oc_json_get(node, "scopes")), 0);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(both, "scopes")), 1);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(both, "approvedScopes")), 1);
}

static void nodes_are_approved_only_with_commands(void **state) {
    (void)state;
    write_file("nodes/paired.json",
            "{\"n1\":{\"nodeId\":\"n1\",\"token\":\"t\",\"displayName\":\"Kitchen\","
            "\"commands\":[\"system.run\"],\"createdAtMs\":5,\"approvedAtMs\":6},"
            "\"n2\":{\"nodeId\":\"n2\",\"token\":\"t\",\"commands\":[],\"approvedAtMs\":6},"
            "\"n3\":{\"nodeId\":\"n3\",\"token\":\"t\",\"approvedAtMs\":6},"
            "\"n4\":{\"nodeId\":\"n4\",\"commands\":\"system.run\",\"approvedAtMs\":6}}");
    assert_int_equal(import_ok(), 0);
    OC_AUTO_JSON cJSON *n1 = get(GW_NODES, "n1");
    assert_int_equal(any_int(n1, "approvedAtMs", 0), 6);
    assert_string_equal(oc_json_get_str(n1, "displayNameSource"), "device");
    static const char *const others[] = { "n2", "n3", "n4" };
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        OC_AUTO_JSON cJSON *node = get(GW_NODES, others[i]);
        assert_null(oc_json_get(node, "approvedAtMs"));
    }
}

static void it_happens_once(void **state) {
    (void)state;
    assert_int_equal(import_ok(), 0); /* no files at all: they may still come */
    write_file("devices/paired.json", "{\"a\":{\"publicKey\":\"k\",\"role\":\"node\"}}");
    assert_int_equal(import_ok(), 1);
    assert_null(gw_store_import_missed_by(store, dir));
    write_file("devices/paired.json", "{\"b\":{\"publicKey\":\"k\",\"role\":\"node\"}}");
    assert_int_equal(import_ok(), 0);
    assert_int_equal(count(GW_DEVICES), 1);
    OC_AUTO_FREE char *missed = gw_store_import_missed_by(store, dir);
    assert_non_null(strstr(missed, "devices/paired.json"));
}

static void what_is_ours_stays(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *ours = cJSON_CreateObject();
    oc_json_set_str(ours, "publicKey", "ours");
    assert_int_equal(gw_store_put(store, GW_DEVICES, "a", NULL, ours, NULL), OC_OK);
    write_file("devices/paired.json", "{\"a\":{\"publicKey\":\"k\",\"role\":\"node\"},"
                                      "\"b\":{\"publicKey\":\"k\",\"role\":\"node\"}}");
    assert_int_equal(import_ok(), 1);
    OC_AUTO_JSON cJSON *a = get(GW_DEVICES, "a");
    assert_string_equal(oc_json_get_str(a, "publicKey"), "ours");
}

static void broken_files_import_nothing(void **state) {
    (void)state;
    static const char good[] = "\"good\":{\"publicKey\":\"k\",\"role\":\"node\"}";
    static const struct {
        const char *file, *text, *words;
    } rows[] = {
        { "devices/paired.json", "", "not valid JSON" },
        { "devices/paired.json", "{GOOD", "not valid JSON" },
        { "devices/paired.json", "{GOOD,GOOD}", "duplicate key 'good'" },
        { "devices/paired.json", "\"text\"", "neither an object nor an array" },
        { "devices/paired.json", "null", "neither an object nor an array" },
        { "devices/paired.json", "{GOOD,\"x\":7}", "entry 'x' is unusable, it is not an object" },
        { "devices/paired.json", "[{\"publicKey\":\"k\",\"role\":\"node\"}]", "it has no id" },
        { "devices/paired.json", "{GOOD,\"x\":{\"role\":\"node\"}}", "it has no publicKey" },
        { "devices/paired.json", "{GOOD,\"x\":{\"publicKey\":\"k\"}}", "it has no role" },
        { "devices/paired.json",
                "{GOOD,\"x\":{\"publicKey\":\"k\",\"role\":\"node\",\"tokens\":[]}}",
                "its tokens are not an object" },
        { "devices/paired.json",
                "{GOOD,\"x\":{\"publicKey\":\"k\",\"role\":\"node\",\"tokens\":{\"node\":{}}}}",
                "one of its tokens has no value" },
        { "nodes/paired.json", "{", "not valid JSON" },
        { "nodes/paired.json", "[1]", "it is not an object" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(10000);
        for (const char *p = rows[i].text; *p; p++) {
            if (strncmp(p, "GOOD", 4) == 0) {
                oc_buf_puts(&text, good);
                p += 3;
            } else {
                oc_buf_putc(&text, *p);
            }
        }
        OC_AUTO_FREE char *all_good = oc_strfmt("{%s}", good);
        write_file("devices/paired.json", all_good);
        write_file("nodes/paired.json", "{}");
        write_file(rows[i].file, text.data ? text.data : "");
        size_t devices = 999;
        struct oc_error err = { 0 };
        assert_int_equal(gw_store_import(store, dir, &devices, &err), OC_E_CORRUPT);
        assert_int_equal(devices, 999);
        assert_int_equal(count(GW_DEVICES), 0);
        if (!strstr(err.text, rows[i].words) || !strstr(err.text, rows[i].file) ||
                !strstr(err.text, "nothing was imported")) {
            fail_msg("row %zu: %s", i, err.text);
        }
    }
    /* Once the file is right, the import happens: the failures left no marker. */
    write_file("devices/paired.json", "{\"a\":{\"publicKey\":\"k\",\"role\":\"node\"}}");
    write_file("nodes/paired.json", "{}");
    assert_int_equal(import_ok(), 1);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(devices_are_copied_whole),
        T(arrays_and_bare_entries_are_keyed),
        T(keys_get_the_form_a_connect_compares),
        T(scopes_belong_to_operators),
        T(nodes_are_approved_only_with_commands),
        T(it_happens_once),
        T(what_is_ours_stays),
        T(broken_files_import_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
