#include "tests/unit/lib/identity/vectors.h"
#include "tests/unit/unit.h"

#include "lib/identity/pem.h"

#include <openssl/pem.h>

static void vectors(void **state) {
    (void)state;
    OC_AUTO_SECRET char *private_pem = oc_pem_write_private(vector_seed);
    assert_string_equal(private_pem, VECTOR_PKCS8);
    uint8_t seed[32], key[32];
    assert_true(oc_pem_read_private(VECTOR_PKCS8, seed));
    assert_memory_equal(seed, vector_seed, 32);
    assert_true(oc_pem_read_public(VECTOR_SPKI, key));
    OC_AUTO_FREE char *public_pem = oc_pem_write_public(key);
    assert_string_equal(public_pem, VECTOR_SPKI);
}

/* What we write, a general decoder reads as the same key. */
static void openssl_agrees(void **state) {
    (void)state;
    OC_AUTO_SECRET char *pem = oc_pem_write_private(vector_seed);
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    assert_non_null(key);
    assert_int_equal(EVP_PKEY_get_id(key), EVP_PKEY_ED25519);
    uint8_t raw[32], from_pem[32];
    size_t len = sizeof(raw);
    assert_int_equal(EVP_PKEY_get_raw_public_key(key, raw, &len), 1);
    BIO *out = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_PUBKEY(out, key), 1);
    char text[300] = { 0 };
    assert_true(BIO_read(out, text, sizeof(text) - 1) > 0);
    assert_true(oc_pem_read_public(text, from_pem));
    assert_memory_equal(raw, from_pem, 32);
    BIO_free(bio);
    BIO_free(out);
    EVP_PKEY_free(key);
}

static void other_line_ends(void **state) {
    (void)state;
    uint8_t key[32], plain[32];
    assert_true(oc_pem_read_public(VECTOR_SPKI, plain));
    assert_true(
            oc_pem_read_public("x\n-----BEGIN PUBLIC KEY-----\r\nMCowBQYDK2VwAyEAA6EHv/POEL4d\r\n"
                               "cN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\r\n-----END PUBLIC KEY-----",
                    key));
    assert_memory_equal(key, plain, 32);
}

static void refused(void **state) {
    (void)state;
    static const char *const bad[] = { "", "-----BEGIN PUBLIC KEY-----", VECTOR_PKCS8,
        "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
        /* X25519 instead of Ed25519 */
        "-----BEGIN PUBLIC "
        "KEY-----\nMCowBQYDK2VuAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n-----END PUBLIC "
        "KEY-----\n",
        /* one byte short */
        "-----BEGIN PUBLIC "
        "KEY-----\nMCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMQ==\n-----END PUBLIC "
        "KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\nMCow!!!!\n-----END PUBLIC KEY-----\n" };
    uint8_t key[32];
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_false(oc_pem_read_public(bad[i], key));
    }
    assert_false(oc_pem_read_private(VECTOR_SPKI, key));
    char huge[1000];
    int n = snprintf(huge, sizeof(huge), "-----BEGIN PUBLIC KEY-----\n");
    memset(huge + n, 'A', 500);
    (void)snprintf(huge + n + 500, 100, "\n-----END PUBLIC KEY-----\n");
    assert_false(oc_pem_read_public(huge, key));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(openssl_agrees),
        cmocka_unit_test(other_line_ends),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
