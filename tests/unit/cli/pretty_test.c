#include "cli/pretty.h"

#include "lib/json/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_pretty(const char *json, const char *want) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    cli_pretty((struct oc_slice){ json, strlen(json) }, out);
    fclose(out);
    assert_string_equal(text, want);
    assert_true(oc_json_valid(text, len, 64));
    free(text);
}

static void test_shapes(void **state) {
    (void)state;
    assert_pretty("{}", "{}");
    assert_pretty(" [ ] ", "[]");
    assert_pretty("{\"a\":{ },\"b\":[1,2.50,-3e99]}",
            "{\n  \"a\": {},\n  \"b\": [\n    1,\n    2.50,\n    -3e99\n  ]\n}");
    assert_pretty("null", "null");
    assert_pretty("\"a\"", "\"a\"");
    assert_pretty("{ \"a\" :\n\ttrue }", "{\n  \"a\": true\n}");
}

static void test_strings_stay(void **state) {
    (void)state;
    assert_pretty("[\"{\\\"a\\\": [1, 2]}\"]", "[\n  \"{\\\"a\\\": [1, 2]}\"\n]");
    assert_pretty("[\"a\\u0000b\\\\\"]", "[\n  \"a\\u0000b\\\\\"\n]");
    assert_pretty("[12345678901234567890123]", "[\n  12345678901234567890123\n]");
    assert_pretty("[\"grün 日本 🦞\"]", "[\n  \"grün 日本 🦞\"\n]");
}

static void test_steering_is_escaped(void **state) {
    (void)state;
    assert_pretty("[\"a\x7f"
                  "b\"]",
            "[\n  \"a\\u007fb\"\n]");
    assert_pretty("[\"\xc2\x9b"
                  "31m\"]",
            "[\n  \"\\u009b31m\"\n]");
    assert_pretty("[\"\xe2\x80\xaegnp.exe\"]", "[\n  \"\\u202egnp.exe\"\n]");
    assert_pretty("[\"\xe2\x80\x93\"]", "[\n  \"\xe2\x80\x93\"\n]"); /* a dash is fine */
    assert_pretty("[\"\xc2\xa0\"]", "[\n  \"\xc2\xa0\"\n]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_strings_stay),
        cmocka_unit_test(test_steering_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
