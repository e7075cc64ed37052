#include "lib/state/prompt_line.h"

#include "lib/base/mem.h"
#include "tests/unit/unit.h"

#define NOW 1700000000000
/* printf '%s' 'n1:1700000000000:{"command":"ls"}' | openssl dgst -sha256 -hmac secret */
#define HMAC_N1 "122ba3e29cc7c843574d75c6aea057b955eee458042f1fe12102cea607e9b100"

static enum oc_code read_line(
        struct oc_prompt_guard *g, const char *text, int64_t now_ms, struct oc_prompt_line *ret) {
    struct oc_error err;
    return oc_prompt_line_read(
            (struct oc_slice){ text, strlen(text) }, "secret", g, now_ms, ret, &err);
}

static void requests(void **state) {
    (void)state;
    struct oc_prompt_guard g = { 0 };
    struct oc_prompt_line line;
    OC_AUTO_JSON cJSON *request = cJSON_CreateObject();
    oc_json_set_str(request, "command", "ls");
    OC_AUTO_FREE char *good = oc_prompt_request_line("secret", "7", request);
    assert_int_equal(read_line(&g, good, NOW, &line), OC_OK);
    assert_int_equal(line.kind, OC_PROMPT_REQUEST);
    assert_string_equal(line.id, "7");
    assert_string_equal(oc_json_get_str(line.request, "command"), "ls");
    oc_prompt_line_finish(&line);
    OC_AUTO_FREE char *bad = oc_prompt_request_line("Secret", "7", request);
    assert_int_equal(read_line(&g, bad, NOW, &line), OC_E_AUTH);
    assert_int_equal(read_line(&g, "{\"type\":\"request\",\"request\":{}}", NOW, &line), OC_E_AUTH);
    assert_int_equal(
            read_line(&g, "{\"type\":\"request\",\"token\":\"secret\",\"request\":[]}", NOW, &line),
            OC_E_INVALID);
    assert_int_equal(
            read_line(&g, "{\"type\":\"other\",\"token\":\"secret\"}", NOW, &line), OC_E_INVALID);
    assert_int_equal(read_line(&g, "{", NOW, &line), OC_E_INVALID);
    struct oc_error err;
    assert_int_equal(
            oc_prompt_line_read((struct oc_slice){ good, strlen(good) }, "", &g, NOW, &line, &err),
            OC_E_INVALID); /* no token is no lock */
}

static void exec_lines_count_once(void **state) {
    (void)state;
    struct oc_prompt_guard g = { 0 };
    struct oc_prompt_line line;
    static const char text[] =
            "{\"type\":\"exec\",\"id\":\"1\",\"nonce\":\"n1\",\"ts\":1700000000000,"
            "\"hmac\":\"" HMAC_N1 "\",\"requestJson\":\"{\\\"command\\\":\\\"ls\\\"}\"}";
    static const char changed[] =
            "{\"type\":\"exec\",\"id\":\"1\",\"nonce\":\"n1\",\"ts\":1700000000000,"
            "\"hmac\":\"" HMAC_N1 "\",\"requestJson\":\"{\\\"command\\\":\\\"rm\\\"}\"}";
    assert_int_equal(read_line(&g, changed, NOW, &line), OC_E_AUTH);
    assert_int_equal(read_line(&g, text, NOW + OC_PROMPT_SKEW_MS + 1, &line), OC_E_AUTH);
    assert_int_equal(read_line(&g, text, NOW - OC_PROMPT_SKEW_MS - 1, &line), OC_E_AUTH);
    assert_int_equal(read_line(&g, text, NOW + 1, &line), OC_OK);
    assert_int_equal(line.kind, OC_PROMPT_EXEC);
    assert_string_equal(oc_json_get_str(line.request, "command"), "ls");
    oc_prompt_line_finish(&line);
    assert_int_equal(read_line(&g, text, NOW + 2, &line), OC_E_AUTH);
    assert_int_equal(read_line(&g, text, NOW + OC_PROMPT_SKEW_MS, &line), OC_E_AUTH);
}

static void answers(void **state) {
    (void)state;
    OC_AUTO_FREE char *decision = oc_prompt_decision_line("7", OC_DECISION_DENY);
    assert_string_equal(decision, "{\"type\":\"decision\",\"id\":\"7\",\"decision\":\"deny\"}\n");
    OC_AUTO_FREE char *refusal = oc_prompt_exec_refusal_line("8", "UNAVAILABLE", "no");
    assert_string_equal(refusal, "{\"type\":\"exec-res\",\"id\":\"8\",\"ok\":false,"
                                 "\"error\":{\"code\":\"UNAVAILABLE\",\"message\":\"no\"}}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),
        cmocka_unit_test(exec_lines_count_once),
        cmocka_unit_test(answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
