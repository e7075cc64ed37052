/* What is said of a file of A2UI messages before anything is sent. */
#include "cli/canvas/a2ui_jsonl.h"

#include "tests/unit/unit.h"

#define BEGIN "{\"beginRendering\":{\"surfaceId\":\"main\",\"root\":\"r\"}}"
#define CREATE "{\"createSurface\":{\"surfaceId\":\"main\"}}"

static void check_good(const char *jsonl, size_t messages) {
    char *text = NULL;
    size_t count = 0;
    assert_int_equal(cli_a2ui_jsonl_check(jsonl, strlen(jsonl), &count, &text), OC_OK);
    assert_null(text);
    assert_int_equal(count, messages);
}

static void check_bad(const char *jsonl, enum oc_code wanted, const char *what) {
    OC_AUTO_FREE char *text = NULL;
    size_t count = 0;
    assert_int_equal(cli_a2ui_jsonl_check(jsonl, strlen(jsonl), &count, &text), wanted);
    assert_string_equal(text, what);
}

static void messages_are_counted(void **state) {
    (void)state;
    check_good(BEGIN, 1);
    check_good(BEGIN "\n\n" BEGIN "\r\n", 2);
    check_good(
            "{\"deleteSurface\":{\"surfaceId\":\"a\\u0000b\"}}\n", 1); /* for the canvas to show */
}

static void every_bad_line_is_told(void **state) {
    (void)state;
    check_bad(BEGIN "\n{\"a\":\n[1]\n" BEGIN "x\n{}\n", OC_E_INVALID,
            "Invalid A2UI JSONL:"
            "\n- line 2: SyntaxError: unexpected end of JSON at position 5"
            "\n- line 3: expected JSON object"
            "\n- line 4: SyntaxError: unexpected 'x' at position 50"
            "\n- line 5: expected exactly one action key (beginRendering, surfaceUpdate, "
            "dataModelUpdate, deleteSurface, createSurface)");
}

/* As the examples of the specification come. */
static void json_of_many_lines_is_read(void **state) {
    (void)state;
    static const char object[] = "{\n  \"beginRendering\": {\n    \"root\": \"r\"\n  }\n}\n";
    check_good(object, 1);
    check_good("[\n" BEGIN ",\n" BEGIN "\n]\n", 2);
    check_good("[" BEGIN "," BEGIN "]", 2);
    OC_AUTO_FREE char *one = cli_a2ui_jsonl_of(object, strlen(object)),
                      *two = cli_a2ui_jsonl_of("[" BEGIN "," BEGIN "]", 2 * strlen(BEGIN) + 3),
                      *as_it_is = cli_a2ui_jsonl_of(BEGIN "\r\n\n" BEGIN, 2 * strlen(BEGIN) + 3);
    assert_string_equal(one, "{   \"beginRendering\": {     \"root\": \"r\"   } }\n");
    assert_string_equal(two, BEGIN "\n" BEGIN "\n");
    assert_string_equal(as_it_is, BEGIN "\r\n\n" BEGIN);
}

static void what_is_neither_is_told_once(void **state) {
    (void)state;
    check_bad("{\n  \"beginRendering\": {\n    \"root\": r\n  }\n}\n", OC_E_INVALID,
            "Invalid A2UI JSON:\n- line 3, column 13: SyntaxError: unexpected 'r'");
    check_bad("{\n  \"beginRendering\": {\n    \"root\": \"r\"\n  }\n", OC_E_INVALID,
            "Invalid A2UI JSON:\n- line 4, column 4: SyntaxError: unexpected end of JSON");
    check_bad("Dear reader,\nthis is\nno push\nat all.\n", OC_E_INVALID,
            "Invalid A2UI JSON:\n- line 1, column 1: SyntaxError: unexpected 'D'");
    check_bad("[\n" BEGIN ",\n]\n", OC_E_INVALID,
            "Invalid A2UI JSON:\n- line 3, column 1: SyntaxError: unexpected end of JSON");
}

static void a_file_without_messages_is_no_push(void **state) {
    (void)state;
    check_bad("", OC_E_INVALID, "Invalid A2UI JSONL:\n- no JSONL messages found");
    check_bad(" \n\n", OC_E_INVALID, "Invalid A2UI JSONL:\n- no JSONL messages found");
}

static void newer_versions_are_told_apart(void **state) {
    (void)state;
    check_bad(CREATE, OC_E_UNSUPPORTED,
            "Detected A2UI v0.9 JSONL (createSurface). OpenClaw currently supports v0.8 only.");
    check_bad(CREATE "\n" BEGIN, OC_E_INVALID,
            "Invalid A2UI JSONL:\n- mixed A2UI v0.8 and v0.9 messages in one file");
    check_bad("{\"version\":\"v0.8\",\"deleteSurface\":{}}", OC_E_INVALID,
            "Invalid A2UI JSONL:\n- line 1: A2UI v0.8 messages must not include a version field");
    check_bad("{\"version\":[7],\"deleteSurface\":{}}", OC_E_INVALID,
            "Invalid A2UI JSONL:\n- line 1: unsupported A2UI version: [7]");
}

/* Whatever a person types is one line of JSON, and comes out as it went in. */
static void text_becomes_two_messages(void **state) {
    (void)state;
    OC_AUTO_FREE char *jsonl = cli_a2ui_jsonl_of_text("say \"hi\"\n\\ \x01");
    check_good(jsonl, 2);
    assert_non_null(strstr(jsonl, "\"literalString\":\"say \\\"hi\\\"\\n\\\\ \\u0001\"}"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_counted),
        cmocka_unit_test(every_bad_line_is_told),
        cmocka_unit_test(json_of_many_lines_is_read),
        cmocka_unit_test(what_is_neither_is_told_once),
        cmocka_unit_test(a_file_without_messages_is_no_push),
        cmocka_unit_test(newer_versions_are_told_apart),
        cmocka_unit_test(text_becomes_two_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
