#include "tests/unit/lib/identity/vectors.h"
#include "tests/unit/unit.h"

#include "lib/identity/identity.h"

static const char *const cli_scopes[] = { "operator.admin", "operator.read" };

static const struct {
    struct oc_device_claim claim;
    int version;
    const char *rest; /* behind "vN|<deviceId>" */
    const char *signature;
} vectors[] = {
    { { VECTOR_DEVICE_ID, "node-host", "node", "node", NULL, 0, 1700000000000, "secret-token",
              "11111111-2222-3333-4444-555555555555", "linux", NULL },
            2,
            "|node-host|node|node||1700000000000|secret-token|11111111-2222-3333-4444-555555555555",
            "Ow1rfpW-SHvkiKB3LpH6q3FPeKsIjm-"
            "86KDpYlwgZMPwnlXlpHgnZvkXlR1CkXXAhE4Y2iWWa39DcsOoHgwHDg" },
    { { VECTOR_DEVICE_ID, "node-host", "node", "node", NULL, 0, 1700000000000, "secret-token",
              "11111111-2222-3333-4444-555555555555", "linux", NULL },
            3,
            "|node-host|node|node||1700000000000|secret-token|11111111-2222-3333-4444-555555555555|"
            "linux|",
            "aMVvpDHOqXUOBmmTRVmRyghTWZ6LoNblLmZEcQ7ngkXG7iXcJyBcsY2yAPIHzgMHVeP11pVesS3I6-"
            "O9o6W7CQ" },
    { { VECTOR_DEVICE_ID, "cli", "cli", "operator", cli_scopes, 2, 1700000000000, NULL, "n-1", NULL,
              NULL },
            2, "|cli|cli|operator|operator.admin,operator.read|1700000000000||n-1",
            "a03_Yt83I6z2_ybCe1JzOiF_j-0yU1W87-LRwy-"
            "MQceAnmA5TzLdAiyvaPUSX578X6eUEup9ZXYOW12OX9LtDA" },
    { { VECTOR_DEVICE_ID, "cli", "cli", "operator", cli_scopes, 2, 1700000000000, NULL, "n-1",
              " DarWin\n", "Mac" },
            3, "|cli|cli|operator|operator.admin,operator.read|1700000000000||n-1|darwin|mac",
            "_pgXbywbas5GxAWJA8WdVdU4ufnpHSLghV6hRxlfEzeM1q-KJ-"
            "AmXSsanuW25Ba96AARbyXjPUuObV3QirY8AA" },
};

static void published_vectors(void **state) {
    (void)state;
    struct oc_identity *id = NULL;
    assert_int_equal(oc_identity_from_seed(vector_seed, &id, NULL), OC_OK);
    for (size_t i = 0; i < OC_COUNT(vectors); i++) {
        OC_AUTO_FREE char *text = oc_device_claim_text(&vectors[i].claim, vectors[i].version);
        OC_AUTO_FREE char *want =
                oc_strfmt("v%d|" VECTOR_DEVICE_ID "%s", vectors[i].version, vectors[i].rest);
        assert_string_equal(text, want);
        OC_AUTO_FREE char *signature = oc_identity_sign(id, text);
        assert_string_equal(signature, vectors[i].signature);
        assert_true(oc_signature_verify(VECTOR_PUBLIC_KEY, text, signature));
    }
    oc_identity_destroy(id);
}

static void nothing_else_verifies(void **state) {
    (void)state;
    OC_AUTO_FREE char *text = oc_device_claim_text(&vectors[0].claim, 2);
    const char *good = vectors[0].signature;
    assert_true(oc_signature_verify(VECTOR_PUBLIC_KEY, text, good));
    assert_false(oc_signature_verify(VECTOR_PUBLIC_KEY, "other", good));
    assert_false(oc_signature_verify(VECTOR_PUBLIC_KEY, text, vectors[1].signature));
    assert_false(oc_signature_verify(VECTOR_PUBLIC_KEY, text, ""));
    assert_false(oc_signature_verify(VECTOR_PUBLIC_KEY, text, "AAAA"));
    assert_false(oc_signature_verify(VECTOR_PUBLIC_KEY, text, NULL));
    assert_false(oc_signature_verify("AAAA", text, good));
    assert_false(oc_signature_verify(NULL, text, good));
    char flipped[100];
    (void)snprintf(flipped, sizeof(flipped), "%s", good);
    flipped[0] = 'P';
    assert_false(oc_signature_verify(VECTOR_PUBLIC_KEY, text, flipped));
}

static void keys_in_every_spelling(void **state) {
    (void)state;
    static const char *const spellings[] = { VECTOR_PUBLIC_KEY, VECTOR_PUBLIC_KEY "=",
        "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=", " " VECTOR_PUBLIC_KEY "\n", VECTOR_SPKI };
    static const char *const bad[] = { "", "AAAA", VECTOR_PUBLIC_KEY "AAAA",
        "!6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg", VECTOR_PKCS8 };
    char key[OC_PUBLIC_KEY_LEN + 1], device_id[OC_DEVICE_ID_LEN + 1];
    for (size_t i = 0; i < OC_COUNT(spellings); i++) {
        assert_true(oc_public_key_normalize(spellings[i], key, device_id));
        assert_string_equal(key, VECTOR_PUBLIC_KEY);
        assert_string_equal(device_id, VECTOR_DEVICE_ID);
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_false(oc_public_key_normalize(bad[i], key, device_id));
    }
    assert_false(oc_public_key_normalize(NULL, key, device_id));
}

static void sha256(void **state) {
    (void)state;
    char hex[65];
    oc_sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(nothing_else_verifies),
        cmocka_unit_test(keys_in_every_spelling),
        cmocka_unit_test(sha256),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
