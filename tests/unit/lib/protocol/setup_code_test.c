#include "tests/unit/unit.h"

#include "lib/protocol/limits.h"
#include "lib/protocol/setup_code.h"

#include "lib/base/encode.h"

static enum oc_code decode_json(const char *json, struct oc_setup_code *ret) {
    OC_AUTO_FREE char *code = oc_base64url(json, strlen(json));
    struct oc_error err = { 0 };
    enum oc_code rc = oc_setup_code_decode(code, ret, &err);
    if (rc != OC_OK) {
        assert_null(strstr(err.text, code)); /* a code is a secret */
    }
    return rc;
}

static void round_trip(void **state) {
    (void)state;
    struct oc_setup_code in = { .url = (char *)"wss://box.local:18789",
        .token = (char *)"tok",
        .tls_fingerprint = (char *)"ab",
        .expires_at_ms = 1794787516297 };
    OC_AUTO_SECRET char *code = oc_setup_code_encode(&in);
    OC_AUTO_FREE char *link = oc_strfmt("  OC-PAIR://%s\n", code);
    const char *const forms[] = { code, link };
    for (size_t i = 0; i < OC_COUNT(forms); i++) {
        struct oc_setup_code out;
        assert_int_equal(oc_setup_code_decode(forms[i], &out, NULL), OC_OK);
        assert_string_equal(out.url, in.url);
        assert_string_equal(out.token, in.token);
        assert_string_equal(out.tls_fingerprint, in.tls_fingerprint);
        assert_int_equal(out.expires_at_ms, in.expires_at_ms);
        oc_setup_code_finish(&out);
    }
}

/* Made by 2026.9.6, which adds urls and leaves out what it does not have. */
static void foreign(void **state) {
    (void)state;
    struct oc_setup_code out;
    assert_int_equal(
            decode_json("{\"url\":\"ws://10.0.0.5:18789\",\"urls\":[\"ws://10.0.0.5:18789\"],"
                        "\"bootstrapToken\":\"t\",\"kind\":\"x\"}",
                    &out),
            OC_OK);
    assert_null(out.tls_fingerprint);
    assert_int_equal(out.expires_at_ms, 0);
    oc_setup_code_finish(&out);
}

static void refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "{}",
        "[]",
        "nonsense",
        "{\"url\":\"ws://x\"}",
        "{\"url\":\"ws://x\",\"bootstrapToken\":\"  \"}",
        "{\"url\":\"ws://x\",\"bootstrapToken\":7}",
        "{\"url\":\"http://x\",\"bootstrapToken\":\"t\"}",
        "{\"url\":\"ws://u:p@x\",\"bootstrapToken\":\"t\"}",
        "{\"url\":\"ws://x;reboot\",\"bootstrapToken\":\"t\"}",
        /* a pin that cannot be read must not become no pin */
        "{\"url\":\"wss://x\",\"bootstrapToken\":\"t\",\"tlsFingerprint\":false}",
    };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        struct oc_setup_code out;
        assert_int_equal(decode_json(bad[i], &out), OC_E_INVALID);
    }
    static const char *const no_base64[] = { "", "  ", "oc-pair://", "a b", "ä", "{}" };
    for (size_t i = 0; i < OC_COUNT(no_base64); i++) {
        struct oc_setup_code out;
        struct oc_error err;
        assert_int_equal(oc_setup_code_decode(no_base64[i], &out, &err), OC_E_INVALID);
    }
    OC_AUTO_FREE char *huge = oc_alloc(OC_MAX_SETUP_CODE_BYTES + 2);
    memset(huge, 'A', OC_MAX_SETUP_CODE_BYTES + 1);
    struct oc_setup_code out;
    assert_int_equal(oc_setup_code_decode(huge, &out, NULL), OC_E_INVALID);
}

static void urls(void **state) {
    (void)state;
    static const char *const good[] = { "ws://a", "wss://a.b:1", "ws://[::1]:2/p/q", "wss://x/" };
    static const char *const bad[] = { "", "a", "ws://", "WS://a", "ws:///p", "ws://a?b",
        "ws://a#b", "ws://a/ b", "ws://a'b", "wss://u@h" };
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        assert_true(oc_setup_url_ok(good[i]));
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_false(oc_setup_url_ok(bad[i]));
    }
    assert_false(oc_setup_url_ok(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(round_trip), cmocka_unit_test(foreign),
        cmocka_unit_test(refused), cmocka_unit_test(urls) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
