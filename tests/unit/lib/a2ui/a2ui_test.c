#include "tests/unit/unit.h"

#include "lib/a2ui/a2ui.h"

static void lines_are_trimmed_and_counted(void **state) {
    (void)state;
    static const char text[] = "\xef\xbb\xbf {1}\r\n\n \t \xef\xbb\xbf\n{2}\v\n\n{3}";
    static const struct {
        size_t number;
        const char *text;
    } want[] = { { 1, "{1}" }, { 4, "{2}" }, { 6, "{3}" } };
    struct oc_a2ui_lines lines = { .at = text, .end = text + sizeof(text) - 1 };
    struct oc_slice line;
    for (size_t i = 0; i < OC_COUNT(want); i++) {
        assert_true(oc_a2ui_next_line(&lines, &line));
        assert_int_equal(lines.number, want[i].number);
        assert_true(oc_slice_eq(line, want[i].text));
    }
    assert_false(oc_a2ui_next_line(&lines, &line));
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
        cmocka_unit_test(keys_make_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
