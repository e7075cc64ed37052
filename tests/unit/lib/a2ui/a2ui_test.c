#include "tests/unit/unit.h"

#include "lib/a2ui/a2ui.h"

struct wanted {
    size_t line;
    const char *text;
};

/* want ends with a line of 0. */
static void assert_messages(const char *text, bool is_lines, const struct wanted *want) {
    struct oc_a2ui_reader r;
    struct oc_slice message;
    oc_a2ui_begin(&r, text, strlen(text));
    assert_int_equal(r.is_lines, is_lines);
    for (; want->line; want++) {
        assert_true(oc_a2ui_next(&r, &message));
        assert_int_equal(r.line, want->line);
        OC_AUTO_FREE char *got = oc_strndup(message.ptr, message.len);
        assert_string_equal(got, want->text);
    }
    assert_false(oc_a2ui_next(&r, &message));
    assert_false(oc_a2ui_next(&r, &message));
}
#define MESSAGES(text, is_lines, ...) \
    assert_messages(text, is_lines, (const struct wanted[]){ __VA_ARGS__ __VA_OPT__(, ){ 0 } })

static void lines_are_trimmed_and_counted(void **state) {
    (void)state;
    MESSAGES("\xef\xbb\xbf {1}\r\n\n \t \xef\xbb\xbf\n{2}\v\n\n{3}", true, { 1, "{1}" },
            { 4, "{2}" }, { 6, "{3}" });
    MESSAGES("", true);
    MESSAGES(" \n\t", true);
    MESSAGES("7\n\"a b\"\n-1e3\nnull", true, { 1, "7" }, { 2, "\"a b\"" }, { 3, "-1e3" },
            { 4, "null" });
}

static void values_may_have_many_lines(void **state) {
    (void)state;
    MESSAGES("{\n \"a\": [\n {}\n ]\n}\n", false, { 1, "{\n \"a\": [\n {}\n ]\n}" });
    MESSAGES("{\n}\n\n{\n\"}\\\"{\": 1}\n{}", false, { 1, "{\n}" }, { 4, "{\n\"}\\\"{\": 1}" },
            { 6, "{}" });
    MESSAGES("{\"a\":1}\n{\n}", false, { 1, "{\"a\":1}" }, { 2, "{\n}" });
}

static void arrays_are_opened_once(void **state) {
    (void)state;
    MESSAGES("[{\"a\":[1,2]}, {\"b\":\",]\"}]", true, { 1, "{\"a\":[1,2]}" },
            { 1, "{\"b\":\",]\"}" });
    MESSAGES("[\n {\n },\n [1, 2],\n 3\n]\n", false, { 2, "{\n }" }, { 4, "[1, 2]" }, { 5, "3" });
    MESSAGES("[1,]", true, { 1, "1" }, { 1, "" }); /* for a parser to complain about */
    MESSAGES("[]", true, { 1, "[]" });
    MESSAGES("{}\n[{},{}]\n{}", true, { 1, "{}" }, { 2, "{}" }, { 2, "{}" }, { 3, "{}" });
}

/* What is neither is not torn into lines, but a broken line among good ones is one line. */
static void what_is_neither_comes_as_one(void **state) {
    (void)state;
    MESSAGES("# A\ntext\nof\nmany lines\n", false, { 1, "# A\ntext\nof\nmany lines" });
    MESSAGES("[\n{\n},\n{\n\"a\": 1\n", false, { 1, "[\n{\n},\n{\n\"a\": 1" });
    MESSAGES("{}\n{\"a\":\n{}\n{}", true, { 1, "{}" }, { 2, "{\"a\":" }, { 3, "{}" }, { 4, "{}" });
    MESSAGES("{\"open\n}\n{}\n{}\n{}", true, { 1, "{\"open" }, { 2, "}" }, { 3, "{}" }, { 4, "{}" },
            { 5, "{}" });
}

static void places_count_characters(void **state) {
    (void)state;
    static const char text[] = "\n\n{\n \"é\": x\n}";
    struct oc_a2ui_reader r;
    struct oc_slice message;
    size_t line, column;
    oc_a2ui_begin(&r, text, strlen(text));
    assert_true(oc_a2ui_next(&r, &message));
    oc_a2ui_place(&r, strchr(text, 'x'), &line, &column);
    assert_int_equal(line, 4);
    assert_int_equal(column, 7);
    oc_a2ui_place(&r, message.ptr, &line, &column);
    assert_int_equal(line, 3);
    assert_int_equal(column, 1);
}

static void a_message_becomes_one_line(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100);
    assert_int_equal(oc_a2ui_put_line(&out, SLICE("{\n \"a\":\r\n1}")), OC_OK);
    assert_string_equal(out.data, "{  \"a\":  1}\n");
}

static bool has_word(const void *words, const char *key) {
    return strstr(words, key) != NULL;
}

static void assert_keys(const char *words, size_t kinds, bool creates, const char *newer) {
    struct oc_a2ui_keys keys = oc_a2ui_keys_of(words, has_word);
    assert_int_equal(keys.kinds, kinds);
    assert_int_equal(keys.creates_surface, creates);
    assert_string_equal(keys.newer ? keys.newer : "", newer);
}

static void keys_make_a_message(void **state) {
    (void)state;
    assert_keys("", 0, false, "");
    assert_keys("what", 0, false, "");
    assert_keys("surfaceUpdate", 1, false, "");
    assert_int_equal(oc_a2ui_keys_of("surfaceUpdate", has_word).kind, OC_MESSAGE_SURFACE_UPDATE);
    assert_int_equal(oc_a2ui_keys_of("deleteSurface", has_word).kind, OC_MESSAGE_DELETE_SURFACE);
    assert_keys("surfaceUpdate beginRendering", 2, false, "");
    assert_keys("version createSurface", 0, true, "createSurface");
    assert_keys("version dataModelUpdate", 1, false, "version");
    assert_keys("updateComponents", 0, false, "updateComponents");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_trimmed_and_counted),
        cmocka_unit_test(values_may_have_many_lines),
        cmocka_unit_test(arrays_are_opened_once),
        cmocka_unit_test(what_is_neither_comes_as_one),
        cmocka_unit_test(places_count_characters),
        cmocka_unit_test(a_message_becomes_one_line),
        cmocka_unit_test(keys_make_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
