#include "tests/unit/unit.h"

#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"
#include "node/argv/run_params.h"

static enum oc_code decode(
        const char *text, struct nd_run_params *ret, cJSON **ret_tree, struct oc_error *err) {
    assert_int_equal(oc_json_parse(text, strlen(text), ret_tree, NULL), OC_OK);
    return nd_run_params_decode(*ret_tree, ret, err);
}

static void whole(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *tree = NULL;
    struct nd_run_params p;
    struct oc_error err;
    assert_int_equal(
            decode("{\"command\":[\"ls\",\"-l\"],\"rawCommand\":\"ls -l\",\"cwd\":\" /tmp "
                   "\",\"env\":{\"A\":\"b\"},"
                   "\"timeoutMs\":1500.7,\"needsScreenRecording\":false,\"agentId\":\"main\","
                   "\"sessionKey\":\"s\",\"runId\":\"r\",\"approved\":true,\"unknown\":1}",
                    &p, &tree, &err),
            OC_OK);
    assert_int_equal(p.argv.count, 2);
    assert_string_equal(p.text, "ls -l");
    assert_string_equal(p.cwd, "/tmp");
    assert_string_equal(p.agent_id, "main");
    assert_string_equal(p.session_key, "s");
    assert_string_equal(p.run_id, "r");
    assert_int_equal(p.timeout_ms, 1500);
    assert_non_null(p.env);
    nd_run_params_finish(&p);
}

static void nulls_and_blanks_are_absent(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *tree = NULL;
    struct nd_run_params p;
    struct oc_error err;
    assert_int_equal(decode("{\"command\":[\"ls\"],\"rawCommand\":null,\"cwd\":null,\"env\":null,"
                            "\"timeoutMs\":null,"
                            "\"needsScreenRecording\":null,\"agentId\":\" "
                            "\",\"sessionKey\":\"\",\"runId\":null}",
                             &p, &tree, &err),
            OC_OK);
    assert_null(p.cwd);
    assert_null(p.agent_id);
    assert_null(p.session_key);
    assert_null(p.run_id);
    assert_null(p.env);
    assert_int_equal(p.timeout_ms, 0);
    nd_run_params_finish(&p);
}

static void timeouts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = { { "0", 0 }, { "-5", 0 }, { "0.2", 1 }, { "300", 300 },
        { "1e300", OC_MAX_INVOKE_MS } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *text =
                oc_strfmt("{\"command\":[\"ls\"],\"timeoutMs\":%s}", cases[i].text);
        OC_AUTO_JSON cJSON *tree = NULL;
        struct nd_run_params p;
        assert_int_equal(decode(text, &p, &tree, NULL), OC_OK);
        assert_int_equal(p.timeout_ms, cases[i].ms);
        nd_run_params_finish(&p);
    }
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "{}", "command required" },
        { "{\"command\":[]}", "command required" },
        { "{\"command\":null}", "command required" },
        { "{\"command\":[\" \",\"x\"]}", "command required" },
        { "{\"rawCommand\":\"uname\"}", "rawCommand requires params.command" },
        { "{\"command\":\"ls\"}", "INVALID_REQUEST: at /command: must be array" },
        { "{\"command\":[\"ls\",1]}", "INVALID_REQUEST: at /command/1: must be string" },
        { "{\"command\":[\"ls\"],\"cwd\":1}", "INVALID_REQUEST: at /cwd: must be string" },
        { "{\"command\":[\"ls\"],\"env\":[]}", "INVALID_REQUEST: at /env: must be object" },
        { "{\"command\":[\"ls\"],\"timeoutMs\":\"1\"}",
                "INVALID_REQUEST: at /timeoutMs: must be number" },
        { "{\"command\":[\"ls\"],\"agentId\":\"*\"}",
                "INVALID_REQUEST: at /agentId: must be one agent" },
        { "{\"command\":[\"ls\"],\"rawCommand\":\"cat\"}",
                "INVALID_REQUEST: rawCommand does not match command" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_JSON cJSON *tree = NULL;
        struct nd_run_params p;
        struct oc_error err = { 0 };
        assert_int_equal(decode(cases[i].text, &p, &tree, &err), OC_E_INVALID);
        assert_string_equal(err.text, cases[i].message);
        assert_string_equal(oc_wire_code(&err), "INVALID_REQUEST");
        nd_run_params_finish(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(nulls_and_blanks_are_absent),
        cmocka_unit_test(timeouts),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
