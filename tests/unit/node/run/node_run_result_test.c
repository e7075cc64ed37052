/* Results and events as bytes: encodings, ceilings, NULs. */
#include "tests/unit/unit.h"

#include "lib/json/json_scan.h"
#include "node/run/run_result.h"

static void put(struct oc_buf *b, const char *bytes, size_t len) {
    *b = OC_BUF_INIT(ND_MAX_OUTPUT_BYTES);
    assert_int_equal(oc_buf_append(b, bytes, len), OC_OK);
}

static void check(struct nd_process_result *r, const char *expected) {
    struct nd_run_result o;
    nd_run_result_init(&o, r);
    struct nd_run_end end = { .exit = nd_run_exit_of(r) };
    struct oc_blob *json = nd_run_result_json(&end, &o);
    assert_string_equal(json->data, expected);
    assert_true(oc_json_valid(json->data, json->len, 8));
    oc_blob_unref(json);
    nd_run_result_finish(&o);
    oc_buf_finish(&r->out);
    oc_buf_finish(&r->err);
}

static void endings(void **state) {
    (void)state;
    struct nd_process_result r = { .end = { .status = 0 } };
    check(&r, "{\"exitCode\":0,\"timedOut\":false,\"success\":true,\"stdout\":\"\",\"stderr\":\"\","
              "\"error\":null}");
    r = (struct nd_process_result){ .end = { .status = 3 } };
    put(&r.out, "out\n", 4);
    put(&r.err, "err", 3);
    check(&r, "{\"exitCode\":3,\"timedOut\":false,\"success\":false,\"stdout\":\"out\\n\","
              "\"stderr\":\"err\",\"error\":null}");
    r = (struct nd_process_result){ .end = { .by_signal = true, .status = 15 } };
    check(&r, "{\"signal\":15,\"timedOut\":false,\"success\":false,\"stdout\":\"\",\"stderr\":\"\","
              "\"error\":null}");
    r = (struct nd_process_result){ .end = { .by_signal = true, .status = 9 }, .timed_out = true };
    check(&r, "{\"signal\":9,\"timedOut\":true,\"success\":false,\"stdout\":\"\",\"stderr\":\"\","
              "\"error\":null}");
    /* It ended by itself in the very moment its time was over. */
    r = (struct nd_process_result){ .timed_out = true };
    check(&r,
            "{\"timedOut\":true,\"success\":false,\"stdout\":\"\",\"stderr\":\"\",\"error\":null}");
}

static void bytes(void **state) {
    (void)state;
    struct nd_process_result r = { 0 };
    put(&r.out, "\xff\0x", 3);
    put(&r.err, "\xc3\xa9 \xc3", 4);
    check(&r, "{\"exitCode\":0,\"timedOut\":false,\"success\":true,\"stdout\":"
              "\"\xef\xbf\xbd\\u0000x\","
              "\"stderr\":\"\xc3\xa9 \xef\xbf\xbd\",\"error\":null}");
}

static void truncation(void **state) {
    (void)state;
    struct nd_process_result r = { .is_truncated = true };
    put(&r.out, "abc\xc3", 4); /* cut in the middle of a character */
    check(&r, "{\"exitCode\":0,\"timedOut\":false,\"success\":true,\"stdout\":\"abc\\n... "
              "(truncated)\","
              "\"stderr\":\"\",\"error\":null}");
    r = (struct nd_process_result){ .is_truncated = true };
    put(&r.out, "abc", 3);
    put(&r.err, "e\n", 2);
    check(&r, "{\"exitCode\":0,\"timedOut\":false,\"success\":true,\"stdout\":\"abc\","
              "\"stderr\":\"e\\n\\n... (truncated)\",\"error\":null}");
    r = (struct nd_process_result){ .is_truncated = true };
    put(&r.out, "abc", 3);
    put(&r.err, " \n", 2);
    check(&r, "{\"exitCode\":0,\"timedOut\":false,\"success\":true,\"stdout\":\"abc\\n... "
              "(truncated)\","
              "\"stderr\":\" \\n\",\"error\":null}");
}

/* The worst a program can print still fits. */
static void worst_output(void **state) {
    (void)state;
    static const char fills[] = { '\xff', '\0', '"', '\x01' };
    for (size_t i = 0; i < OC_COUNT(fills); i++) {
        struct nd_process_result r = { 0 };
        r.out = OC_BUF_INIT(ND_MAX_OUTPUT_BYTES);
        memset(oc_buf_reserve(&r.out, ND_MAX_OUTPUT_BYTES), fills[i], ND_MAX_OUTPUT_BYTES);
        r.out.len = ND_MAX_OUTPUT_BYTES;
        struct nd_run_result o;
        nd_run_result_init(&o, &r);
        assert_false(o.out.failed);
        struct nd_run_end end = { .exit = nd_run_exit_of(&r) };
        struct oc_blob *json = nd_run_result_json(&end, &o);
        assert_true(oc_json_valid(json->data, json->len, 8));
        assert_true(json->len > ND_MAX_OUTPUT_BYTES);
        oc_blob_unref(json);
        nd_run_result_finish(&o);
        oc_buf_finish(&r.out);
    }
}

static void never_started(void **state) {
    (void)state;
    struct nd_run_result o;
    char reason[] = "spawn x \"ENOENT\"";
    struct nd_run_end end = { .outcome = OC_OUTCOME_NOT_STARTED, .reason = reason };
    nd_run_result_init(&o, NULL);
    struct oc_blob *json = nd_run_result_json(&end, &o);
    assert_string_equal(json->data,
            "{\"timedOut\":false,\"success\":false,\"stdout\":\"\",\"stderr\":\"\","
            "\"error\":\"spawn x \\\"ENOENT\\\"\"}");
    oc_blob_unref(json);
    nd_run_result_finish(&o);
}

static const struct nd_run_label label = {
    .session_key = "s", .run_id = "r", .command = "echo \"a\""
};

static void finished_event(void **state) {
    (void)state;
    struct nd_process_result r = { 0 };
    put(&r.out, "\n out\n", 6);
    put(&r.err, "err\n", 4);
    struct nd_run_result o;
    nd_run_result_init(&o, &r);
    struct nd_run_end end = { .label = label, .exit = nd_run_exit_of(&r) };
    struct oc_blob *json = nd_run_finished_json(&end, &o, NULL);
    assert_string_equal(json->data,
            "{\"sessionKey\":\"s\",\"runId\":\"r\",\"host\":\"node\",\"command\":\"echo "
            "\\\"a\\\"\","
            "\"exitCode\":0,\"timedOut\":false,\"success\":true,\"output\":\"out\\n\\nerr\"}");
    oc_blob_unref(json);
    nd_run_result_finish(&o);
    oc_buf_finish(&r.out);
    oc_buf_finish(&r.err);
}

static void finished_event_keeps_the_end(void **state) {
    (void)state;
    struct nd_process_result r = { 0 };
    r.out = OC_BUF_INIT(ND_MAX_OUTPUT_BYTES);
    for (int i = 0; i < 30000; i++) {
        oc_buf_puts(&r.out, "\xc3\xa9");
    }
    oc_buf_puts(&r.out, "end!x\n"); /* odd, so that the cut falls into a character */
    struct nd_run_result o;
    nd_run_result_init(&o, &r);
    struct nd_run_end end = { .label = label, .exit = nd_run_exit_of(&r) };
    struct oc_blob *json = nd_run_finished_json(&end, &o, NULL);
    assert_true(oc_json_valid(json->data, json->len, 8));
    assert_non_null(strstr(json->data, "\"output\":\"... (truncated) \xc3\xa9"));
    assert_non_null(strstr(json->data, "\xc3\xa9"
                                       "end!x\"}"));
    assert_true(json->len < ND_MAX_EVENT_OUTPUT + 500);
    oc_blob_unref(json);
    nd_run_result_finish(&o);
    oc_buf_finish(&r.out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings),
        cmocka_unit_test(bytes),
        cmocka_unit_test(truncation),
        cmocka_unit_test(worst_output),
        cmocka_unit_test(never_started),
        cmocka_unit_test(finished_event),
        cmocka_unit_test(finished_event_keeps_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
