/* Codes and what they open: once, for ten minutes, for one role, all or nothing. */
#include "gateway/pairing/enrol.h"
#include "gateway/pairing/setup_codes.h"
#include "lib/identity/identity.h"
#include "lib/protocol/limits.h"
#include "tests/unit/gateway/pairing/pairing_fixture.h"

static const char *shared_secret; /* as the gateway has it now */

static char *mint(const char *by, const char *by_device, const char *roles, const char *scopes,
        bool approves) {
    struct gw_setup_grant grant = { .approves_commands = approves };
    oc_strv_copy(&grant.roles, words(roles));
    oc_strv_copy(&grant.scopes, words(scopes));
    struct gw_actor who = actor(by, by_device);
    who.secret = by_device ? NULL : shared_secret;
    char *token = NULL;
    enum oc_code rc = gw_setup_codes_mint(store, &fake.clock, &who, &grant, &token, &error);
    if (rc == OC_OK) {
        assert_int_equal(grant.expires_at_ms, oc_wall_ms(&fake.clock) + OC_SETUP_CODE_TTL_MS);
    }
    gw_setup_grant_finish(&grant);
    return token;
}

static enum oc_code enrol(const char *token, const char *device, const char *role,
        const char *scopes, const char *commands) {
    struct gw_pair_claim c = claim(device, role, scopes);
    c.caps = words("system");
    c.commands = words(commands);
    struct gw_enrolment e = { store, pairing, surface, &fake.clock, shared_secret };
    struct gw_setup_grant grant = { 0 };
    error = (struct oc_error){ 0 };
    enum oc_code rc = gw_enrol(&e, &c, token, &grant, &error);
    gw_setup_grant_finish(&grant);
    return rc;
}

static void opens_both_gates_once(void **state) {
    (void)state;
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "node", "", true);
    assert_int_equal(enrol(token, "box", "node", "", "system.run"), OC_OK);
    struct gw_pair_claim c = claim("box", "node", "");
    assert_string_equal(verdict(&c), "paired");
    OC_AUTO_JSON cJSON *node = stored(GW_NODES, "box");
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(node, "commands", &commands);
    assert_true(oc_strv_has(&commands, "system.run"));
    assert_int_equal(enrol(token, "box", "node", "", ""), OC_E_AUTH);
    assert_int_equal(enrol(token, "other", "node", "", ""), OC_E_AUTH);
    assert_int_equal(count(GW_DEVICES), 1);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 0);
}

static void expires(void **state) {
    (void)state;
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "node", "", false);
    oc_fake_clock_advance(&fake, OC_SETUP_CODE_TTL_MS);
    assert_int_equal(enrol(token, "box", "node", "", ""), OC_E_AUTH);
    OC_AUTO_SECRET char *fresh = mint(ALL_SCOPES, NULL, "node", "", false);
    oc_fake_clock_advance(&fake, OC_SETUP_CODE_TTL_MS - 1);
    assert_int_equal(enrol(fresh, "box", "node", "", ""), OC_OK);
    OC_AUTO_SECRET char *future = mint(ALL_SCOPES, NULL, "node", "", false);
    fake.wall -= 3600000; /* the clock was set back: the code does not live an hour longer */
    assert_int_equal(enrol(future, "box2", "node", "", ""), OC_E_AUTH);
}

static void fits_or_stays(void **state) {
    (void)state;
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "operator", "operator.read", false);
    assert_int_equal(enrol(token, "box", "node", "", ""), OC_E_AUTH);
    assert_int_equal(enrol(token, "box", "operator", "operator.write", ""), OC_E_AUTH);
    assert_int_equal(enrol("wrong", "box", "operator", "operator.read", ""), OC_E_AUTH);
    assert_int_equal(count(GW_DEVICES), 0);
    assert_int_equal(enrol(token, "box", "operator", "operator.read", ""), OC_OK);
    struct gw_pair_claim wider = claim("box", "operator", "operator.admin");
    assert_string_equal(verdict(&wider), "scope-upgrade");
}

/* What a device had asked for before does not come along with a code for less. */
static void earlier_requests_are_not_granted(void **state) {
    (void)state;
    struct gw_pair_claim admin = claim("box", "operator", "operator.admin");
    oc_free(ask(&admin));
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "operator", "operator.read", false);
    assert_int_equal(enrol(token, "box", "operator", "operator.read", ""), OC_OK);
    assert_string_equal(verdict(&admin), "scope-upgrade");
}

static void both_roles(void **state) {
    (void)state;
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "node operator", "operator.read", false);
    assert_int_equal(enrol(token, "phone", "node", "", "camera.snap"), OC_OK);
    struct gw_pair_claim node = claim("phone", "node", "");
    struct gw_pair_claim reader = claim("phone", "operator", "operator.read");
    assert_string_equal(verdict(&node), "paired");
    assert_string_equal(verdict(&reader), "paired");
    assert_int_equal(count(GW_NODES), 0); /* its commands wait */
}

static void only_who_may_grant(void **state) {
    (void)state;
    assert_null(mint("operator.pairing", NULL, "node", "", false));
    assert_string_equal(error.text, "missing scope: operator.admin");
    assert_null(mint("operator.pairing", NULL, "operator", "operator.read", false));
    assert_string_equal(error.text, "missing scope: operator.read");
    assert_null(mint("operator.read", NULL, "operator", "operator.read", false));
    assert_string_equal(error.text, "missing scope: operator.pairing");
}

/* An admin's device can make a code for less than it holds; another device decides about itself
 * only. */
static void made_by_a_device(void **state) {
    (void)state;
    struct gw_pair_claim boss = claim("boss", "operator", ALL_SCOPES);
    struct gw_pair_claim clerk = claim("clerk", "operator", "operator.pairing operator.read");
    pair(&boss);
    pair(&clerk);
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, "boss", "operator", "operator.read", false);
    OC_AUTO_SECRET char *clerks =
            mint("operator.pairing operator.read", "clerk", "operator", "operator.read", false);
    assert_int_equal(enrol(clerks, "box", "operator", "operator.read", ""), OC_E_DENIED);
    assert_null(stored(GW_DEVICES, "box"));
    assert_int_equal(enrol(token, "box", "operator", "operator.read", ""), OC_OK);
    struct gw_pair_claim wider = claim("box", "operator", "operator.admin");
    assert_string_equal(verdict(&wider), "scope-upgrade");
}

static void void_without_its_maker(void **state) {
    (void)state;
    struct gw_pair_claim boss = claim("boss", "operator", ALL_SCOPES);
    pair(&boss);
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, "boss", "node", "", false);
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    OC_AUTO_JSON cJSON *gone = NULL;
    assert_int_equal(gw_pairing_remove(pairing, &admin, "boss", &gone, &error), OC_OK);
    assert_int_equal(enrol(token, "box", "node", "", ""), OC_E_AUTH);
}

static void void_when_its_maker_lost_the_token(void **state) {
    (void)state;
    struct gw_pair_claim boss = claim("boss", "operator", ALL_SCOPES);
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    for (int by_rotation = 0; by_rotation < 2; by_rotation++) {
        pair(&boss);
        OC_AUTO_JSON cJSON *issued = NULL;
        OC_AUTO_JSON cJSON *done = NULL;
        assert_int_equal(gw_pairing_issue_token(
                                 pairing, "boss", "operator", words(ALL_SCOPES), &issued, &error),
                OC_OK);
        OC_AUTO_SECRET char *token = mint(ALL_SCOPES, "boss", "operator", "operator.admin", false);
        OC_AUTO_SECRET char *other = mint(ALL_SCOPES, NULL, "node", "", false);
        assert_non_null(token);
        assert_int_equal(
                by_rotation ? gw_pairing_rotate(
                                      pairing, &admin, "boss", "operator", NULL, &done, &error)
                            : gw_pairing_revoke(pairing, &admin, "boss", "operator", &done, &error),
                OC_OK);
        assert_int_equal(enrol(token, "box", "operator", "operator.admin", ""), OC_E_AUTH);
        assert_null(stored(GW_DEVICES, "box"));
        assert_int_equal(enrol(other, by_rotation ? "n1" : "n2", "node", "", ""), OC_OK);
        OC_AUTO_JSON cJSON *gone = NULL;
        assert_int_equal(gw_pairing_remove(pairing, &admin, "boss", &gone, &error), OC_OK);
    }
}

static cJSON *token_of(cJSON *device) {
    return cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(device, "tokens"), "operator");
}

/* The record says less than it did when the code was made. */
static void void_when_its_maker_holds_less(void **state) {
    (void)state;
    struct gw_pair_claim boss = claim("boss", "operator", ALL_SCOPES);
    pair(&boss);
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, "boss", "operator", "operator.admin", false);
    OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "boss");
    oc_json_set_strv(token_of(device), "scopes", words("operator.pairing operator.read"));
    assert_int_equal(gw_store_put(store, GW_DEVICES, "boss", NULL, device, &error), OC_OK);
    assert_int_equal(enrol(token, "box", "operator", "operator.admin", ""), OC_E_AUTH);
    oc_json_set_strv(token_of(device), "scopes", words(ALL_SCOPES));
    assert_int_equal(gw_store_put(store, GW_DEVICES, "boss", NULL, device, &error), OC_OK);
    assert_int_equal(enrol(token, "box", "operator", "operator.admin", ""), OC_OK);
}

static void void_when_the_shared_secret_changed(void **state) {
    (void)state;
    shared_secret = "old";
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "node", "", false);
    OC_AUTO_FREE char *kept = NULL;
    assert_int_equal(gw_store_get_meta(store, "setup-codes", &kept, &error), OC_OK);
    char hash[65];
    oc_sha256_hex("old", 3, hash);
    assert_null(strstr(kept, hash)); /* nothing to try passwords on */
    shared_secret = "new";
    enum oc_code rc = enrol(token, "box", "node", "", "");
    shared_secret = "old";
    enum oc_code back = enrol(token, "box", "node", "", "");
    shared_secret = NULL;
    assert_int_equal(rc, OC_E_AUTH);
    assert_int_equal(back, OC_OK);
}

/* Something fails half way: the device is not in, and the code is not used up. */
static void all_or_nothing(void **state) {
    (void)state;
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "node", "", true);
    for (int i = 0; i < OC_MAX_PENDING_DEVICES; i++) {
        OC_AUTO_FREE char *id = oc_strfmt("waiting-%d", i), *ip = oc_strfmt("10.1.%d.1", i);
        struct gw_pair_claim c = claim(id, "node", "");
        c.remote_ip = ip;
        oc_free(ask(&c));
    }
    assert_int_equal(enrol(token, "box", "node", "", "system.run"), OC_E_UNAVAILABLE);
    assert_null(stored(GW_DEVICES, "box"));
    assert_int_equal(gw_pairing_forget_requests(pairing, "waiting-0", &error), OC_OK);
    assert_int_equal(enrol(token, "box", "node", "", "system.run"), OC_OK);
}

static void bounded(void **state) {
    (void)state;
    for (int i = 0; i < OC_MAX_SETUP_CODES; i++) {
        OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "node", "", false);
        assert_non_null(token);
    }
    assert_null(mint(ALL_SCOPES, NULL, "node", "", false));
    oc_fake_clock_advance(&fake, OC_SETUP_CODE_TTL_MS);
    OC_AUTO_SECRET char *token = mint(ALL_SCOPES, NULL, "node", "", false);
    assert_non_null(token);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(opens_both_gates_once),
        TEST(expires),
        TEST(fits_or_stays),
        TEST(earlier_requests_are_not_granted),
        TEST(both_roles),
        TEST(only_who_may_grant),
        TEST(made_by_a_device),
        TEST(void_without_its_maker),
        TEST(void_when_its_maker_lost_the_token),
        TEST(void_when_its_maker_holds_less),
        TEST(void_when_the_shared_secret_changed),
        TEST(all_or_nothing),
        TEST(bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
