#include "tests/unit/lib/identity/vectors.h"
#include "tests/unit/unit.h"

#include "lib/identity/identity.h"

static void from_seed(void **state) {
    (void)state;
    struct oc_identity *id = NULL;
    assert_int_equal(oc_identity_from_seed(vector_seed, &id, NULL), OC_OK);
    assert_string_equal(oc_identity_public_key(id), VECTOR_PUBLIC_KEY);
    assert_string_equal(oc_identity_device_id(id), VECTOR_DEVICE_ID);
    oc_identity_destroy(id);
    oc_identity_destroy(NULL);
}

static void generated_ones_differ_and_work(void **state) {
    (void)state;
    struct oc_identity *a = NULL, *b = NULL;
    assert_int_equal(oc_identity_generate(&a, NULL), OC_OK);
    assert_int_equal(oc_identity_generate(&b, NULL), OC_OK);
    assert_string_not_equal(oc_identity_device_id(a), oc_identity_device_id(b));
    OC_AUTO_FREE char *signature = oc_identity_sign(a, "text");
    assert_int_equal(strlen(signature), OC_SIGNATURE_LEN);
    assert_true(oc_signature_verify(oc_identity_public_key(a), "text", signature));
    assert_false(oc_signature_verify(oc_identity_public_key(b), "text", signature));
    oc_identity_destroy(a);
    oc_identity_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_seed),
        cmocka_unit_test(generated_ones_differ_and_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
