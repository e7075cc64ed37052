#include "gateway/audit/run_end.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "tests/unit/unit.h"

static void expect(enum gw_payload_kind kind, const char *payload, const char *wanted) {
    struct gw_answer a = {
        .ok = true, .payload_kind = kind, .payload = { payload, payload ? strlen(payload) : 0 }
    };
    OC_AUTO_JSON cJSON *o = gw_run_end_of_answer(&a);
    assert_string_equal(oc_json_get_str(o, "source"), "node");
    cJSON_DeleteItemFromObjectCaseSensitive(o, "source");
    OC_AUTO_FREE char *text = oc_json_print(o, false);
    assert_string_equal(text, wanted);
}

static void results(void **state) {
    (void)state;
    expect(GW_PAYLOAD_RAW,
            "{\"exitCode\":0,\"timedOut\":false,\"stdout\":\"a\\n\\u00e4\",\"stderr\":\"\"}",
            "{\"outcome\":\"exited\",\"exitCode\":0,\"bytes\":4}");
    expect(GW_PAYLOAD_ESCAPED, "{\\\"exitCode\\\":7,\\\"stdout\\\":\\\"\\\\n\\\"}",
            "{\"outcome\":\"exited\",\"exitCode\":7,\"bytes\":1}");
    expect(GW_PAYLOAD_RAW, "{\"timedOut\":true,\"stdout\":\"x\"}",
            "{\"outcome\":\"timed-out\",\"bytes\":1}");
    expect(GW_PAYLOAD_RAW, "{\"signal\":9,\"error\":null}",
            "{\"outcome\":\"killed\",\"signal\":9,\"bytes\":0}");
    expect(GW_PAYLOAD_RAW, "{\"error\":\"spawn x ENOENT\\u001b\"}",
            "{\"outcome\":\"not-started\",\"bytes\":0,\"reason\":\"spawn x ENOENT\\\\x1b\"}");
}

static void answers_that_say_nothing(void **state) {
    (void)state;
    const char *unread =
            "{\"outcome\":\"unknown\",\"reason\":\"the node's answer could not be read\"}";
    expect(GW_PAYLOAD_NONE, NULL, unread);
    expect(GW_PAYLOAD_RAW, "[1]", unread);
    expect(GW_PAYLOAD_UNPARSED, "{", unread);
}

static void refusals(void **state) {
    (void)state;
    struct gw_answer a = { .node_code = "SYSTEM_RUN_DENIED", .message = "SYSTEM_RUN_DENIED: no" };
    OC_AUTO_JSON cJSON *refused = gw_run_end_of_answer(&a);
    assert_string_equal(oc_json_get_str(refused, "outcome"), "refused");
    struct gw_answer lost = {
        .node_code = "NOT_CONNECTED", .message = "node disconnected", .is_lost = true
    };
    OC_AUTO_JSON cJSON *unknown = gw_run_end_of_answer(&lost);
    assert_string_equal(oc_json_get_str(unknown, "outcome"), "unknown");
    assert_string_equal(oc_json_get_str(unknown, "reason"), "node disconnected");
    assert_string_equal(oc_json_get_str(unknown, "source"), "gateway");
}

/* Grounds of a node are kept as data; what it may not name is not. */
static void grounds_are_kept(void **state) {
    (void)state;
    struct gw_answer a = { .node_code = "SYSTEM_RUN_DENIED",
        .message = "no",
        .grounds = { .cause = OC_CAUSE_ALLOWLIST_MISS,
                .gate = OC_GATE_LOCAL,
                .remedy = OC_REMEDY_ADD_PROGRAM,
                .subject = "/usr/bin/id" } };
    static const char wanted[] = "{\"cause\":\"ALLOWLIST_MISS\",\"gate\":\"local exec approvals\","
                                 "\"subject\":\"/usr/bin/id\",\"remedy\":\"add-program\"}";
    OC_AUTO_JSON cJSON *answered = gw_run_end_of_answer(&a);
    OC_AUTO_FREE char *of_answer = oc_json_print(oc_json_get(answered, "grounds"), false);
    assert_string_equal(of_answer, wanted);
    OC_AUTO_FREE char *text =
            oc_strfmt("{\"outcome\":\"refused\",\"reason\":\"no\",\"cause\":\"ALLOWLIST_MISS\","
                      "\"grounds\":%s}",
                    wanted);
    OC_AUTO_JSON cJSON *report = cJSON_Parse(text), *reported = gw_run_end_of_report(report);
    OC_AUTO_FREE char *of_report = oc_json_print(oc_json_get(reported, "grounds"), false);
    assert_string_equal(of_report, wanted);
    OC_AUTO_JSON cJSON *lie = cJSON_Parse("{\"outcome\":\"refused\",\"grounds\":{\"gate\":"
                                          "\"device pairing\",\"remedy\":\"approve-device\"}}");
    OC_AUTO_JSON cJSON *kept = gw_run_end_of_report(lie);
    assert_null(oc_json_get(kept, "grounds"));
}

/* A node that answers knows. */
static void definite_answers(void **state) {
    (void)state;
    static const struct {
        const char *code, *message, *outcome;
        enum oc_cause cause;
    } rows[] = {
        { "CANCELLED", "the command was cancelled and its processes were killed", "cancelled" },
        { "UNAVAILABLE", "node busy: 32 commands are running", "not-started" },
        { "INVALID_REQUEST", "command required", "not-started" },
        { "DUPLICATE_REQUEST", "has already run", "not-started" },
        { "TIMEOUT", "the deadline had passed before the command was started", "not-started",
                OC_CAUSE_NOT_STARTED },
        { "CANCELLED", "the command was not started: nobody had allowed it yet", "not-started",
                OC_CAUSE_NOT_STARTED },
        { "PAYLOAD_TOO_LARGE", "the result is too large", "failed" },
        { NULL, "node invoke failed", "failed" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct gw_answer a = { .node_code = rows[i].code,
            .message = rows[i].message,
            .grounds = { .cause = rows[i].cause } };
        OC_AUTO_JSON cJSON *o = gw_run_end_of_answer(&a);
        assert_string_equal(oc_json_get_str(o, "outcome"), rows[i].outcome);
        assert_string_equal(oc_json_get_str(o, "reason"), rows[i].message);
    }
    expect(GW_PAYLOAD_RAW, "{\"background\":true,\"handle\":\"ab\",\"gate\":\"full\"}",
            "{\"outcome\":\"started\",\"handle\":\"ab\",\"nodeSays\":{\"gate\":\"full\"}}");
}

static cJSON *reported(const char *text) {
    OC_AUTO_JSON cJSON *report = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &report, &err), OC_OK);
    return gw_run_end_of_report(report);
}

/* A node is a peer: only what we know is taken over, and nothing that a terminal would obey. */
static void reports(void **state) {
    (void)state;
    assert_null(reported("{}"));
    assert_null(reported("{\"outcome\":\"fine\"}"));
    OC_AUTO_JSON cJSON *o =
            reported("{\"outcome\":\"exited\",\"exitCode\":3,\"bytes\":-1,\"x\":1,"
                     "\"stdoutBytes\":\"9\",\"stderrBytes\":7,\"gate\":\"\\u001b[2K\","
                     "\"input\":[{\"by\":\"me\",\"bytes\":4,\"y\":1}]}");
    OC_AUTO_FREE char *text = oc_json_print(o, false);
    assert_string_equal(text, "{\"outcome\":\"exited\",\"exitCode\":3,\"stderrBytes\":7,"
                              "\"nodeSays\":{\"gate\":\"\\\\x1b[2K\"},\"source\":\"node\","
                              "\"input\":[{\"by\":\"me\",\"bytes\":4}]}");
    OC_AUTO_BUF struct oc_buf many = OC_BUF_INIT(65536);
    oc_buf_puts(&many, "{\"outcome\":\"killed\",\"input\":[");
    for (int i = 0; i < 500; i++) {
        oc_buf_puts(&many, i ? ",{\"bytes\":1}" : "{\"bytes\":1}");
    }
    oc_buf_puts(&many, "]}");
    OC_AUTO_JSON cJSON *bounded = reported(many.data);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(bounded, "input")), OC_MAX_RUN_WRITERS + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results),
        cmocka_unit_test(answers_that_say_nothing),
        cmocka_unit_test(refusals),
        cmocka_unit_test(grounds_are_kept),
        cmocka_unit_test(definite_answers),
        cmocka_unit_test(reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
