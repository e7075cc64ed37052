#include "tests/unit/unit.h"

#include "canvas/model/model.h"

#define GOOD "{\"deleteSurface\":{\"surfaceId\":\"x\"}}"

static struct cv_push *accepted(const char *jsonl) {
    struct cv_push *p = NULL;
    struct oc_error err = { 0 };
    if (cv_push_parse(jsonl, strlen(jsonl), &p, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return p;
}

static void refused(const char *jsonl, const char *text) {
    struct cv_push *p = NULL;
    struct oc_error err = { 0 };
    assert_int_equal(cv_push_parse(jsonl, strlen(jsonl), &p, &err), OC_E_INVALID);
    assert_null(p);
    assert_string_equal(err.text, text);
}

static void accepts_lines(void **state) {
    (void)state;
    OC_AUTO(cv_push) struct cv_push *p = accepted("\n  \r\n" GOOD "\r\n\n" GOOD);
    assert_int_equal(cv_push_count(p), 2);
    OC_AUTO(cv_push) struct cv_push *bom = accepted("\xef\xbb\xbf" GOOD "\n");
    assert_int_equal(cv_push_count(bom), 1);
    OC_AUTO(cv_push)
    struct cv_push *more = accepted("{\"deleteSurface\":{\"surfaceId\":\"x\"},\"other\":1}");
    assert_int_equal(cv_push_count(more), 1);
}

static void names_the_bad_lines(void **state) {
    (void)state;
    refused("\n\n[1]\n", "A2UI JSONL line 3: expected a JSON object");
    refused(GOOD "\n{\"deleteSurface\":}",
            "A2UI JSONL line 2: expected a JSON object (unexpected '}' at position 17)");
    refused("{\"createSurface\":{}}", "A2UI JSONL line 1: looks like A2UI v0.9 (`createSurface`). "
                                      "Canvas supports v0.8 messages only.");
    refused("{\"version\":\"v0.9\",\"deleteSurface\":{}}",
            "A2UI JSONL line 1: looks like A2UI v0.9 (`version`). Canvas supports v0.8 messages "
            "only.");
    refused("{}", "A2UI JSONL line 1: expected exactly one of beginRendering, dataModelUpdate, "
                  "deleteSurface, surfaceUpdate; found: none");
    refused("{\"surfaceUpdate\":{},\"z\":1,\"beginRendering\":{}}",
            "A2UI JSONL line 1: expected exactly one of beginRendering, dataModelUpdate, "
            "deleteSurface, surfaceUpdate; found: beginRendering, surfaceUpdate, z");
    refused("{\"updateComponents\":{}}",
            "A2UI JSONL line 1: expected exactly one of beginRendering, dataModelUpdate, "
            "deleteSurface, surfaceUpdate; found: updateComponents");
    refused("1\n" GOOD "\n\"x\"\n",
            "A2UI JSONL line 1: expected a JSON object\nA2UI JSONL line 3: expected a JSON object");
    refused(" \n", "no JSONL messages found");
}

static void accepts_json_of_many_lines(void **state) {
    (void)state;
    OC_AUTO(cv_push)
    struct cv_push *object = accepted("{\n  \"deleteSurface\": {\n  \"surfaceId\": \"x\"\n }\n}\n");
    assert_int_equal(cv_push_count(object), 1);
    OC_AUTO(cv_push) struct cv_push *array = accepted("[\n" GOOD ",\n" GOOD "\n]");
    assert_int_equal(cv_push_count(array), 2);
    OC_AUTO(cv_push) struct cv_push *line = accepted("[" GOOD "," GOOD "]");
    assert_int_equal(cv_push_count(line), 2);
    refused("[\n" GOOD ",\n7\n]", "A2UI JSONL line 3: expected a JSON object");
    refused("{\n\"deleteSurface\": {\n\"a\": 1,\n}\n}",
            "A2UI JSON line 4, column 1: expected a JSON object (unexpected '}')");
    refused("Dear reader,\nthis is\nno push\nat all.",
            "A2UI JSON line 1, column 1: expected a JSON object (unexpected 'D')");
}

static void many_errors_are_counted(void **state) {
    (void)state;
    struct oc_buf text = OC_BUF_INIT(1 << 20);
    for (int i = 0; i < 500; i++) {
        oc_buf_puts(&text, "7\n");
    }
    struct cv_push *p = NULL;
    struct oc_error err;
    assert_int_equal(cv_push_parse(text.data, text.len, &p, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "and 49"));
    struct cv_push_errors errors;
    assert_false(cv_push_read(text.data, text.len, &p, &errors));
    assert_int_equal(errors.count, CV_MAX_DIAGNOSTICS);
    assert_int_equal(errors.count + errors.dropped, 500);
    assert_int_equal(errors.items[7].line, 8);
    assert_int_equal(errors.items[7].fault, CV_PUSH_NOT_OBJECT);
    cv_push_errors_clear(&errors);
    oc_buf_finish(&text);
}

static void has_ceilings(void **state) {
    (void)state;
    struct cv_push *p = NULL;
    struct oc_error err;
    size_t len = CV_MAX_PUSH + 1;
    char *spaces = oc_alloc(len);
    memset(spaces, ' ', len);
    assert_int_equal(cv_push_parse(spaces, len, &p, &err), OC_E_TOO_LARGE);
    assert_string_equal(err.text, "A2UI JSONL: larger than 16 MiB");
    memset(spaces, '1', CV_MAX_LINE + 1);
    assert_int_equal(cv_push_parse(spaces, CV_MAX_LINE + 1, &p, &err), OC_E_TOO_LARGE);
    assert_string_equal(err.text, "A2UI JSONL line 1: longer than 8 MiB");
    /* 2 × 2 million values: too many for memory, not too many bytes */
    for (size_t i = 0; i < CV_MAX_LINE; i += 2) {
        memcpy(spaces + i, "1,", 2);
    }
    memcpy(spaces, "[1", 2);
    assert_int_equal(cv_push_parse(spaces, CV_MAX_LINE, &p, &err), OC_E_TOO_LARGE);
    oc_free(spaces);
}

static void messages_as_an_array(void **state) {
    (void)state;
    OC_AUTO(cv_value) struct cv_value *v = NULL;
    assert_int_equal(cv_value_parse("[" GOOD ",7]", strlen(GOOD) + 4, &v, NULL), OC_OK);
    struct cv_push *p = NULL;
    struct oc_error err;
    assert_int_equal(cv_push_parse_array(v, &p, &err), OC_E_INVALID);
    assert_string_equal(err.text, "A2UI messages[1]: expected a JSON object");
    assert_int_equal(cv_push_parse_array(NULL, &p, &err), OC_E_INVALID);
    assert_string_equal(err.text, "messages[] required");
    OC_AUTO(cv_value) struct cv_value *good = NULL;
    assert_int_equal(cv_value_parse("[" GOOD "]", strlen(GOOD) + 2, &good, NULL), OC_OK);
    assert_int_equal(cv_push_parse_array(good, &p, &err), OC_OK);
    assert_int_equal(cv_push_count(p), 1);
    cv_push_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_lines),
        cmocka_unit_test(names_the_bad_lines),
        cmocka_unit_test(accepts_json_of_many_lines),
        cmocka_unit_test(many_errors_are_counted),
        cmocka_unit_test(has_ceilings),
        cmocka_unit_test(messages_as_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
