#include "tests/unit/unit.h"

#include "lib/base/encode.h"

static void percent(void **state) {
    (void)state;
    assert_int_equal(oc_percent_value("%41", 3), 'A');
    assert_int_equal(oc_percent_value("%fFx", 4), 255);
    assert_int_equal(oc_percent_value("%00", 3), 0);
    static const char *const none[] = { "", "%", "%4", "%4g", "%g4", "%%4", "41%", "a%41" };
    for (size_t i = 0; i < OC_COUNT(none); i++) {
        assert_int_equal(oc_percent_value(none[i], strlen(none[i])), -1);
    }
    assert_int_equal(oc_percent_value("%41", 2), -1);
}

static void hex(void **state) {
    (void)state;
    char out[9];
    oc_hex((const uint8_t[]){ 0x00, 0x9f, 0xff, 0x10 }, 4, out);
    assert_string_equal(out, "009fff10");
}

static void base64_of_rfc4648(void **state) {
    (void)state;
    static const char *const cases[][2] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" },
        { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
        { "foobar", "Zm9vYmFy" } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        size_t len = strlen(cases[i][0]), got = 99;
        OC_AUTO_FREE char *text = oc_base64(cases[i][0], len);
        assert_string_equal(text, cases[i][1]);
        uint8_t back[10];
        assert_true(oc_base64_decode(text, strlen(text), back, sizeof(back), &got));
        assert_int_equal(got, len);
        assert_memory_equal(back, cases[i][0], len);
    }
}

static void url_alphabet_and_round_trip(void **state) {
    (void)state;
    OC_AUTO_FREE char *text = oc_base64url("\xfb\xff\xfe", 3);
    assert_string_equal(text, "-__-");
    for (size_t len = 0; len < 70; len++) {
        uint8_t data[70], back[70];
        size_t got = 0;
        oc_random(data, len);
        OC_AUTO_FREE char *url = oc_base64url(data, len);
        OC_AUTO_FREE char *std = oc_base64(data, len);
        assert_null(strchr(url, '='));
        assert_true(oc_base64_decode(url, strlen(url), back, len, &got) && got == len);
        assert_memory_equal(back, data, len);
        assert_true(oc_base64_decode(std, strlen(std), back, len, &got) && got == len);
        assert_memory_equal(back, data, len);
        if (len > 0) {
            assert_false(oc_base64_decode(url, strlen(url), back, len - 1, &got));
        }
    }
}

static void decoder_refuses(void **state) {
    (void)state;
    static const char *const bad[] = { "Z", "Zg=", "Zg===", "====", "=", "Zm9v=", "Zm 9v", "Zm9v\n",
        "Zh==", "Zm9" /* left-over bits */, "Zg==Zg==", "Z*==" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        uint8_t out[16];
        size_t n = 0;
        assert_false(oc_base64_decode(bad[i], strlen(bad[i]), out, sizeof(out), &n));
    }
    uint8_t out[16];
    size_t n = 0;
    assert_true(oc_base64_decode("Zm8", 3, out, sizeof(out), &n));
}

static void uuids_are_version_4_and_differ(void **state) {
    (void)state;
    char a[OC_UUID_LEN + 1], b[OC_UUID_LEN + 1];
    oc_uuid4(a);
    oc_uuid4(b);
    assert_string_not_equal(a, b);
    assert_int_equal(strlen(a), 36);
    assert_int_equal(a[14], '4');
    assert_non_null(strchr("89ab", a[19]));
    assert_true(a[8] == '-' && a[13] == '-' && a[18] == '-' && a[23] == '-');
    assert_int_equal(strspn(a, "0123456789abcdef-"), 36);
}

static void random_fills_large_buffers(void **state) {
    (void)state;
    uint8_t data[1000] = { 0 };
    oc_random(data, sizeof(data));
    size_t zeros = 0;
    for (size_t i = 0; i < sizeof(data); i++) {
        zeros += data[i] == 0;
    }
    assert_true(zeros < 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hex),
        cmocka_unit_test(percent),
        cmocka_unit_test(base64_of_rfc4648),
        cmocka_unit_test(url_alphabet_and_round_trip),
        cmocka_unit_test(decoder_refuses),
        cmocka_unit_test(uuids_are_version_4_and_differ),
        cmocka_unit_test(random_fills_large_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
