#include "tests/unit/unit.h"

#include "cli/pairing/qr.h"

static size_t count_of(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        n++;
    }
    return n;
}

static void draws_two_modules_per_cell(void **state) {
    (void)state;
    /* dark, dark / light, dark */
    static const unsigned char modules[] = { 0xc1, 0x03, 0xc0, 0x01 };
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(4096);
    cli_qr_draw(modules, 2, &out);
    oc_buf_putc(&out, '\0');
    assert_int_equal(count_of(out.data, "\n"), 5); /* (2 + 8) / 2 */
    assert_int_equal(count_of(out.data, "▀"), 1);
    assert_int_equal(count_of(out.data, "█"), 1);
    assert_int_equal(count_of(out.data, "▄"), 0);
}

/* With the library it draws, without it the text names the package. */
static void encodes_or_says_what_is_missing(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(262144);
    struct oc_error err = { 0 };
    enum oc_code rc = cli_qr_encode("https://example.org", &out, &err);
    if (rc == OC_OK) {
        oc_buf_putc(&out, '\0');
        assert_int_equal(count_of(out.data, "\n"), (25 + 8 + 1) / 2); /* version 2 is 25 wide */
    } else {
        assert_int_equal(rc, OC_E_UNAVAILABLE);
        assert_non_null(strstr(err.text, "libqrencode4"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(draws_two_modules_per_cell),
        cmocka_unit_test(encodes_or_says_what_is_missing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
