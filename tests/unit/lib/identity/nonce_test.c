#include "lib/identity/nonce.h"

#include "tests/unit/unit.h"

#define PIN "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

static void a_challenge_names_its_gateway(void **state) {
    (void)state;
    char nonce[OC_NONCE_LEN + 1], plain[OC_NONCE_LEN + 1];
    oc_nonce_make(PIN, nonce);
    oc_nonce_make(NULL, plain);
    assert_int_equal(strlen(nonce), OC_NONCE_LEN);
    assert_int_equal(strlen(plain), 36);
    assert_true(oc_nonce_fits(nonce, PIN));
    assert_false(oc_nonce_fits(nonce, OTHER));
    assert_false(oc_nonce_fits(nonce, "")); /* passed on over a plain connection */
    assert_false(oc_nonce_fits(nonce, NULL));
    assert_true(oc_nonce_fits(plain, PIN)); /* TLS ends at a proxy */
    assert_true(oc_nonce_fits(plain, ""));
}

static void nonces_of_others_are_just_nonces(void **state) {
    (void)state;
    static const char *const nonces[] = { "n-1", "", "11111111-2222-3333-4444-555555555555",
        ".tls-", "x.tls-" PIN "0",
        "x.tls-0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef" };
    for (size_t i = 0; i < OC_COUNT(nonces); i++) {
        assert_true(oc_nonce_fits(nonces[i], ""));
        assert_true(oc_nonce_fits(nonces[i], OTHER));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_challenge_names_its_gateway),
        cmocka_unit_test(nonces_of_others_are_just_nonces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
