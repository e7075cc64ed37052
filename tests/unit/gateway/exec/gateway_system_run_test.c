#include "gateway/exec/system_run.h"

#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

static char *filter(const char *params) {
    struct oc_blob *out = NULL;
    struct oc_error err;
    struct oc_slice in = { params, strlen(params) };
    if (gw_system_run_params(in, &out, &err) != OC_OK) {
        return NULL;
    }
    char *text = oc_strdup(out->data);
    oc_blob_unref(out);
    return text;
}

/* A caller says what to run, never that it is approved. */
static void test_only_listed_keys(void **state) {
    (void)state;
    OC_AUTO_FREE char *all = filter(
            "{\"approved\":true,\"approvalDecision\":\"allow-always\",\"runId\":\"r\",\"command\":["
            "\"a\"],\"rawCommand\":\"a\","
            "\"cwd\":\"/"
            "\",\"env\":{\"A\":\"b\"},\"timeoutMs\":5,\"needsScreenRecording\":false,\"agentId\":"
            "\"main\","
            "\"sessionKey\":\"s\",\"Approved\":true,\"systemRunPlan\":{},\"policySnapshot\":{}}");
    assert_string_equal(all, "{\"command\":[\"a\"],\"rawCommand\":\"a\",\"cwd\":\"/"
                             "\",\"env\":{\"A\":\"b\"},\"timeoutMs\":5,"
                             "\"needsScreenRecording\":false,\"agentId\":\"main\",\"sessionKey\":"
                             "\"s\",\"runId\":\"r\"}");
    OC_AUTO_FREE char *empty = filter("{\"approved\":true}");
    assert_string_equal(empty, "{}");
}

/* A value is two bytes here and eighty as a tree. */
static void test_many_values(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1024 * 1024);
    (void)oc_buf_puts(&text, "{\"command\":[\"a\"],\"x\":[0");
    for (int i = 0; i < OC_MAX_REQUEST_VALUES; i++) {
        (void)oc_buf_puts(&text, ",0");
    }
    (void)oc_buf_puts(&text, "]}");
    struct oc_blob *out = NULL;
    struct oc_error err;
    assert_int_equal(gw_system_run_params((struct oc_slice){ text.data, text.len }, &out, &err),
            OC_E_TOO_LARGE);
    assert_non_null(strstr(err.text, "more than 32768 values"));
}

static void test_refusals(void **state) {
    (void)state;
    assert_null(filter("[1]"));
    assert_null(filter("\"x\""));
    assert_null(filter("{\"command\":1,\"command\":2}"));
    assert_null(filter("{\"command\":[\"a\"],\"env\":[\"x\"]}"));
    assert_null(filter("{\"command\":[\"a\"],\"env\":\"x\"}"));
    OC_AUTO_FREE char *no_env = filter("{\"command\":[\"a\"],\"env\":null}");
    assert_non_null(no_env);
    struct oc_blob *out = NULL;
    struct oc_error err;
    OC_AUTO_FREE char *big = oc_alloc((size_t)3 * 1024 * 1024);
    memset(big, ' ', (size_t)3 * 1024 * 1024 - 1);
    assert_int_not_equal(
            gw_system_run_params((struct oc_slice){ big, strlen(big) }, &out, &err), OC_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_listed_keys),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
