#include "gateway/audit.h"

#include "base/mem.h"
#include "gateway/store_priv.h"
#include "protocol/limits.h"
#include "tests/unit/unit.h"

static int setup(void **state) {
    struct oc_store *s = NULL;
    struct oc_error err;
    assert_int_equal(oc_store_open(":memory:", &s, &err), OC_OK);
    assert_int_equal(oc_audit_open(s, &err), OC_OK);
    assert_int_equal(oc_audit_open(s, &err), OC_OK); /* as at the next start */
    *state = s;
    return 0;
}

static int teardown(void **state) {
    oc_store_close(*state);
    return 0;
}

static int64_t add(struct oc_store *s, enum oc_audit_book book, int64_t at_ms, int64_t ref,
        const char *node, const char *kind) {
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    oc_json_set_str(doc, "kind", kind);
    int64_t seq = 0;
    struct oc_error err;
    struct oc_audit_row row = { .at_ms = at_ms, .ref = ref, .node_id = node, .doc = doc };
    assert_int_equal(oc_audit_add(s, book, &row, &seq, &err), OC_OK);
    return seq;
}

static cJSON *list(
        struct oc_store *s, enum oc_audit_book book, struct oc_audit_query q, int64_t *ret_pruned) {
    cJSON *items = cJSON_CreateArray();
    struct oc_error err;
    assert_int_equal(oc_audit_list(s, book, &q, items, ret_pruned, &err), OC_OK);
    return items;
}

static void ends_complete_runs(void **state) {
    struct oc_store *s = *state;
    int64_t first = add(s, OC_AUDIT_RUNS, 1000, 0, "a", "run"), pruned;
    add(s, OC_AUDIT_RUNS, 2000, 0, "b", "run");
    add(s, OC_AUDIT_RUNS, 3000, first, "a", "end");
    OC_AUTO_JSON cJSON *all = list(
            s, OC_AUDIT_RUNS, (struct oc_audit_query){ .until_ms = 9000, .limit = 10 }, &pruned);
    OC_AUTO_FREE char *text = oc_json_print(all, false);
    assert_string_equal(text, "[{\"kind\":\"run\",\"atMs\":2000,\"seq\":2},"
                              "{\"kind\":\"run\",\"atMs\":1000,\"seq\":1,\"end\":{\"kind\":\"end\","
                              "\"atMs\":3000}}]");
    assert_int_equal(pruned, 0);
    OC_AUTO_JSON cJSON *some = list(s, OC_AUDIT_RUNS,
            (struct oc_audit_query){
                    .node_id = "a", .since_ms = 1001, .until_ms = 9000, .limit = 9 },
            &pruned);
    assert_int_equal(cJSON_GetArraySize(some), 0);
}

static void oldest_fall_out(void **state) {
    struct oc_store *s = *state;
    struct oc_error err;
    assert_int_equal(oc_store_begin(s, &err), OC_OK);
    for (int64_t i = 1; i <= OC_MAX_AUDIT_REFUSALS + 5; i++) {
        assert_int_equal(add(s, OC_AUDIT_REFUSALS, i, 0, NULL, "refused"), i);
    }
    assert_int_equal(oc_store_commit(s, &err), OC_OK);
    int64_t pruned;
    struct oc_audit_query q = { .until_ms = 100000, .limit = 100000 };
    OC_AUTO_JSON cJSON *all = list(s, OC_AUDIT_REFUSALS, q, &pruned);
    assert_int_equal(cJSON_GetArraySize(all), OC_MAX_AUDIT_REFUSALS);
    assert_int_equal(pruned, 5);
    OC_AUTO_JSON cJSON *runs = list(s, OC_AUDIT_RUNS, q, &pruned);
    assert_int_equal(cJSON_GetArraySize(runs), 0);
    assert_int_equal(pruned, 0);
}

static void rows_stay_as_they_are(void **state) {
    struct oc_store *s = *state;
    struct oc_error err;
    add(s, OC_AUDIT_RUNS, 1, 0, NULL, "run");
    assert_int_not_equal(oc_store_exec(s, "DELETE FROM exec_audit", &err), OC_OK);
    assert_non_null(strstr(err.text, "append-only"));
    assert_int_not_equal(oc_store_exec(s, "UPDATE exec_audit SET at_ms = 2", &err), OC_OK);
    assert_int_not_equal(
            oc_store_exec(s, "REPLACE INTO exec_audit(seq, at_ms, doc) VALUES(1, 2, '{}')", &err),
            OC_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = { TEST(ends_complete_runs), TEST(oldest_fall_out),
        TEST(rows_stay_as_they_are) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
