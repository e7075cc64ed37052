/* gateway.moved: what a node believes of it. Every doubt must end in staying. */
#include "tests/unit/unit.h"

#include "lib/json/json.h"
#include "node/link/moves.h"

#define PIN_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define PIN_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char here[] = "127.0.0.1", lan[] = "192.168.1.5", root[] = "/", prefix[] = "/gw",
            pin_a[] = PIN_A;
static const struct nd_place plain_here = { .host = here, .path = root, .port = 18789 };
static const struct nd_place plain_lan = { .host = lan, .path = root, .port = 18789 };
static const struct nd_place pinned = {
    .host = lan, .path = prefix, .port = 18789, .tls = true, .tls_fingerprint = pin_a
};
static const struct nd_place by_authority = {
    .host = lan, .path = root, .port = 18789, .tls = true
};

/* The URL and pin of where it leads, "stay", "refused" or "no tls". Caller frees. */
static char *judge(const char *text, const struct nd_place *at, bool is_named) {
    OC_AUTO_JSON cJSON *payload = NULL;
    struct nd_place to = { 0 };
    struct oc_error err = { 0 };
    assert_int_equal(oc_json_parse(text, strlen(text), &payload, NULL), OC_OK);
    enum nd_move move = nd_move_judge(payload, at, is_named, &to, &err);
    OC_AUTO_FREE char *url = move == ND_MOVE_FOLLOW ? nd_place_url(&to) : NULL;
    char *said = move == ND_MOVE_NONE     ? oc_strdup("stay")
                 : move == ND_MOVE_NO_TLS ? oc_strdup("no tls")
                 : move == ND_MOVE_REFUSED
                         ? oc_strdup("refused")
                         : oc_strfmt("%s %.4s", url, to.tls_fingerprint ? to.tls_fingerprint : "-");
    assert_int_equal(err.text[0] != '\0', move == ND_MOVE_REFUSED || move == ND_MOVE_NO_TLS);
    nd_place_finish(&to);
    return said;
}

static void expect(const char *text, const struct nd_place *at, bool is_named, const char *wanted) {
    OC_AUTO_FREE char *said = judge(text, at, is_named);
    if (strcmp(said, wanted) != 0) {
        fail_msg("%s: %s, wanted %s", text, said, wanted);
    }
}

static void over_tls(void **state) {
    (void)state;
    expect("{\"port\":18789,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\"}", &pinned, false,
            "stay");
    expect("{\"port\":18789,\"tls\":true,\"tlsFingerprint\":\"" PIN_B "\"}", &pinned, false,
            "wss://192.168.1.5:18789/gw bbbb");
    expect("{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\",\"contextPath\":\"/\"}",
            &pinned, false, "wss://192.168.1.5:5 aaaa");
    expect("{\"host\":\"new.example\",\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_B "\"}",
            &pinned, false, "wss://new.example:5/gw bbbb");
    /* Less than it is. */
    expect("{\"port\":18789,\"tls\":false}", &pinned, true, "no tls");
    expect("{\"host\":\"127.0.0.1\",\"port\":18789,\"tls\":false}", &pinned, true, "no tls");
    expect("{\"port\":18789,\"tls\":true}", &pinned, true, "refused");
}

static void by_an_authority(void **state) {
    (void)state;
    expect("{\"port\":18789,\"tls\":true,\"tlsFingerprint\":\"" PIN_B "\"}", &by_authority, false,
            "stay");
    expect("{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_B "\"}", &by_authority, false,
            "wss://192.168.1.5:5 -");
}

static void without_tls(void **state) {
    (void)state;
    static const char tls[] = "{\"port\":18789,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\"}";
    static const char tls_port[] = "{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\"}";
    expect(tls, &plain_here, true, "wss://127.0.0.1:18789 aaaa");
    expect(tls_port, &plain_here, true, "wss://127.0.0.1:5 aaaa");
    expect("{\"port\":5,\"tls\":false}", &plain_here, true, "ws://127.0.0.1:5 -");
    expect("{\"port\":18789,\"tls\":false}", &plain_here, true, "stay");
    /* Nobody has said whose the other end is. */
    expect(tls, &plain_lan, false, "wss://192.168.1.5:18789 aaaa");
    expect(tls_port, &plain_lan, false, "refused");
    expect("{\"port\":5,\"tls\":false}", &plain_lan, false, "refused");
    expect("{\"port\":18789,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\",\"contextPath\":\"/x\"}",
            &plain_lan, false, "refused");
    /* Another host needs TLS now. */
    expect("{\"host\":\"new.example\",\"port\":18789,\"tls\":true,\"tlsFingerprint\":\"" PIN_A
           "\"}",
            &plain_here, true, "refused");
    expect("{\"host\":\"192.168.1.6\",\"port\":18789,\"tls\":true,\"tlsFingerprint\":\"" PIN_A
           "\"}",
            &plain_lan, false, "refused");
}

static void nonsense(void **state) {
    (void)state;
    static const char *const texts[] = { "{}", "[]", "5", "{\"port\":18789}", "{\"tls\":true}",
        "{\"port\":0,\"tls\":false}", "{\"port\":65536,\"tls\":false}",
        "{\"port\":\"5\",\"tls\":false}", "{\"port\":5.5,\"tls\":false}",
        "{\"port\":5,\"tls\":\"no\"}", "{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"\"}",
        "{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"aa\"}",
        "{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "a\"}",
        "{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"x" PIN_A "\"}",
        "{\"port\":5,\"tls\":true,\"tlsFingerprint\":7}",
        "{\"port\":5,\"tls\":false,\"tlsFingerprint\":\"" PIN_A "\"}",
        "{\"host\":\"\",\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\"}",
        "{\"host\":\"a b\",\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\"}",
        "{\"host\":\"a/b\",\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\"}",
        "{\"host\":\"a\\u001b[0m\",\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\"}",
        "{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\",\"contextPath\":\"/a b\"}",
        "{\"port\":5,\"tls\":true,\"tlsFingerprint\":\"" PIN_A "\",\"contextPath\":\"/\\n\"}" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        expect(texts[i], &plain_here, true, "refused");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_tls),
        cmocka_unit_test(by_an_authority),
        cmocka_unit_test(without_tls),
        cmocka_unit_test(nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
