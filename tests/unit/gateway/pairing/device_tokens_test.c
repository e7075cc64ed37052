/* Tokens: what they open, and that no path makes one stronger than what was granted. */
#include "lib/protocol/scopes.h"
#include "tests/any_int.h"
#include "tests/unit/gateway/pairing/pairing_fixture.h"

static char *issue(const char *device_id, const char *role, const char *scopes) {
    OC_AUTO_JSON cJSON *payload = NULL;
    enum oc_code rc =
            gw_pairing_issue_token(pairing, device_id, role, words(scopes), &payload, &error);
    if (rc != OC_OK) {
        return NULL;
    }
    assert_string_equal(oc_json_get_str(payload, "role"), role);
    assert_true(any_int(payload, "issuedAtMs", 0) >= START_MS);
    return oc_strdup(oc_json_get_str(payload, "deviceToken"));
}

static bool valid(const char *device_id, const char *role, const char *scopes, const char *token) {
    return gw_pairing_token_valid(pairing, device_id, role, words(scopes), token);
}

static enum oc_code rotate(const struct gw_actor *who, const char *device_id, const char *role,
        const struct oc_strv *scopes, cJSON **ret) {
    error = (struct oc_error){ 0 };
    return gw_pairing_rotate(pairing, who, device_id, role, scopes, ret, &error);
}

static enum oc_code revoke(const struct gw_actor *who, const char *device_id, const char *role) {
    OC_AUTO_JSON cJSON *payload = NULL;
    error = (struct oc_error){ 0 };
    return gw_pairing_revoke(pairing, who, device_id, role, &payload, &error);
}

static void a_token_proves_device_role_and_scopes(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", "operator.write");
    struct gw_pair_claim node = claim("d2", "node", "");
    pair(&op);
    pair(&node);
    OC_AUTO_FREE char *t1 = issue("d1", "operator", "operator.write");
    OC_AUTO_FREE char *t2 = issue("d2", "node", "");
    assert_int_equal(strlen(t1), 43);
    assert_string_not_equal(t1, t2);

    assert_true(valid("d1", "operator", "operator.write", t1));
    assert_true(valid("d1", "operator", "operator.read", t1)); /* write covers read */
    assert_true(valid("d1", "operator", "", t1));
    assert_true(valid("d2", "node", "", t2));

    assert_false(valid("d1", "operator", "operator.admin", t1));
    assert_false(valid("d1", "operator", "operator.read operator.pairing", t1));
    assert_false(valid("d1", "node", "", t1));
    assert_false(valid("d2", "node", "operator.read", t2));
    assert_false(valid("d2", "operator", "", t2));
    assert_false(valid("d2", "node", "", t1));
    assert_false(valid("d3", "node", "", t1));
    assert_false(valid("d1", "operator", "", ""));
    assert_false(valid("d1", "operator", "", NULL));
    OC_AUTO_FREE char *shorter = oc_strndup(t1, 42);
    assert_false(valid("d1", "operator", "", shorter));
}

static void an_empty_stored_token_opens_nothing(void **state) {
    (void)state;
    static const char doc[] = "{\"deviceId\":\"d1\",\"publicKey\":\"d1\",\"role\":\"operator\","
                              "\"tokens\":{\"operator\":{\"token\":\"\",\"scopes\":[]}}}";
    OC_AUTO_JSON cJSON *device = NULL;
    assert_int_equal(oc_json_parse(doc, strlen(doc), &device, NULL), OC_OK);
    assert_int_equal(gw_store_put(store, GW_DEVICES, "d1", NULL, device, NULL), OC_OK);
    assert_false(valid("d1", "operator", "", ""));
}

static void use_is_stamped_at_most_once_a_minute(void **state) {
    (void)state;
    struct gw_pair_claim node = claim("d1", "node", "");
    pair(&node);
    OC_AUTO_FREE char *token = issue("d1", "node", "");
    static const struct {
        int64_t advance_ms, want_ms;
    } rows[] = { { 0, 0 }, { 59999, 0 }, { 1, 60000 }, { 30000, 60000 }, { 30000, 120000 },
        { -500000, -380000 } /* the clock was set back */ };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        oc_fake_clock_advance(&fake, rows[i].advance_ms);
        assert_true(valid("d1", "node", "", token));
        OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "d1");
        assert_int_equal(any_int(gw_device_token(device, "node"), "lastUsedAtMs", 0),
                START_MS + rows[i].want_ms);
    }
    oc_fake_clock_advance(&fake, 1000000);
    assert_false(valid("d1", "node", "", "wrong"));
    OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "d1");
    assert_int_equal(
            any_int(gw_device_token(device, "node"), "lastUsedAtMs", 0), START_MS - 380000);
}

static void the_stored_token_is_given_again(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", "operator.admin");
    pair(&op);
    OC_AUTO_FREE char *first = issue("d1", "operator", "operator.admin");
    oc_fake_clock_advance(&fake, 1000);
    OC_AUTO_FREE char *second = issue("d1", "operator", "operator.read");
    OC_AUTO_FREE char *third = issue("d1", "operator", "");
    assert_string_equal(first, second);
    assert_string_equal(first, third);
}

static void a_wider_token_stays_within_the_grant(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", "operator.write operator.pairing");
    pair(&op);
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    OC_AUTO_JSON cJSON *rotated = NULL;
    assert_int_equal(rotate(&admin, "d1", "operator", words("operator.read"), &rotated), OC_OK);
    const char *narrow = oc_json_get_str(rotated, "token");
    assert_false(valid("d1", "operator", "operator.pairing", narrow));

    OC_AUTO_JSON cJSON *wide = NULL;
    assert_int_equal(
            gw_pairing_issue_token(pairing, "d1", "operator",
                    words("operator.pairing operator.admin operator.approvals"), &wide, &error),
            OC_OK);
    assert_string_not_equal(oc_json_get_str(wide, "deviceToken"), narrow);
    /* What the old one had is kept, what was never approved is not given. */
    assert_json(oc_json_get(wide, "scopes"), "[\"operator.pairing\",\"operator.read\"]");
}

static void a_node_token_never_has_scopes(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", ALL_SCOPES);
    struct gw_pair_claim node = claim("d1", "node", ALL_SCOPES);
    pair(&op);
    pair(&node);
    OC_AUTO_JSON cJSON *payload = NULL;
    assert_int_equal(gw_pairing_issue_token(
                             pairing, "d1", "node", words("operator.admin"), &payload, &error),
            OC_OK);
    assert_json(oc_json_get(payload, "scopes"), "[]");
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    OC_AUTO_JSON cJSON *rotated = NULL;
    assert_fails(rotate(&admin, "d1", "node", words("operator.admin"), &rotated), OC_E_INVALID,
            "unknown deviceId/role");
    assert_int_equal(rotate(&admin, "d1", "node", NULL, &rotated), OC_OK);
    assert_json(oc_json_get(rotated, "scopes"), "[]");
}

static void no_token_without_the_role(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", "operator.read");
    pair(&op);
    assert_null(issue("d1", "node", ""));
    assert_int_equal(error.code, OC_E_NOT_FOUND);
    assert_null(issue("d2", "operator", ""));
    assert_int_equal(error.code, OC_E_NOT_FOUND);
}

static void a_role_that_came_without_a_token_gets_one(void **state) {
    (void)state;
    static const char doc[] = "{\"deviceId\":\"d1\",\"publicKey\":\"d1\",\"role\":\"operator\","
                              "\"scopes\":[\"operator.read\"]}"; /* as an import may bring it */
    OC_AUTO_JSON cJSON *device = NULL;
    assert_int_equal(oc_json_parse(doc, strlen(doc), &device, NULL), OC_OK);
    assert_int_equal(gw_store_put(store, GW_DEVICES, "d1", NULL, device, NULL), OC_OK);
    OC_AUTO_FREE char *token = issue("d1", "operator", "operator.read operator.admin");
    assert_true(valid("d1", "operator", "operator.read", token));
    assert_false(valid("d1", "operator", "operator.admin", token));
}

static void rotating_replaces_the_value(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", "operator.pairing operator.read");
    pair(&op);
    OC_AUTO_FREE char *old = issue("d1", "operator", "");
    oc_fake_clock_advance(&fake, 5000);
    struct gw_actor self = actor("operator.pairing operator.read", "d1");
    OC_AUTO_JSON cJSON *payload = NULL;
    assert_int_equal(rotate(&self, "d1", "operator", NULL, &payload), OC_OK);
    const char *token = oc_json_get_str(payload, "token");
    OC_AUTO_FREE char *want = oc_strfmt(
            "{\"deviceId\":\"d1\",\"role\":\"operator\",\"token\":\"%s\","
            "\"scopes\":[\"operator.pairing\",\"operator.read\"],\"rotatedAtMs\":1794787521297}",
            token);
    assert_json(payload, want);
    assert_false(valid("d1", "operator", "", old));
    assert_true(valid("d1", "operator", "operator.pairing operator.read", token));
    OC_AUTO_FREE char *issued = issue("d1", "operator", "operator.read");
    assert_string_equal(issued, token);
}

/* CVE-2026-32922: a token must not come back stronger than its rotator or its device. */
static void rotating_never_widens(void **state) {
    (void)state;
    struct gw_pair_claim d1 = claim("d1", "operator", "operator.admin operator.pairing");
    struct gw_pair_claim d2 = claim("d2", "operator", "operator.read");
    pair(&d1);
    pair(&d2);
    static const struct {
        const char *actor_scopes, *actor_device, *target, *role;
        const char *scopes; /* NULL keeps */
        enum oc_code want;
        const char *text;
    } rows[] = {
        /* Own device: the connection only has pairing, though the device was approved for more. */
        { "operator.pairing", "d1", "d1", "operator", "operator.admin", OC_E_DENIED,
                "missing scope: operator.admin" },
        { "operator.pairing", "d1", "d1", "operator", NULL, OC_E_DENIED,
                "missing scope: operator.admin" },
        { "operator.pairing", "d1", "d1", "operator", "operator.read", OC_E_DENIED,
                "missing scope: operator.read" },
        { "operator.pairing", "d1", "d1", "operator", "operator.pairing", OC_OK, "" },
        { "operator.pairing", "d1", "d1", "operator", "", OC_OK, "" },
        /* No scopes at all is not every scope. */
        { "", "d1", "d1", "operator", "", OC_E_DENIED, "missing scope: operator.pairing" },
        { "operator.write", "d1", "d1", "operator", "", OC_E_DENIED,
                "missing scope: operator.pairing" },
        /* Another device takes admin, and the device's own grant is the limit. */
        { "operator.pairing operator.read", "d1", "d2", "operator", NULL, OC_E_DENIED,
                "missing scope: operator.admin" },
        { "operator.pairing", NULL, "d2", "operator", NULL, OC_E_DENIED,
                "missing scope: operator.admin" },
        { "operator.admin", NULL, "d2", "operator", "operator.write", OC_E_INVALID,
                "unknown deviceId/role" },
        { "operator.admin", NULL, "d2", "operator", "operator.admin", OC_E_INVALID,
                "unknown deviceId/role" },
        { "operator.admin", NULL, "d2", "operator", "operator.read", OC_OK, "" },
        { "operator.admin", NULL, "d2", "operator", NULL, OC_OK, "" },
        { "operator.admin", NULL, "d2", "node", NULL, OC_E_INVALID, "unknown deviceId/role" },
        { "operator.admin", NULL, "d9", "operator", NULL, OC_E_INVALID, "unknown deviceId/role" },
        /* Whether a device exists is not told to those who may not ask. */
        { "operator.pairing", NULL, "d9", "operator", NULL, OC_E_DENIED,
                "missing scope: operator.admin" },
    };
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_JSON cJSON *reset = NULL;
        assert_int_equal(
                rotate(&admin, "d1", "operator", words("operator.admin operator.pairing"), &reset),
                OC_OK);
        OC_AUTO_FREE char *before = issue("d1", "operator", "");
        struct gw_actor who = actor(rows[i].actor_scopes, rows[i].actor_device);
        OC_AUTO_JSON cJSON *payload = NULL;
        enum oc_code rc = rotate(&who, rows[i].target, rows[i].role,
                rows[i].scopes ? words(rows[i].scopes) : NULL, &payload);
        assert_fails(rc, rows[i].want, rows[i].text);
        assert_int_equal(payload != NULL, rc == OC_OK);
        if (rc != OC_OK) {
            assert_true(valid("d1", "operator", "operator.admin", before));
        }
    }
}

static void a_revoked_token_is_dead(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", "operator.pairing");
    pair(&op);
    OC_AUTO_FREE char *token = issue("d1", "operator", "");
    oc_fake_clock_advance(&fake, 1000);
    struct gw_actor admin = actor("operator.admin", NULL);
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *again = NULL;
    assert_int_equal(gw_pairing_revoke(pairing, &admin, "d1", "operator", &payload, &error), OC_OK);
    assert_json(
            payload, "{\"deviceId\":\"d1\",\"role\":\"operator\",\"revokedAtMs\":1794787517297}");
    oc_fake_clock_advance(&fake, 1000);
    assert_int_equal(gw_pairing_revoke(pairing, &admin, "d1", "operator", &again, &error), OC_OK);
    assert_int_equal(any_int(again, "revokedAtMs", 0), START_MS + 1000);
    assert_false(valid("d1", "operator", "", token));
    assert_null(issue("d1", "operator", "")); /* the shared secret alone does not bring it back */
    assert_int_equal(error.code, OC_E_NOT_FOUND);
}

static void a_device_cannot_undo_its_revocation(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", "operator.pairing");
    struct gw_pair_claim node = claim("d1", "node", "");
    pair(&op);
    pair(&node);
    struct gw_actor admin = actor("operator.admin", NULL), self = actor("operator.pairing", "d1");
    assert_int_equal(revoke(&admin, "d1", "node"), OC_OK);
    OC_AUTO_JSON cJSON *payload = NULL;
    assert_fails(rotate(&self, "d1", "node", NULL, &payload), OC_E_DENIED,
            "missing scope: operator.admin");
    assert_int_equal(rotate(&admin, "d1", "node", NULL, &payload), OC_OK);
    assert_true(valid("d1", "node", "", oc_json_get_str(payload, "token")));
}

/* Approved, but it has not come yet in that role. */
static void a_role_without_a_token_can_be_revoked(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *device = NULL;
    static const char text[] = "{\"deviceId\":\"d\",\"publicKey\":\"d\",\"platform\":\"linux\","
                               "\"roles\":[\"operator\",\"node\"],\"scopes\":[]}";
    assert_int_equal(oc_json_parse(text, strlen(text), &device, &error), OC_OK);
    assert_int_equal(gw_store_put(store, GW_DEVICES, "d", NULL, device, &error), OC_OK);
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    struct gw_pair_claim node = claim("d", "node", ""), op = claim("d", "operator", "");
    assert_string_equal(verdict(&node), "paired");
    assert_int_equal(revoke(&admin, "d", "node"), OC_OK);
    assert_null(issue("d", "node", ""));
    assert_string_equal(verdict(&node), "role-upgrade");
    assert_string_equal(verdict(&op), "paired");
    assert_int_equal(revoke(&admin, "d", "other"), OC_E_INVALID);
    assert_string_equal(error.text, "unknown deviceId/role");
}

static void revoking_needs_the_right_actor(void **state) {
    (void)state;
    struct gw_pair_claim d1 = claim("d1", "operator", "operator.pairing");
    struct gw_pair_claim d2 = claim("d2", "node", "");
    pair(&d1);
    pair(&d2);
    struct gw_actor self = actor("operator.pairing", "d1"), none = actor("", "d1"),
                    admin = actor("operator.admin", NULL), bare = { .device_id = "d1" };
    assert_fails(revoke(&self, "d2", "node"), OC_E_DENIED, "missing scope: operator.admin");
    assert_fails(revoke(&none, "d1", "operator"), OC_E_DENIED, "missing scope: operator.pairing");
    assert_fails(revoke(&bare, "d1", "operator"), OC_E_DENIED, "missing scope: operator.pairing");
    assert_fails(revoke(&admin, "d2", "operator"), OC_E_INVALID, "unknown deviceId/role");
    assert_fails(revoke(&admin, "d9", "node"), OC_E_INVALID, "unknown deviceId/role");
    assert_int_equal(revoke(&self, "d1", "operator"), OC_OK);
    assert_int_equal(revoke(&admin, "d2", "node"), OC_OK);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        T(a_token_proves_device_role_and_scopes),
        T(an_empty_stored_token_opens_nothing),
        T(use_is_stamped_at_most_once_a_minute),
        T(the_stored_token_is_given_again),
        T(a_wider_token_stays_within_the_grant),
        T(a_node_token_never_has_scopes),
        T(no_token_without_the_role),
        T(a_role_that_came_without_a_token_gets_one),
        T(rotating_replaces_the_value),
        T(rotating_never_widens),
        T(a_revoked_token_is_dead),
        T(a_device_cannot_undo_its_revocation),
        T(a_role_without_a_token_can_be_revoked),
        T(revoking_needs_the_right_actor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
