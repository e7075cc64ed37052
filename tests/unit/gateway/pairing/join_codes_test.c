#include "gateway/pairing/join_codes.h"

#include "gateway/pairing/setup_codes.h"
#include "gateway/pairing/setup_status.h"
#include "lib/protocol/limits.h"
#include "tests/unit/gateway/pairing/pairing_fixture.h"

/* A code for a node and its link; the caller frees both. */
static char *make(const char *url, struct oc_setup_code *ret_code) {
    struct gw_actor owner = actor(ALL_SCOPES, NULL);
    struct gw_setup_grant grant = { 0 };
    oc_strv_add(&grant.roles, "node");
    *ret_code = (struct oc_setup_code){ .url = oc_strdup(url), .tls_fingerprint = oc_strdup("AB") };
    assert_int_equal(
            gw_setup_codes_mint(store, &fake.clock, &owner, &grant, &ret_code->token, &error),
            OC_OK);
    char *link = NULL;
    error = (struct oc_error){ 0 };
    enum oc_code rc = gw_join_code_make(store, &fake.clock, grant.id, ret_code, &link, &error);
    assert_int_equal(rc == OC_OK, link != NULL);
    gw_setup_grant_finish(&grant);
    return link;
}

static enum oc_code follow(const char *link, struct oc_setup_code *ret) {
    const char *join = gw_join_code_in_path(link);
    assert_int_equal(strlen(join), GW_JOIN_CODE_LEN);
    return gw_join_code_follow(store, &fake.clock, join, ret, &error);
}

static void a_link_gives_its_code_once(void **state) {
    (void)state;
    struct oc_setup_code one, two, got = { 0 };
    OC_AUTO_SECRET char *first = make("wss://gw.example/oc", &one);
    OC_AUTO_SECRET char *second = make("ws://127.0.0.1:1", &two);
    assert_true(oc_starts_with(first, "https://gw.example/oc/j/"));
    assert_true(oc_starts_with(second, "http://127.0.0.1:1/j/"));
    assert_int_equal(follow(second, &got), OC_OK);
    assert_string_equal(got.token, two.token);
    assert_string_equal(got.url, two.url);
    oc_setup_code_finish(&got);
    assert_int_equal(follow(second, &got), OC_E_NOT_FOUND);
    assert_int_equal(follow(first, &got), OC_OK);
    assert_string_equal(got.token, one.token);
    assert_string_equal(got.tls_fingerprint, "AB");
    oc_setup_code_finish(&got);
    oc_setup_code_finish(&one);
    oc_setup_code_finish(&two);
}

static void a_link_lives_as_long_as_its_code(void **state) {
    (void)state;
    struct oc_setup_code code, got = { 0 };
    OC_AUTO_SECRET char *link = make("ws://localhost", &code);
    oc_fake_clock_advance(&fake, OC_SETUP_CODE_TTL_MS);
    assert_int_equal(follow(link, &got), OC_E_NOT_FOUND);
    oc_setup_code_finish(&code);
    OC_AUTO_SECRET char *used = make("ws://[::1]:7", &code);
    struct gw_setup_grant grant = { 0 };
    struct gw_setup_try try = { code.token, "node", words(""), NULL };
    assert_int_equal(gw_setup_codes_take(store, &fake.clock, &try, &grant, &error), OC_OK);
    gw_setup_grant_finish(&grant);
    assert_int_equal(follow(used, &got), OC_E_NOT_FOUND);
    oc_setup_code_finish(&code);
}

static void no_secret_over_plain_http(void **state) {
    (void)state;
    struct oc_setup_code code;
    static const char *const plain[] = { "ws://10.0.0.1:1", "ws://gw.local", "ws://127.0.0.1.evil",
        "ws://localhost.evil:1/127.0.0.1" };
    for (size_t i = 0; i < OC_COUNT(plain); i++) {
        assert_null(make(plain[i], &code));
        assert_int_equal(error.code, OC_E_INVALID);
        oc_setup_code_finish(&code);
    }
}

static void links_in_paths(void **state) {
    (void)state;
    assert_null(gw_join_code_in_path("/"));
    assert_null(gw_join_code_in_path("/health"));
    assert_null(gw_join_code_in_path("/join"));
    assert_string_equal(gw_join_code_in_path("/j"), "");
    assert_string_equal(gw_join_code_in_path("/j/"), "");
    assert_string_equal(gw_join_code_in_path("/j/short"), "");
    assert_string_equal(gw_join_code_in_path("/j/AAAAAAAAAAAAAAAAAAAAA/"), "");
    assert_string_equal(
            gw_join_code_in_path("/a/j/x/j/AAAAAAAAAAAAAAAAAAAA-_"), "AAAAAAAAAAAAAAAAAAAA-_");
}

static void the_last_completions_are_known(void **state) {
    (void)state;
    struct gw_pair_claim box = claim("box", "node", "");
    for (int i = 0; i <= OC_MAX_SETUP_CODES; i++) {
        struct gw_setup_grant grant = { .id = oc_strfmt("s%d", i) };
        oc_strv_add(&grant.roles, "node");
        OC_AUTO_JSON cJSON *done = gw_setup_completion(&grant, &box, &fake.clock);
        assert_int_equal(gw_setup_status_note(store, done, &error), OC_OK);
        gw_setup_grant_finish(&grant);
    }
    OC_AUTO_JSON cJSON *last = NULL;
    cJSON *none = NULL;
    assert_int_equal(gw_setup_status_find(store, &fake.clock, "s0", &none, &error), OC_E_NOT_FOUND);
    assert_int_equal(gw_setup_status_find(store, &fake.clock, "s1", &last, &error), OC_OK);
    assert_string_equal(oc_json_get_str(last, "access"), "node");
    oc_fake_clock_advance(&fake, 3600001);
    assert_int_equal(gw_setup_status_find(store, &fake.clock, "s1", &none, &error), OC_E_NOT_FOUND);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        T(a_link_gives_its_code_once),
        T(a_link_lives_as_long_as_its_code),
        T(no_secret_over_plain_http),
        T(links_in_paths),
        T(the_last_completions_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
