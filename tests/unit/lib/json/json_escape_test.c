#include "tests/unit/unit.h"

#include "lib/base/encode.h"
#include "lib/json/json_scan.h"

static void unescapes(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        { "", "" },
        { "plain", "plain" },
        { "\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t" },
        { "\\u00e4\\u20AC", "ä€" },
        { "\\ud83d\\ude00", "\U0001f600" },
        { "a\\ud83d", "a\uFFFD" },
        { "\\ude00z", "\uFFFDz" },
        { "\\ud83d\\ud83d\\ude00", "\uFFFD\U0001f600" },
        { "\\ud83d\\n", "\uFFFD\n" },
        { "\\ud83d\\u0041", "\uFFFDA" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct oc_slice body = { cases[i][0], strlen(cases[i][0]) };
        OC_AUTO_FREE char *text = oc_json_unescape(body, 100);
        assert_non_null(text);
        assert_string_equal(text, cases[i][1]);
    }
}

static void ceilings_and_nul(void **state) {
    (void)state;
    assert_null(oc_json_unescape(SLICE("a\\u0000b"), 100));
    assert_null(oc_json_unescape(SLICE("abcdef"), 5));
    OC_AUTO_FREE char *exact = oc_json_unescape(SLICE("\\u00e4bc"), 4);
    assert_string_equal(exact, "äbc");
    assert_null(oc_json_unescape(SLICE("\\u00e4bc"), 3));
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(10);
    assert_int_equal(oc_json_unescape_append(&out, SLICE("a\\u0000b")), OC_OK);
    assert_int_equal(out.len, 3);
    assert_int_equal(oc_json_unescape_append(&out, SLICE("12345678")), OC_E_TOO_LARGE);
}

/* Whatever the size of the pieces, what comes out is the same. */
static void pieces_add_up(void **state) {
    (void)state;
    static const char body[] =
            "x\\ud83d\\ude00 plain \\n \\u20ac ü end of a longer piece \\\\ \\\"q\\\"";
    OC_AUTO_FREE char *want = oc_json_unescape(SLICE(body), 1000);
    for (size_t max = 4; max < 80; max++) {
        struct oc_slice rest = SLICE(body);
        char out[200];
        size_t n = 0, got;
        while ((got = oc_json_unescape_step(&rest, out + n, max)) > 0) {
            assert_true(got <= max);
            n += got;
        }
        assert_int_equal(n, strlen(want));
        assert_memory_equal(out, want, n);
    }
}

static void escapes(void **state) {
    (void)state;
    struct oc_slice text = SLICE("\"\\\b\f\n\r\t\x01\x1f\x7füz");
    char out[100];
    size_t n = oc_json_escape_step(&text, out, sizeof(out) - 1);
    out[n] = '\0';
    assert_string_equal(out, "\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7füz");
    assert_int_equal(text.len, 0);
    assert_int_equal(oc_json_escape_step(&text, out, sizeof(out)), 0);
}

static void round_trip_of_random_text(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        char text[300], body[2000];
        size_t len = (size_t)round;
        oc_random(text, len);
        for (size_t i = 0; i < len; i++) {
            text[i] = (char)(text[i] & 0x7f);
        }
        struct oc_slice in = { text, len };
        size_t n = 0, got, piece = 12 + (size_t)round % 40;
        while ((got = oc_json_escape_step(&in, body + n, piece)) > 0) {
            n += got;
        }
        OC_AUTO_BUF struct oc_buf back = OC_BUF_INIT(1000);
        assert_int_equal(oc_json_unescape_append(&back, (struct oc_slice){ body, n }), OC_OK);
        assert_int_equal(back.len, len);
        assert_memory_equal(back.data, text, len);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unescapes),
        cmocka_unit_test(ceilings_and_nul),
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(escapes),
        cmocka_unit_test(round_trip_of_random_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
