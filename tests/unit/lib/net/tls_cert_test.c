#include "lib/net/tls_cert.h"

#include "lib/files/file.h"
#include "tests/unit/unit.h"

static void test_a_pair_is_made_once(void **state) {
    struct oc_error err;
    OC_AUTO_FREE char *dir = oc_path_join(*state, "a/tls");
    OC_AUTO_FREE char *cert = oc_path_join(dir, "cert.pem");
    OC_AUTO_FREE char *key = oc_path_join(dir, "key.pem");
    assert_int_equal(oc_tls_cert_create(cert, key, &err), OC_OK);
    assert_int_equal(oc_mode_of(dir), 0700);
    assert_int_equal(oc_mode_of(cert), 0600);
    assert_int_equal(oc_mode_of(key), 0600);
    struct oc_tls_server *t = NULL;
    assert_int_equal(oc_tls_server_create(cert, key, &t, &err), OC_OK);
    assert_int_equal(strlen(oc_tls_server_pin(t)), OC_TLS_PIN_LEN);
    char pin[OC_TLS_PIN_LEN + 1];
    assert_true(oc_tls_cert_pin(cert, pin));
    assert_string_equal(pin, oc_tls_server_pin(t));
    assert_false(oc_tls_cert_pin(key, pin)); /* no certificate in it */
    assert_false(oc_tls_cert_pin(dir, pin));
    assert_int_equal(oc_tls_server_add_chain(t, cert, &err), OC_OK);
    assert_int_equal(oc_tls_server_add_chain(t, key, &err), OC_E_IO); /* no certificate in it */
    assert_non_null(strstr(err.text, key));

    assert_int_equal(oc_tls_cert_create(cert, key, &err), OC_E_EXISTS);
    struct oc_tls_server *again = NULL;
    assert_int_equal(oc_tls_server_create(cert, key, &again, &err), OC_OK);
    assert_string_equal(oc_tls_server_pin(again), oc_tls_server_pin(t));
    oc_tls_server_destroy(t);
    oc_tls_server_destroy(again);
}

static void test_half_a_pair_is_not_left(void **state) {
    struct oc_error err;
    OC_AUTO_FREE char *cert = oc_path_join(*state, "cert.pem");
    OC_AUTO_FREE char *key = oc_path_join(*state, "key.pem");
    assert_int_equal(oc_file_write_private(cert, "mine", 4, &err), OC_OK);
    assert_int_equal(oc_tls_cert_create(cert, key, &err), OC_E_EXISTS);
    assert_non_null(strstr(err.text, cert));
    assert_false(oc_file_exists(key));
    /* A link to nowhere is something, too. */
    OC_AUTO_FREE char *dangling = oc_path_join(*state, "dangling");
    OC_AUTO_FREE char *target = oc_path_join(*state, "target");
    assert_int_equal(symlink(target, dangling), 0);
    assert_int_equal(oc_tls_cert_create(target, dangling, &err), OC_E_EXISTS);
    assert_false(oc_file_exists(target));
}

static void test_shown(void **state) {
    (void)state;
    static const char pin[] = "00ff10abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123";
    char shown[OC_TLS_SHOWN_LEN + 1], back[OC_TLS_PIN_LEN + 1];
    oc_tls_pin_shown(pin, shown);
    assert_int_equal(strlen(shown), OC_TLS_SHOWN_LEN);
    assert_memory_equal(shown, "00:FF:10:AB:CD:", 15);
    assert_true(oc_tls_pin_normalize(shown, back));
    assert_string_equal(back, pin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_pair_is_made_once, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                test_half_a_pair_is_not_left, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test(test_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
