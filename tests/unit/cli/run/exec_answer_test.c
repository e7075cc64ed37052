#include "cli/run/exec_answer.h"

#include "lib/base/mem.h"
#include "lib/json/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int exit_of(const char *result) {
    OC_AUTO_FREE char *answer = oc_strfmt("{\"ok\":true,\"payload\":%s}", result);
    struct cli_exec_answer r;
    struct oc_error err;
    assert_int_equal(
            cli_exec_answer_decode((struct oc_slice){ answer, strlen(answer) }, &r, &err), OC_OK);
    int code = cli_exec_exit_code(&r);
    cli_exec_answer_finish(&r);
    return code;
}

static void test_exit_codes(void **state) {
    (void)state;
    assert_int_equal(
            exit_of("{\"exitCode\":0,\"timedOut\":false,\"success\":true,\"error\":null}"), 0);
    assert_int_equal(exit_of("{\"exitCode\":3,\"timedOut\":false}"), 3);
    assert_int_equal(exit_of("{\"exitCode\":-1}"), 255);
    assert_int_equal(exit_of("{\"timedOut\":true,\"error\":null}"), 124);
    assert_int_equal(exit_of("{\"timedOut\":false,\"error\":\"spawn nope ENOENT\"}"), 127);
    assert_int_equal(exit_of("{\"timedOut\":false,\"error\":\"spawn /etc/passwd EACCES\"}"), 126);
    assert_int_equal(exit_of("{\"timedOut\":false,\"signal\":9}"), 137);
    assert_int_equal(exit_of("{\"timedOut\":false}"), 1);
    assert_int_equal(exit_of("{\"exitCode\":1e400}"), 1);
}

static void test_output_is_exact(void **state) {
    (void)state;
    static const char answer[] = "{\"ok\":true,\"payload\":{\"stdout\":"
                                 "\"a\\u0000b\\n\\ud83e\\udd9e\",\"stderr\":\"\\u001b[0m\"}}";
    struct cli_exec_answer r;
    struct oc_error err;
    assert_int_equal(
            cli_exec_answer_decode((struct oc_slice){ answer, strlen(answer) }, &r, &err), OC_OK);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1024);
    assert_int_equal(oc_json_unescape_append(&out, r.out), OC_OK);
    assert_int_equal(out.len, 8);
    assert_memory_equal(out.data, "a\0b\n\xf0\x9f\xa6\x9e", 8);
    oc_buf_clear(&out);
    assert_int_equal(oc_json_unescape_append(&out, r.err), OC_OK);
    assert_string_equal(out.data, "\x1b[0m");
    cli_exec_answer_finish(&r);
}

static void test_payload_json_only(void **state) {
    (void)state;
    static const char answer[] =
            "{\"ok\":true,\"payloadJSON\":\"{\\\"exitCode\\\":7,\\\"stdout\\\":\\\"x\\\\n\\\"}\"}";
    struct cli_exec_answer r;
    struct oc_error err;
    assert_int_equal(
            cli_exec_answer_decode((struct oc_slice){ answer, strlen(answer) }, &r, &err), OC_OK);
    assert_int_equal(cli_exec_exit_code(&r), 7);
    OC_AUTO_FREE char *text = oc_json_unescape(r.out, 100);
    assert_string_equal(text, "x\n");
    cli_exec_answer_finish(&r);
}

static void test_refusals(void **state) {
    (void)state;
    static const char *const bad[] = { "", "[]", "{}", "{\"payload\":3}", "{\"payloadJSON\":\"{\"}",
        "{\"payloadJSON\":\"[1]\"}", "{\"payloadJSON\":\"\"}", "{\"payloadJSON\":null}" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        struct cli_exec_answer r;
        struct oc_error err;
        assert_int_not_equal(
                cli_exec_answer_decode((struct oc_slice){ bad[i], strlen(bad[i]) }, &r, &err),
                OC_OK);
        cli_exec_answer_finish(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_output_is_exact),
        cmocka_unit_test(test_payload_json_only),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
